"""Tables whose ids are never cut: a line may be longer than the terminal, which wraps it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.text.escaping import one_line

# Characters that a column keeps which gives way to others.
_LEAST_WIDTH = 16


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its heading.
        cells: One for each row: a value, which becomes one printable line, or a text with a style.
        is_number: Whether it is aligned to the right.
        shrinks: Whether it is cut where the terminal is narrow; no other is.
        may_lack: Whether it is left out when all cells are empty.
    """

    name: str
    cells: Sequence[object]
    is_number: bool = False
    shrinks: bool = False
    may_lack: bool = False

    @cached_property
    def texts(self) -> Sequence[Text]:
        """The cells as they are shown."""
        return [_text(cell) for cell in self.cells]

    @property
    def width(self) -> int:
        """Characters of its widest cell."""
        return max(cell_len(self.name), *(text.cell_len for text in self.texts))


def _text(cell: object) -> Text:
    if isinstance(cell, Text):
        return cell
    return Text("" if cell is None else one_line(str(cell)))


def print_columns(columns: Sequence[Column], console: Console, caption: str | None = None) -> None:
    """Print a table with one line for each row.

    An id is typed and copied, so that no column is cut but those that may shrink.
    """
    columns = [column for column in columns if not column.may_lack or any(column.texts)]
    borders = 3 * len(columns) + 1
    shrinking = [column for column in columns if column.shrinks]
    fixed = sum(column.width for column in columns if not column.shrinks)
    left = (console.width - borders - fixed) // max(1, len(shrinking))
    table = Table(caption=caption, caption_justify="left")
    total = borders
    for column in columns:
        width = min(column.width, max(left, _LEAST_WIDTH)) if column.shrinks else column.width
        total += width
        table.add_column(
            column.name,
            width=width,
            justify="right" if column.is_number else "left",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in zip(*(column.texts for column in columns), strict=True):
        table.add_row(*row)
    with _at_least(console, total):
        console.print(table)


@contextmanager
def _at_least(console: Console, width: int) -> Iterator[None]:
    """Give a console more columns than it has: the terminal wraps a line, and nothing is cut."""
    present = console.width
    console.width = max(present, width)
    try:
        yield
    finally:
        console.width = present
