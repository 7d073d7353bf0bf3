"""`es-simhash ingest`: write documents with their fingerprints."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import click

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.config_command import proposal_line
from es_simhash.cli.options import (
    PROCESSES,
    MaxLoad,
    MetricsFile,
    Quiet,
    TableOrJson,
    Target,
    Versions,
    gateway_to,
    named_indices,
)
from es_simhash.cli.output import print_json, undated_line
from es_simhash.cli.progress import ProgressBar, bytes_progress, log_warnings, require_no_failures
from es_simhash.cli.run_metrics import RunCounts, RunMetrics
from es_simhash.constraints import constraints
from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.ingestion.bulk.document_batches import Source
from es_simhash.ingestion.bulk.input_sources import (
    PATTERNS,
    SourceOptions,
    open_sources,
    parsed_map,
)
from es_simhash.ingestion.bulk.outcomes import STATUSES, IngestReport, Outcome
from es_simhash.ingestion.deduplication.audit_log import default_audit
from es_simhash.ingestion.deduplication.audit_runs import new_run
from es_simhash.ingestion.deduplication.version_rules import RETAIN, OnVersion
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestProgress, IngestSettings
from es_simhash.ingestion.sources.index_documents import INDEX_PATH, IndexDocuments
from es_simhash.store.connection import Connection
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.profiles import complete
from es_simhash.text.counting import counted
from es_simhash.text.escaping import file_name, one_line


@dataclass
class IngestSummary:
    """What a run did, printed however it ends.

    Attributes:
        output_format: `table` or `json`.
        finds_versions: Whether versions are looked for.
        audit: Audit log; None for none.
        run: Id of the run in it.
        dry_run: Whether nothing is written, so that each version is printed as well.
        decisions: What would become of the versions, for JSON.
        progress: Of the run; it has what an interrupted run did.
        report: What became of the documents that this one read.
        started: When the run began.
    """

    output_format: str
    finds_versions: bool = False
    audit: str | None = None
    run: str | None = None
    dry_run: bool = False
    decisions: list[Outcome] = field(default_factory=list)
    progress: IngestProgress = field(default_factory=IngestProgress)
    report: IngestReport = field(default_factory=IngestReport)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Duration so far, above zero."""
        return max(time.monotonic() - self.started, 1e-9)

    @property
    def total(self) -> IngestReport:
        """What became of all documents, also of those of an interrupted run."""
        return self.progress.before + self.report

    @contextmanager
    def printed(self) -> Iterator[None]:
        """Print the summary in the end, but not of a run that is refused before it begins."""
        try:
            yield
        except EsSimhashError:
            if self.report.documents:
                self._print()
            raise
        except BaseException:
            self._print()
            raise
        self._print()

    def add(self, outcome: Outcome) -> None:
        """Count an outcome; of a dry run show what would become of a version."""
        self.report.add(outcome)
        if not self.dry_run or outcome.version_of is None:
            return
        if self.output_format == "json":
            self.decisions.append(outcome)
        else:
            _print_decision(outcome)

    def _print(self) -> None:
        if self.output_format == "json":
            self._print_json()
            return
        if self.dry_run:
            self._print_dry_run()
            return
        click.echo(self._line())
        if self.progress.text_fields is not None:
            click.echo(
                f"The text is {self.progress.text_fields}, as stored in the mapping now "
                "(`es-simhash config` shows it)."
            )
        if self.audit is not None:
            self._print_versions(self.audit)

    def _print_json(self) -> None:
        total = self.total
        print_json(
            {
                **total.to_dict(),
                "versions": total.versions if self.finds_versions else None,
                "retained": total.retained if self.finds_versions else None,
                "undated": sorted(total.undated),
                "documents_before": self.progress.before.documents,
                "text_fields": self.progress.text_fields,
                "seconds": round(self.seconds, 3),
                "audit": self.audit,
                "run": self.run,
                "dry_run": self.dry_run,
                "decisions": [_decision(each) for each in self.decisions] if self.dry_run else None,
            }
        )

    def _print_dry_run(self) -> None:
        total = self.total
        kept = f", {total.retained} of them kept, as text would be lost" if total.retained else ""
        found = counted(total.versions, "version")
        versions = f"; {found}{kept}" if self.finds_versions else ""
        click.echo(f"A run would end with: {total.summary}{versions}.")
        if self.progress.text_fields is not None:
            click.echo(f"It would store {self.progress.text_fields} as the text in the mapping.")
        click.echo("Dry run: nothing was written.")

    def _line(self) -> str:
        before = self.progress.before.documents
        rate = counted(round(self.report.documents / self.seconds), "document")
        resumed = f", {before} by the interrupted run" if before else ""
        return f"{self.total.summary} in {self.seconds:.1f} s ({rate}/s{resumed})"

    def _print_versions(self, audit: str) -> None:
        total = self.total
        stored = total.replaced_stored
        count = total.retained
        retained = f", {count} of them kept and flagged, as text would be lost" if count else ""
        replaced = f", {stored} of the index replaced" if stored else ""
        versions = counted(total.versions, "version")
        click.echo(f"{versions}{retained}{replaced}; decisions in {audit} (run {self.run}).")
        if total.undated:
            click.echo(undated_line(tuple(sorted(total.undated))))


