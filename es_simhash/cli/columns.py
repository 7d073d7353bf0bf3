"""Tables that fit the terminal: the least important columns are left out, and no id is cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.text.escaping import one_line

# Cells that a column keeps which gives way to others, such as one of titles.
LEAST_WIDTH = 16


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its heading.
        cells: One for each row: a value, which becomes one printable line, or a text with a style.
        is_number: Whether it is aligned to the right.
        least: Width to which it is cut where the terminal is narrow; None for one that is never
            cut, such as one of ids.
        rank: Which columns are left out first where the terminal is narrow: those of the highest
            rank; 0 for one that never is.
        may_lack: Whether it is left out when all cells are empty.
    """

    name: str
    cells: Sequence[object]
    is_number: bool = False
    least: int | None = None
    rank: int = 0
    may_lack: bool = False

    @cached_property
    def texts(self) -> Sequence[Text]:
        """The cells as they are shown."""
        return [_text(cell) for cell in self.cells]

    @cached_property
    def width(self) -> int:
        """Cells of its widest text: letters of Chinese and the like take two, marks none."""
        return max(cell_len(self.name), *(text.cell_len for text in self.texts))

    @property
    def least_width(self) -> int:
        """The width to which it can be cut."""
        if self.least is None:
            return self.width
        return min(self.width, max(self.least, cell_len(self.name)))


def _text(cell: object) -> Text:
    if isinstance(cell, Text):
        return cell
    return Text("" if cell is None else one_line(str(cell)))


def print_columns(
    columns: Sequence[Column], console: Console, caption: str | None = None, *, together: int = 1
) -> None:
    """Print a table with one line for each row, as wide as the terminal at most.

    First columns are cut that may be, then those of the highest rank are left out. Where what must
    be shown is wider still, as two long ids are, each row becomes a block of lines, one for each
    column.

    Args:
        columns: The columns, each with as many cells.
        console: Where it is printed.
        caption: Line below it.
        together: Rows that belong together, with a line between them and the next.
    """
    columns = [column for column in columns if not column.may_lack or any(column.texts)]
    shown = _fitting(columns, console.width)
    if _least_width(shown) > console.width:
        _print_blocks(columns, console)
        return
    table = Table()
    for column, width in zip(shown, _widths(shown, console.width), strict=True):
        table.add_column(
            column.name,
            width=width,
            justify="right" if column.is_number else "left",
            no_wrap=True,
            overflow="ellipsis",
        )
    rows = list(zip(*(column.texts for column in shown), strict=True))
    for number, row in enumerate(rows, 1):
        table.add_row(*row, end_section=together > 1 and number % together == 0)
    console.print(table)
    if caption:
        console.print(Text(caption, "dim italic"))
    if left_out := [column.name for column in columns if column not in shown]:
        console.print(Text(f"Not shown at this width: {', '.join(left_out)}.", "dim"))


def _least_width(columns: Sequence[Column]) -> int:
    """Return the width of the narrowest table of columns, with its borders."""
    return sum(column.least_width + 3 for column in columns) + 1


def _fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns for which there is room, in their order."""
    shown = list(columns)
    while _least_width(shown) > width and any(column.rank for column in shown):
        # Among columns of equal rank the last one goes: the first ones matter more to the reader.
        _, place = max((column.rank, place) for place, column in enumerate(shown))
        del shown[place]
    return shown


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Return the widths of columns that fit: those that are cut share what is left."""
    widths = [column.least_width for column in columns]
    left = width - _least_width(columns)
    while left > 0:
        cut = [place for place, column in enumerate(columns) if widths[place] < column.width]
        if not cut:
            break
        for place in sorted(cut, key=lambda place: columns[place].rank)[:left]:
            widths[place] += 1
            left -= 1
    return widths


def _print_blocks(columns: Sequence[Column], console: Console) -> None:
    """Print each row as lines of a heading and a cell; the terminal wraps an id that is longer."""
    names = max(cell_len(column.name) for column in columns)
    for row in zip(*(column.texts for column in columns), strict=True):
        for column, cell in zip(columns, row, strict=True):
            if not cell:
                continue
            heading = column.name + " " * (names - cell_len(column.name))
            line = Text.assemble((heading, "dim"), "  ", cell)
            if column.least is not None:
                line.truncate(console.width, overflow="ellipsis")
            console.print(line, soft_wrap=True)
        console.print()
