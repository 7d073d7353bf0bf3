"""Progress and failures of long runs: a bar on a terminal, elsewhere a line a minute."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.document_batches import Source
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line

# Imported when a bar is shown: help of a command needs none.
if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

# The file of a run has all its failures.
MAX_FAILURES_SHOWN = 10
# Seconds between two lines of a run whose output is no terminal, as under cron.
_LINE_SECONDS = 60.0


class ProgressBar:
    """Shows how much of what is done, how fast, and on a terminal the time left.

    Args:
        progress: Where it is shown.
        lines: Whether lines are printed, as there is no terminal.
    """

    def __init__(self, progress: "Progress", *, lines: bool = False) -> None:
        self._progress = progress
        self._lines = lines
        self._next_line = monotonic() + _LINE_SECONDS
        self._task = progress.add_task("documents", total=None, rate=0.0)
        self._failures = 0

    @property
    def is_hidden(self) -> bool:
        """Whether nothing is shown."""
        return self._progress.disable

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show how much is done.

        Args:
            what: What is counted; the time begins anew with another.
            done: How much of it is done.
            total: How much there is; None where that is not known.
        """
        task = self._progress.tasks[0]
        if what != task.description:
            self._progress.reset(self._task, description=what)
        elapsed = task.elapsed or 0.0
        rate = done / elapsed if elapsed else 0.0
        self.show(done=done, total=total, rate=rate)
        self.print_line(what, done, total, rate)

    def print_line(self, what: str, done: int, total: int | None, rate: float) -> None:
        """Print how much is done, where there is no terminal, a minute after the last line."""
        if self._lines and monotonic() >= self._next_line:
            self._next_line = monotonic() + _LINE_SECONDS
            of = "" if total is None else f" of {total:,}"
            line = f"{what}: {done:,}{of}, {rate:,.0f}/s"
            self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, **values: float | None) -> None:
        """Show other values: `done`, `total` or `rate`."""
        if "done" in values:
            values["completed"] = values.pop("done")
        self._progress.update(self._task, **values)  # type: ignore[arg-type]

    def print_failure(self, message: str) -> None:
        """Print why a document failed, above the bar; of many, the first."""
        self._failures += 1
        if self._failures <= MAX_FAILURES_SHOWN:
            self._progress.console.print(
                one_line(message), markup=False, highlight=False, soft_wrap=True
            )

    def close(self) -> None:
        """Remove the bar before the summary is printed."""
        self._progress.stop()


@contextmanager
def progress_bar(
    *, quiet: bool = False, counter: "ProgressColumn | None" = None
) -> Iterator[ProgressBar]:
    """Show the progress of a run: on a terminal a bar, elsewhere a line a minute.

    Args:
        quiet: Whether nothing is shown.
        counter: Shows how much of how much is done; None for numbers.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        BarColumn(),
        counter or MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.fields[rate]:.0f}/s"),
        TimeRemainingColumn(),
    )
    disabled = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=disabled, transient=True) as progress:
        yield ProgressBar(progress, lines=not quiet and not console.is_terminal)


@contextmanager
def bytes_progress(sources: Iterable[Source], *, quiet: bool) -> Iterator[ProgressBar]:
    """Show the documents per second, and on a terminal the bytes of sources that are read."""
    from rich.progress import DownloadColumn

    with progress_bar(quiet=quiet, counter=DownloadColumn()) as bar:
        if not bar.is_hidden:
            sizes = [source.size() for source in sources]
            bar.show(total=None if None in sizes else sum(size or 0 for size in sizes))
        yield bar


def log_warnings() -> None:
    """Print the warnings of a long run, but not those of the client, which it retries."""
    # By the handler: a logger below may have a lower level, for others to count its records.
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    logging.basicConfig(format="%(message)s", level=logging.WARNING, handlers=[handler])
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)


def require_no_failures(failed: int, file: object) -> None:
    """Check that no document failed.

    Raises:
        EsSimhashError: Documents failed; the file has their reasons.
    """
    if failed:
        raise EsSimhashError(f"{counted(failed, 'document')} failed. See {file} for the reasons.")
