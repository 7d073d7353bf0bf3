"""Progress and failures of long runs on a terminal."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.input_sources import Source
from es_simhash.maintenance.backfills.backfill_job import BackfillReport
from es_simhash.text.escaping import one_line

# The file of a run has all its failures.
MAX_FAILURES_SHOWN = 10


@contextmanager
def documents_progress(name: str, *, quiet: bool) -> Iterator[Progress]:
    """Show the documents processed, documents per second and the time left, on a terminal."""
    with _progress(name, MofNCompleteColumn(), quiet=quiet) as progress:
        yield progress


@contextmanager
def bytes_progress(name: str, sources: Iterable[Source], *, quiet: bool) -> Iterator[Progress]:
    """Show the bytes read, documents per second and the time left, on a terminal."""
    with _progress(name, DownloadColumn(), quiet=quiet) as progress:
        if not progress.disable:
            sizes = [source.size() for source in sources]
            total = None if None in sizes else sum(size or 0 for size in sizes)
            progress.update(progress.task_ids[0], total=total)
        yield progress


@contextmanager
def pairs_progress(name: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows how many of how many pairs are done, and the time left, on a terminal."""
    with _progress(name, MofNCompleteColumn(), quiet=quiet, unit="pairs") as progress:

        def update(done: int, total: int) -> None:
            elapsed = progress.tasks[0].elapsed or 0.0
            rate = done / elapsed if elapsed else 0.0
            progress.update(progress.task_ids[0], completed=done, total=total, rate=rate)

        yield update


@contextmanager
def steps_progress(*, quiet: bool) -> Iterator[Callable[[str, int, int | None], None]]:
    """Yield what shows a run of several steps on a terminal: what is read, and how much of it."""
    console = Console(stderr=True)
    columns = (TextColumn("reading {task.description}"), BarColumn(), MofNCompleteColumn())
    disabled = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=disabled, transient=True) as progress:
        task = progress.add_task("documents", total=None)

        def update(step: str, done: int, total: int | None) -> None:
            progress.update(task, description=step, completed=done, total=total)

        yield update


@contextmanager
def _progress(
    name: str, counter: ProgressColumn, *, quiet: bool, unit: str = "documents"
) -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        counter,
        TextColumn(f"{{task.fields[rate]:.0f}} {unit}/s"),
        TimeRemainingColumn(),
    )
    disabled = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=disabled, transient=True) as progress:
        progress.add_task(name, total=None, rate=0.0)
        yield progress


def update_progress(progress: Progress, report: BackfillReport) -> None:
    """Show how far a run has come."""
    progress.update(
        progress.task_ids[0], total=report.total, completed=report.done, rate=report.rate
    )


def print_failure(progress: Progress, message: str) -> None:
    """Print why a document failed, above the progress bar."""
    progress.console.print(one_line(message), markup=False, highlight=False, soft_wrap=True)


def require_no_failures(failed: int, file: object) -> None:
    """Check that no document failed.

    Raises:
        EsSimhashError: Documents failed; the file has their reasons.
    """
    if failed:
        raise EsSimhashError(f"{failed} documents failed. See {file} for the reasons.")