@command
def ingest(
    target: Target,
    paths: Annotated[tuple[str, ...], constraints(metavar="PATH...")],
    *,
    id_field: str | None = None,
    patterns: tuple[str, ...] = PATTERNS,
    maps: Annotated[tuple[str, ...], constraints(called="map", metavar="FIELD=COLUMN")] = (),
    input_format: str | None = None,
    versions: Versions,
    settings: Annotated[
        IngestSettings,
        constraints(group="Run"),
        Chosen(
            only=(
                *("processes", "rewrite", "dead_letter", "journal", "fresh", "on_conflict"),
                "dry_run",
            ),
            processes=PROCESSES,
            dead_letter={"show_default": "INDEX.dead-letter.jsonl in the working directory"},
        ),
    ],
    max_load: MaxLoad = None,
    metrics: MetricsFile = None,
    output_format: TableOrJson = "table",
    quiet: Quiet = False,
) -> None:
    """Write documents with their fingerprints into INDEX.

    PATH is a file of JSON Lines, a JSON array, CSV, TSV, Parquet or Arrow, also packed (gzip,
    zstd), or its address, such as s3://bucket/a.csv; a file of text, HTML, PDF or Word; a folder of
    such files, whose ids are their paths; index:NAME, or index:PROFILE/NAME of another cluster; or
    - for standard input.
    \f

    Name and content say what a file is. The member or column _routing is the routing of its
    document; one without it is written where the document of its id is.

    Unchanged documents are not written again. A run that was interrupted or killed resumes when it
    is started again (not from standard input or an index), if what it read has not changed; --fresh
    begins at the start. Documents that fail are written to the dead-letter file, and the exit
    status is then 1. Each document that was read counts once in the summary, as what became of it
    in the end.

    With --on-version, a document that is a version of an existing or an earlier one is skipped,
    flagged, linked, or replaces it. Where skipping or replacing would lose text (--lose), both
    documents are kept and the new one is flagged. Each decision is recorded in the audit log under
    the id of the run, which is printed at the end, and `es-simhash undo` reverts it. --dry-run
    prints each of these decisions, and what would be lost, and writes nothing.

    Args:
        id_field: Field of the document id; None for _id, else id, else a hash of the document.
        patterns: Glob pattern of the files of a folder.
        maps: Field that a column, or a member, is written to.
        input_format: Format of the files: jsonl, json, csv, tsv, parquet, arrow, or that of a
            plug-in; None for what name and content of each say.
    """
    log_warnings()
    index, rules = target.index, versions.rules
    options = SourceOptions(patterns, input_format, parsed_map(maps))
    sources = _sources(target, paths, options)
    failures_file: Path | None = settings.dead_letter
    if failures_file is None and not settings.dry_run:
        failures_file = Path(f"{file_name(index)}.dead-letter.jsonl")
    runs = RunMetrics(None if settings.dry_run else metrics, "ingest", index)
    summary = IngestSummary(output_format, rules is not None, dry_run=settings.dry_run)
    if rules is not None and not settings.dry_run:
        summary.audit, summary.run = str(rules.audit or default_audit(index)), new_run()
    naming = named_indices(target.connection, may_create=index)
    with (
        target.connected(max_load=max_load) as client,
        naming,
        bytes_progress(sources, quiet=quiet) as bar,
    ):

        def report(now: IngestProgress) -> None:
            summary.progress = now
            bar.show(done=now.done)

        outcomes = ingest_sources(
            client,
            index,
            sources,
            config=replace(target.config, id_field=id_field),
            on_version=rules,
            settings=replace(
                settings, dead_letter=failures_file, run=summary.run, on_progress=report
            ),
        )
        # Closed here, so that Ctrl-C ends the threads before the client.
        counts = partial(_counts, summary, rules)
        with runs.run(counts), summary.printed(), closing(outcomes):  # type: ignore[type-var]
            _consume(outcomes, summary, bar)
        if output_format == "table" and summary.report.counts["written"]:
            _print_hints(client, target, summary.progress)
    failed = summary.total.counts["failed"]
    require_no_failures(failed, failures_file or "the lines above, or --dead-letter FILE,")


