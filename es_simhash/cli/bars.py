"""Progress of long work on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from es_simhash.backfills.report import BackfillReport


@contextmanager
def documents_bar(name: str, *, quiet: bool) -> Iterator[Bar]:
    """Show documents done, documents a second and the time left, on a terminal."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.0f} documents/s"),
        TimeRemainingColumn(),
    )
    shown = console.is_terminal and not quiet
    with Bar(*columns, console=console, disable=not shown, transient=True) as bar:
        bar.add_task(name, total=None, rate=0.0)
        yield bar


def show_report(bar: Bar, told: BackfillReport) -> None:
    """Show how far a run has come."""
    bar.update(bar.task_ids[0], total=told.total, completed=told.done, rate=told.rate)
