"""`es-simhash ingest`: write documents with their fingerprints."""

import logging
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress as Bar

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
from es_simhash.cli.output import undated_line
from es_simhash.cli.progress import (
    MAX_FAILURES_SHOWN,
    bytes_progress,
    print_failure,
    require_no_failures,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.deduplication.audit import default_audit
from es_simhash.ingestion.ingest import ingest_sources
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
    **options: Any,
) -> None:
    """Write documents with their fingerprints into INDEX.

    PATH is a JSONL file; a text file; a folder of text files, whose ids are their paths in the
    folder; or - for JSONL from standard input.

    Unchanged documents are not written again. A run that was interrupted or killed resumes when it
    is started again (not from standard input). Documents that fail are written to the dead-letter
    file, and the exit status is then 1.

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
            progress.failed_before = now.failed_before
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
            ),
        )
        # Closed here, so that Ctrl-C ends the threads before the client.
        undated: set[str] = set()
        with closing(outcomes):  # type: ignore[type-var]
            counts = _consume(outcomes, bar, undated)
        if rules is not None:
            log = rules.audit or default_audit(index)
            click.echo(f"{counts['version']} versions; decisions in {log}.")
            if undated:
                click.echo(undated_line(tuple(sorted(undated))))
    require_no_failures(counts["failed"] + progress.failed_before, failures_file)


def _consume(outcomes: Iterable[Outcome], bar: Bar, undated: set[str]) -> Counter[str]:
    """Return the counts of the outcomes; print the first failures and the summary.

    Args:
        outcomes: Of the run.
        bar: Shows its progress.
        undated: Gets the ids of documents without a date.
    """
    counts: Counter[str] = Counter()
    started = time.monotonic()
    try:
        for number, outcome in enumerate(outcomes, 1):
            counts[outcome.status] += 1
            undated.update(outcome.undated)
            # A document that is written or skipped has a reason only if it is a version.
            counts["version"] += outcome.status in ("written", "skipped") and bool(outcome.reason)
            if not outcome.ok and counts["failed"] <= MAX_FAILURES_SHOWN:
                print_failure(bar, _failure(outcome))
            if number % 1000 == 0:
                bar.update(bar.task_ids[0], rate=number / (time.monotonic() - started))
    finally:
        click.echo(_summary(counts, time.monotonic() - started))
    return counts


def _failure(outcome: Outcome) -> str:
    name = f" (id {outcome.id})" if outcome.id is not None else ""
    return f"{outcome.place}{name}: {outcome.reason}"


def _summary(counts: Counter[str], seconds: float) -> str:
    total = sum(counts.values()) - counts["version"]
    rate = total / seconds if seconds else 0
    skipped = f"{counts['skipped']} skipped, " if counts["skipped"] else ""
    return (
        f"{counts['written']} written, {counts['unchanged']} unchanged, {skipped}"
        f"{counts['failed']} failed "
        f"in {seconds:.1f} s ({rate:.0f} documents/s)"
    )
