"""`es-simhash ingest`: write documents with their fingerprints."""

import logging
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from es_simhash.bulk.outcome import Outcome
from es_simhash.bulk.sources import PATTERNS, Source, open_sources
from es_simhash.cli.on_version_options import on_version_of, on_version_options
from es_simhash.cli.options import (
    client_of,
    connection_options,
    processes_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.semantic_options import vocabulary_option
from es_simhash.deduplication.audit import default_audit
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.settings import IngestProgress, IngestSettings
from es_simhash.storage.config import IndexConfig
from es_simhash.text.escaping import file_name, printable

# More failures are in the dead-letter file only.
SHOWN_FAILURES = 10


@click.command()
@click.argument("index")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@text_field_option
@simhash_field_option
@click.option(
    "--id-field", help="Field of the id; default: _id, else id, else a digest of the document."
)
@vocabulary_option
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    default=PATTERNS,
    show_default=True,
    help="Names of text files; may be repeated.",
)
@processes_option
@click.option("--rewrite", is_flag=True, help="Write documents too that are unchanged.")
@click.option(
    "--dead-letter",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL file that documents go to that fail; default: INDEX.dead-letter.jsonl here.",
)
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File that keeps how far the run has come; default: one in the user's cache.",
)
@on_version_options
@click.option("--quiet", is_flag=True, help="Show no progress, only failures and the summary.")
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

    PATH is a file of JSON objects, one a line; a text file, or a folder of them, whose ids are
    the paths below the folder; or - for JSON lines from standard input.

    Documents that the index has already are not written again. A run that was interrupted or
    killed goes on where it was when it is started again (not with standard input). What cannot
    be written goes to the dead-letter file, and the exit status is then 1.

    With --on-version, a document that is a version of one that INDEX has, or that came before it,
    is skipped, flagged, linked, or replaces it; each decision goes to the audit log, from which
    `es-simhash undo` takes it back.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    sources = open_sources(paths, sys.stdin.buffer, patterns)
    letters = dead_letter or Path(f"{file_name(index)}.dead-letter.jsonl")
    progress = IngestProgress()
    rules, connection = on_version_of(options)
    with client_of(**connection) as client, _bar(sources, quiet=quiet) as bar:

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
                dead_letter=letters,
                journal=journal,
                on_progress=report,
            ),
        )
        # Closed here, so that Ctrl-C ends the threads before the client.
        with closing(outcomes):  # type: ignore[type-var]
            counts = _consume(outcomes, bar)
        if rules is not None:
            log = rules.audit or default_audit(index)
            click.echo(f"{counts['version']} versions; {log} has what was decided.")
    _end(counts["failed"] + progress.failed_before, letters)


@contextmanager
def _bar(sources: list[Source], *, quiet: bool) -> Iterator[Bar]:
    """Show bytes done, documents a second and the time left, on a terminal."""
    console = Console(stderr=True)
    shown = console.is_terminal and not quiet
    columns = (
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[rate]:.0f} documents/s"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, disable=not shown, transient=True) as bar:
        sizes = [each.size() for each in sources] if shown else []
        total = None if None in sizes else sum(each or 0 for each in sizes)
        bar.add_task("ingest", total=total, rate=0.0)
        yield bar


def _consume(outcomes: Iterable[Outcome], bar: Bar) -> Counter[str]:
    """Count, show the first failures and the summary; give the counts."""
    counts: Counter[str] = Counter()
    started = time.monotonic()
    try:
        for number, outcome in enumerate(outcomes, 1):
            counts[outcome.status] += 1
            # What is written or skipped has a reason when it is a version.
            counts["version"] += outcome.status in ("written", "skipped") and bool(outcome.reason)
            if not outcome.ok and counts["failed"] <= SHOWN_FAILURES:
                bar.console.print(_failure(outcome), markup=False, highlight=False, soft_wrap=True)
            if number % 1000 == 0:
                bar.update(bar.task_ids[0], rate=number / (time.monotonic() - started))
    finally:
        click.echo(_summary(counts, time.monotonic() - started))
    return counts


def _failure(outcome: Outcome) -> str:
    name = f" (id {outcome.id})" if outcome.id is not None else ""
    return printable(f"{outcome.place}{name}: {outcome.reason}")


def _summary(counts: Counter[str], seconds: float) -> str:
    total = sum(counts.values()) - counts["version"]
    rate = total / seconds if seconds else 0
    skipped = f"{counts['skipped']} skipped, " if counts["skipped"] else ""
    return (
        f"{counts['written']} written, {counts['unchanged']} unchanged, {skipped}"
        f"{counts['failed']} failed "
        f"in {seconds:.1f} s ({rate:.0f} documents/s)"
    )


def _end(failed: int, letters: Path) -> None:
    if failed:
        raise EsSimhashError(
            f"{failed} documents could not be written; {letters} has each with its reason."
        )
