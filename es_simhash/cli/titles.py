"""Titles, dates and ids of documents, as tables and sentences show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from es_simhash.cli.columns import Column
from es_simhash.relation.relation import DocumentContext
from es_simhash.text.escaping import one_line

# Cells of a title in a line that is no table, and to which a column of titles is cut.
_MAX_TITLE, _LEAST_TITLE = 60, 12
# Titles are left out of a table before what makes it one, dates before titles.
_TITLE_RANK, _DATE_RANK = 1, 2


@dataclass(frozen=True)
class Titles:
    """What an index says of documents, by their ids; nothing of those that are not in it.

    Attributes:
        documents: The documents.
    """

    documents: Mapping[str, DocumentContext] = field(default_factory=dict)

    def named(self, id: str, cells: int | None = None) -> str:
        """Return a document in a line: its title and date, and its id in brackets.

        Args:
            id: Its id.
            cells: Cells of the line, for which the title is cut; None for any number.
        """
        return named(id, self.documents.get(id), cells)

    def by_id(self) -> dict[str, str | None]:
        """Return the titles alone."""
        return {id: document.title for id, document in self.documents.items()}

    def columns(self, ids: Sequence[str | None]) -> list[Column]:
        """Return the columns of titles and dates of documents, where there are any."""
        known = [self.documents.get(id or "", DocumentContext()) for id in ids]
        return title_columns([each.title for each in known], [each.date for each in known])


def named(id: str, document: DocumentContext | None, cells: int | None = None) -> str:
    """Return a document in a line, as `Titles.named` does."""
    if document is None or not (document.title or document.date):
        return one_line(id)
    rest = f", {document.date}" if document.title and document.date else document.date or ""
    rest += f" ({one_line(id)})"
    room = _MAX_TITLE if cells is None else min(_MAX_TITLE, cells - cell_len(rest))
    return _shortened(document.title or "", max(room, _LEAST_TITLE)) + rest


def _shortened(title: str, cells: int) -> str:
    """Return a title that is cut at its end, as its beginning is what a person knows it by."""
    line = Text(one_line(title))
    line.truncate(cells, overflow="ellipsis")
    return str(line)


def title_columns(titles: Sequence[str | None], dates: Sequence[str | None]) -> list[Column]:
    """Return a column of titles and one of dates, a cell for each row."""
    return [
        Column("title", titles, least=_LEAST_TITLE, rank=_TITLE_RANK, may_lack=True),
        Column("date", dates, rank=_DATE_RANK, may_lack=True),
    ]
