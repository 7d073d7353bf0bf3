"""`es-simhash ingest`: write documents with their fingerprints."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress as Bar

from es_simhash.cli.on_version_options import on_version_of, on_version_options
from es_simhash.cli.options import (
    client_of,
    connection_options,
    described_options,
    format_option,
    index_config,
    note_overrides,
    options_of,
    processes_option,
    quiet_option,
    simhash_field_option,
    text_field_option,
    vocabulary_option,
)
from es_simhash.cli.output import print_json, undated_line
from es_simhash.cli.progress import (
    MAX_FAILURES_SHOWN,
    bytes_progress,
    print_failure,
    require_no_failures,
)
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.input_sources import PATTERNS, open_sources
from es_simhash.ingestion.bulk.outcomes import IngestReport, Outcome
from es_simhash.ingestion.deduplication.audit_log import default_audit
from es_simhash.ingestion.deduplication.audit_runs import new_run
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestProgress, IngestSettings
from es_simhash.text.escaping import file_name


@dataclass
class IngestSummary:
    """What a run did, printed however it ends.

    Attributes:
        output_format: `table` or `json`.
        audit: Audit log; None when no versions are looked for.
        run: Id of the run in it.
        progress: Of the run; it has what an interrupted run did.
        report: What became of the documents that this one read.
        started: When the run began.
    """

    output_format: str
    audit: str | None = None
    run: str | None = None
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

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a document."""
        self.report.add(outcome)

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

    def _print(self) -> None:
        if self.output_format == "json":
            self._print_json()
            return
        click.echo(self._line())
        if self.audit is not None:
            self._print_versions(self.audit)

    def _print_json(self) -> None:
        total = self.total
        print_json(
            {
                **total.to_dict(),
                "versions": None if self.audit is None else total.versions,
                "undated": sorted(total.undated),
                "documents_before": self.progress.before.documents,
                "seconds": round(self.seconds, 3),
                "audit": self.audit,
                "run": self.run,
            }
        )

    def _line(self) -> str:
        before = self.progress.before.documents
        rate = self.report.documents / self.seconds
        resumed = f", {before} by the interrupted run" if before else ""
        return f"{self.total.summary} in {self.seconds:.1f} s ({rate:.0f} documents/s{resumed})"

    def _print_versions(self, audit: str) -> None:
        total = self.total
        stored = total.replaced_stored
        replaced = f", {stored} of the index replaced" if stored else ""
        click.echo(f"{total.versions} versions{replaced}; decisions in {audit} (run {self.run}).")
        if total.undated:
            click.echo(undated_line(tuple(sorted(total.undated))))


@click.command()
@click.argument("index")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@text_field_option
@simhash_field_option
@click.option(
    "--id-field",
    show_default="_id, else id, else a hash of the document",
    help="Field of the document id.",
)
@vocabulary_option
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    default=PATTERNS,
    show_default=True,
    help="Glob pattern of the text files of a folder; repeatable.",
)
@processes_option
@on_version_options
@described_options(
    IngestSettings,
    only=("rewrite", "dead_letter", "journal", "fresh", "on_conflict"),
    dead_letter={"show_default": "INDEX.dead-letter.jsonl in the working directory"},
)
@format_option
@quiet_option
@connection_options
def ingest(
    index: str,
    paths: tuple[str, ...],
    text_field: str | None,
    simhash_field: str,
    id_field: str | None,
    vocabulary: str | None,
    patterns: tuple[str, ...],
    processes: int,
    quiet: bool,
    output_format: str,
    **values: Any,
) -> None:
    """Write documents with their fingerprints into INDEX.

    PATH is a JSONL file; a text file; a folder of text files, whose ids are their paths in the
    folder; or - for JSONL from standard input. The member _routing of a line is the routing of its
    document; a line without one is written where the document of its id is.

    Unchanged documents are not written again. A run that was interrupted or killed resumes when it
    is started again (not from standard input), if what it read has not changed; --fresh begins at
    the start. Documents that fail are written to the dead-letter file, and the exit status is then
    1. Each document that was read counts once in the summary, as what became of it in the end.

    With --on-version, a document that is a version of an existing or an earlier one is skipped,
    flagged, linked, or replaces it. Each decision is recorded in the audit log under the id of the
    run, which is printed at the end, and `es-simhash undo` reverts it.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    sources = open_sources(paths, sys.stdin.buffer, patterns)
    rules = on_version_of(values)
    failures_file = values.pop("dead_letter") or Path(f"{file_name(index)}.dead-letter.jsonl")
    summary = IngestSummary(output_format)
    if rules is not None:
        summary.audit, summary.run = str(rules.audit or default_audit(index)), new_run()
    config = replace(index_config(text_field, simhash_field, vocabulary), id_field=id_field)
    settings = options_of(
        IngestSettings, values, processes=processes, dead_letter=failures_file, run=summary.run
    )
    with client_of(**values) as client, bytes_progress("ingest", sources, quiet=quiet) as bar:
        note_overrides(client, index, config)

        def report(now: IngestProgress) -> None:
            summary.progress = now
            bar.update(bar.task_ids[0], completed=now.done)

        outcomes = ingest_sources(
            client,
            index,
            sources,
            config=config,
            on_version=rules,
            settings=replace(settings, on_progress=report),
        )
        # Closed here, so that Ctrl-C ends the threads before the client.
        with summary.printed(), closing(outcomes):  # type: ignore[type-var]
            _consume(outcomes, summary, bar)
    require_no_failures(summary.total.counts["failed"], failures_file)


def _consume(outcomes: Iterable[Outcome], summary: IngestSummary, bar: Bar) -> None:
    """Count the outcomes, and print the first failures."""
    failures = 0
    for number, outcome in enumerate(outcomes, 1):
        summary.add(outcome)
        failures += not outcome.ok
        if not outcome.ok and failures <= MAX_FAILURES_SHOWN:
            print_failure(bar, _failure(outcome))
        if number % 1000 == 0:
            bar.update(bar.task_ids[0], rate=number / summary.seconds)


def _failure(outcome: Outcome) -> str:
    name = f" (id {outcome.id})" if outcome.id is not None else ""
    return f"{outcome.place}{name}: {outcome.reason}"
