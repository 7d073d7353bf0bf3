"""Titles, dates and ids of documents, as tables and sentences show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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

    def named(self, id: str) -> str:
        """Return a document in a line: its title and date, and its id in brackets."""
        return named(id, self.documents.get(id))

    def columns(self, ids: Sequence[str | None]) -> list[Column]:
        """Return the columns of titles and dates of documents, where there are any."""
        known = [self.documents.get(id or "", DocumentContext()) for id in ids]
        return title_columns([each.title for each in known], [each.date for each in known])


def named(id: str, document: DocumentContext | None) -> str:
    """Return a document in a line: its title and date, and its id in brackets."""
    if document is None or not (document.title or document.date):
        return one_line(id)
    parts = [_shortened(document.title or ""), document.date or ""]
    return f"{', '.join(part for part in parts if part)} ({one_line(id)})"


def _shortened(title: str) -> str:
    """Return a title that is cut at its end, as its beginning is what a person knows it by."""
    line = one_line(title)
    return line if len(line) <= _MAX_TITLE else f"{line[: _MAX_TITLE - 1].rstrip()}…"


def title_columns(titles: Sequence[str | None], dates: Sequence[str | None]) -> list[Column]:
    """Return a column of titles and one of dates, a cell for each row."""
    return [
        Column("title", titles, least=_LEAST_TITLE, rank=_TITLE_RANK, may_lack=True),
        Column("date", dates, rank=_DATE_RANK, may_lack=True),
    ]