def _sources(target: Target, paths: Sequence[str], options: SourceOptions) -> list[Source]:
    """Return what paths name, each once: files, and indices of this cluster and of others."""
    sources: list[Source] = []
    others = [path for path in paths if not path.startswith(INDEX_PATH)]
    opened = iter(open_sources(others, sys.stdin.buffer, options))
    for path in dict.fromkeys(paths):
        if path.startswith(INDEX_PATH):
            sources.append(_index_source(target, path))
        else:
            sources.append(next(opened))
    return sources


def _index_source(target: Target, path: str) -> IndexDocuments:
    profile, _, index = path.removeprefix(INDEX_PATH).rpartition("/")
    connection = complete(Connection(profile=profile)) if profile else target.connection
    return IndexDocuments(path, index, partial(gateway_to, connection), target.simhash_field)


def _counts(summary: IngestSummary, rules: OnVersion | None) -> RunCounts:
    """Return what the run did to the documents that it read, without those of an earlier one."""
    report = summary.report
    versions = {}
    if rules is not None:
        versions = {rules.action: report.versions - report.retained, RETAIN: report.retained}
    return RunCounts({status: report.counts[status] for status in STATUSES}, versions)


def _print_decision(outcome: Outcome) -> None:
    """Print what would become of a version, and below it what would be lost."""
    click.echo(one_line(f"{outcome.id}: {outcome.reason}"))
    for stretch in outcome.lost.stretches if outcome.lost is not None else ():
        click.echo(f"    - {one_line(stretch)}")


def _decision(outcome: Outcome) -> dict[str, Any]:
    """Return what would become of a version, as it is printed in JSON."""
    return {
        "id": outcome.id,
        "version_of": outcome.version_of,
        "status": outcome.status,
        "retained": outcome.retained,
        "reason": outcome.reason,
        "lost": None if outcome.lost is None else asdict(outcome.lost),
    }


def _print_hints(client: Gateway, target: Target, progress: IngestProgress) -> None:
    """Print what the first run of a user lacks: ids, and the fields of titles and dates."""
    if progress.has_hashes:
        click.echo("The ids are hashes of the documents: set --id-field if a field has their ids.")
    # Whoever may write need not have the right to read.
    with suppress(ClusterError):
        if (line := proposal_line(client, target.index, target.simhash_field)) is not None:
            click.echo(line)


def _consume(outcomes: Iterable[Outcome], summary: IngestSummary, bar: ProgressBar) -> None:
    """Count the outcomes, and print the first failures."""
    for number, outcome in enumerate(outcomes, 1):
        summary.add(outcome)
        if not outcome.ok:
            name = f" (id {outcome.id})" if outcome.id is not None else ""
            bar.print_failure(f"{outcome.place}{name}: {outcome.reason}")
        if number % 1000 == 0:
            bar.show(rate=number / summary.seconds)
            bar.print_line("documents", number, None, number / summary.seconds)
