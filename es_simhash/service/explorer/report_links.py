"""Addresses of the explorer's pages as the links of a report."""

from dataclasses import dataclass, field
from urllib.parse import urlencode

from es_simhash.maintenance.reports.figures import Part, ScoreRange, SizeRange
from es_simhash.maintenance.reports.page import ReportLinks
from es_simhash.relation.relation import DocumentContext
from es_simhash.service.explorer.addresses import ROOT, Addresses, families_address

_COPIES = "copies"


@dataclass(frozen=True)
class ExplorerLinks(ReportLinks):
    """Leads from the figures of a report to the explorer's pages.

    Attributes:
        addresses: Addresses of documents, families and comparisons.
    """

    addresses: Addresses = field(default_factory=Addresses)

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the address of a document's page."""
        return self.addresses.document(id)

    def family(self, name: str) -> str | None:
        """Return the address of a family's page."""
        return self.addresses.family(name)

    def pair(self, a: str, b: str) -> str | None:
        """Return the address of a comparison."""
        return self.addresses.compare(a, b)

    def part(self, part: Part) -> str | None:
        """Return the address of a list of documents, or of families."""
        return {
            "unique": families_address(1, 1),
            "copy": f"{ROOT}pairs?{urlencode({'kind': _COPIES})}",
            "none": f"{ROOT}ungrouped",
        }.get(part.style, families_address(2))

    def sizes(self, sizes: SizeRange) -> str | None:
        """Return the address of the families of these sizes."""
        return families_address(sizes.low, sizes.high)

    def scores(self, scores: ScoreRange) -> str | None:
        """Return the address of the pairs of these scores."""
        return f"{ROOT}pairs?{urlencode({'from': scores.low, 'to': scores.high})}"
