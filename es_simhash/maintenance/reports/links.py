"""Where the figures of a report lead to."""

from typing import Protocol

from es_simhash.maintenance.reports.charts import Part, ScoreRange, SizeRange
from es_simhash.relation.model import DocumentContext


class ReportLinks(Protocol):
    """Addresses of what is behind a figure; each may be None, for no link."""

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the address of a document."""

    def family(self, name: str) -> str | None:
        """Return the address of a family."""

    def pair(self, a: str, b: str) -> str | None:
        """Return the address of the comparison of two documents."""

    def part(self, part: Part) -> str | None:
        """Return the address of the documents of a part of all documents."""

    def sizes(self, sizes: SizeRange) -> str | None:
        """Return the address of the families of some sizes."""

    def scores(self, scores: ScoreRange) -> str | None:
        """Return the address of the pairs of some scores."""


class MailedLinks:
    """Links of a report that is read without a server: to the web pages of its documents alone."""

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the document's own address, if it is one of the web."""
        link = context.link or ""
        return link if link.startswith(("https://", "http://")) else None

    def family(self, name: str) -> None:
        """Return no address."""

    def pair(self, a: str, b: str) -> None:
        """Return no address."""

    def part(self, part: Part) -> None:
        """Return no address."""

    def sizes(self, sizes: SizeRange) -> None:
        """Return no address."""

    def scores(self, scores: ScoreRange) -> None:
        """Return no address."""
