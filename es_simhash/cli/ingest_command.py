"""`es-simhash ingest`: write documents with their fingerprints."""

import logging
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress as Bar

from es_simhash.bulk.conflicts import ON_CONFLICT, OnConflict
from es_simhash.bulk.outcome import Outcome
from es_simhash.bulk.sources import PATTERNS, open_sources
from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.on_version_options import on_version_of, on_version_options
from es_simhash.cli.options import (
    processes_option,
    quiet_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import format_option, print_json, undated_line
from es_simhash.cli.progress import (
    MAX_FAILURES_SHOWN,
    bytes_progress,
    print_failure,
    require_no_failures,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.deduplication.audit import default_audit
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.report import IngestReport
from es_simhash.ingestion.settings import IngestProgress, IngestSettings
from es_simhash.storage.config import IndexConfig
from es_simhash.text.escaping import file_name


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
@click.option("--rewrite", is_flag=True, help="Also write unchanged documents.")
@click.option(
    "--dead-letter",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="INDEX.dead-letter.jsonl in the working directory",
    help="JSONL file for documents that fail.",
)
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="a file in the user's cache directory",
    help="File for the checkpoints of the run.",
)
@on_version_options
@click.option(
    "--on-conflict",
    type=click.Choice(ON_CONFLICT),
    default=IngestSettings.on_conflict,
    show_default=True,
    help="Which of two documents of the run with one id and different texts is kept; `fail`: the "
    "first, and the other one fails.",
)
@format_option
@quiet_option
@connection_options
def ingest(
    index: str,
    paths: tuple[str, ...],
    text_field: str,
    simhash_field: str,
    id_field: str | None,
    vocabulary: str | None,
    patterns: tuple[str, ...],
    processes: int,
    rewrite: bool,
    dead_letter: Path | None,
    journal: Path | None,
    quiet: bool,
    on_conflict: OnConflict,
    output_format: str,
    **options: Any,
) -> None:
    """Write documents with their fingerprints into INDEX.

    PATH is a JSONL file; a text file; a folder of text files, whose ids are their paths in the
    folder; or - for JSONL from standard input. The member _routing of a line is the routing of its
    document; a line without one is written where the document of its id is.

    Unchanged documents are not written again. A run that was interrupted or killed resumes when it
    is started again (not from standard input). Documents that fail are written to the dead-letter
    file, and the exit status is then 1. Each document that was read counts once in the summary, as
    what became of it in the end.

    With --on-version, a document that is a version of an existing or an earlier one is skipped,
    flagged, linked, or replaces it. Each decision is recorded in the audit log, and `es-simhash
    undo` reverts it.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    sources = open_sources(paths, sys.stdin.buffer, patterns)
    failures_file = dead_letter or Path(f"{file_name(index)}.dead-letter.jsonl")
    progress = IngestProgress()
    rules, connection = on_version_of(options)
    with client_of(**connection) as client, bytes_progress("ingest", sources, quiet=quiet) as bar:

        def report(now: IngestProgress) -> None:
            progress.before = now.before
            bar.update(bar.task_ids[0], completed=now.done)

        outcomes = ingest_sources(
            client,
            index,
            sources,
            config=IndexConfig(
                text_field=text_field,
                simhash_field=simhash_field,
                id_field=id_field,
                vocabulary=vocabulary,
            ),
            on_version=rules,
            settings=IngestSettings(
                processes=processes,
                rewrite=rewrite,
                dead_letter=failures_file,
                journal=journal,
                on_progress=report,
                on_conflict=on_conflict,
            ),
        )
        is_json = output_format == "json"
        # Closed here, so that Ctrl-C ends the threads before the client.
        with closing(outcomes):  # type: ignore[type-var]
            total = _consume(outcomes, bar, progress, _print_json if is_json else _print_text)
        if rules is not None and not is_json:
            _print_versions(total, rules.audit or default_audit(index))
    require_no_failures(total.counts["failed"], failures_file)


def _consume(
    outcomes: Iterable[Outcome],
    bar: Bar,
    progress: IngestProgress,
    summarise: Callable[[IngestReport, IngestReport, float], None],
) -> IngestReport:
    """Return the report of the whole job; print the first failures and the summary."""
    report = IngestReport()
    started = time.monotonic()
    try:
        for number, outcome in enumerate(outcomes, 1):
            report.add(outcome)
            if not outcome.ok and report.counts["failed"] <= MAX_FAILURES_SHOWN:
                print_failure(bar, _failure(outcome))
            if number % 1000 == 0:
                bar.update(bar.task_ids[0], rate=number / (time.monotonic() - started))
    finally:
        summarise(report + progress.before, progress.before, time.monotonic() - started)
    return report + progress.before


def _failure(outcome: Outcome) -> str:
    name = f" (id {outcome.id})" if outcome.id is not None else ""
    return f"{outcome.place}{name}: {outcome.reason}"


def _print_json(total: IngestReport, before: IngestReport, seconds: float) -> None:
    """Print what became of all documents, of which an interrupted run did those before."""
    added = {"documents_before": before.documents, "seconds": round(seconds, 3)}
    print_json({**total.to_dict(), "undated": sorted(total.undated), **added})


def _print_text(total: IngestReport, before: IngestReport, seconds: float) -> None:
    """Print what became of all documents, in one line."""
    rate = (total.documents - before.documents) / seconds if seconds else 0
    resumed = f", {before.documents} by the interrupted run" if before.documents else ""
    click.echo(f"{total.summary} in {seconds:.1f} s ({rate:.0f} documents/s{resumed})")


def _print_versions(total: IngestReport, log: str | Path) -> None:
    stored = total.replaced_stored
    replaced = f", {stored} of the index replaced" if stored else ""
    click.echo(f"{total.versions} versions{replaced}; decisions in {log}.")
    if total.undated:
        click.echo(undated_line(tuple(sorted(total.undated))))
