"""Tables of figures in the pages: a marker before a table names the figures of all its cells.

Below `<!-- figures: evaluate/held-out -->`, the cell of the row `lcs` and the column `BBC news` is
the figure `evaluate/held-out/lcs/bbc-news`. Cells without a number are none. A table below
`<!-- table: evaluate/costs -->` is written by its benchmark, and not compared: its figures differ
from run to run.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MARKED = re.compile(
    r"^<!-- (?P<kind>figures|table): *(?P<name>\S+) *-->\n\n?(?P<table>(?:\|.*\n)+)", re.M
)
_NUMBER = re.compile(r"([\d,]*\d(?:\.\d+)?)( ?%)?")


@dataclass(frozen=True)
class Cell:
    """A figure in a table.

    Attributes:
        line: Number of its line in the page.
        name: Of the figure.
        shown: The number, as it is written.
        is_percent: Whether a percent sign is behind it.
    """

    line: int
    name: str
    shown: str
    is_percent: bool


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading; it is also the name of a row or a column."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]*>|[`*]", "", text).strip().lower()
    kept = (c for c in text if c in " -_" or unicodedata.category(c)[0] in "LNM")
    return "".join(kept).replace(" ", "-")


def table_cells(page: str) -> Iterator[Cell]:
    """Yield the figures of all tables of figures in a page."""
    for match in _figures(page):
        first = page.count("\n", 0, match.start("table")) + 1
        columns, _, *rows = map(_cells, match["table"].splitlines())
        for line, (name, *cells) in enumerate(rows, first + 2):
            for column, cell in zip(columns[1:], cells, strict=True):
                number = _NUMBER.search(cell)
                if number:
                    figure = f"{match['name']}/{slug(name)}/{slug(column)}"
                    yield Cell(line, figure, number[1], bool(number[2]))


def tables_of(page: str) -> set[str]:
    """Return the names of the tables of figures in a page."""
    return {match["name"] for match in _figures(page)}


def _figures(page: str) -> Iterator[re.Match[str]]:
    return (match for match in _MARKED.finditer(page) if match["kind"] == "figures")


def with_table(page: str, name: str, lines: Iterable[str]) -> str:
    """Return a page with other lines in a marked table.

    Raises:
        ValueError: The page has no such table.
    """
    if name not in {match["name"] for match in _MARKED.finditer(page)}:
        raise ValueError(f"No table is marked with <!-- figures: {name} -->. Add the marker.")
    table = "".join(f"{line}\n" for line in lines)

    def replaced(match: re.Match[str]) -> str:
        start = match.start("table") - match.start()
        return match[0][:start] + table if match["name"] == name else match[0]

    return _MARKED.sub(replaced, page)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
