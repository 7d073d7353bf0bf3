"""Addresses of the explorer's pages, also as the links of a report."""

from urllib.parse import quote, urlencode

from es_simhash.maintenance.reports.figures import Part, ScoreRange, SizeRange
from es_simhash.maintenance.reports.page import ReportLinks
from es_simhash.relation.relation import DocumentContext

ROOT = "/explorer/"
_COPIES = "copies"


def _path(*parts: str) -> str | None:
    """Return the address of escaped parts; None where a browser would change it.

    A part of one or two dots leads out of its folder, however it is escaped.
    """
    if any(part in (".", "..") for part in parts):
        return None
    return ROOT + "/".join(quote(part, safe="") for part in parts)


def document_address(id: str) -> str | None:
    """Return the address of a document's page."""
    return _path("documents", id)


def compare_address(a: str, b: str) -> str | None:
    """Return the address of the comparison of two documents, the older one first."""
    return _path("compare", a, b)


def family_address(name: str) -> str | None:
    """Return the address of a family's page."""
    return _path("families", name)


def families_address(low: int, high: int | None = None) -> str:
    """Return the address of the families of some sizes."""
    sizes = {"from": low} if high is None else {"from": low, "to": high}
    return f"{ROOT}families/?{urlencode(sizes)}"


def page_address(path: str, page: int, **given: str | int | float | None) -> str:
    """Return the address of one page of a list.

    Args:
        path: Path of the list below that of the explorer.
        page: Its number, from 1.
        given: Further parameters; those that are None are left out.
    """
    chosen = {name.rstrip("_"): value for name, value in given.items() if value is not None}
    if page > 1:
        chosen["page"] = page
    return f"{ROOT}{path}" + (f"?{urlencode(chosen)}" if chosen else "")


class ExplorerLinks(ReportLinks):
    """Leads from the figures of a report to the explorer's pages."""

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the address of a document's page."""
        return document_address(id)

    def family(self, name: str) -> str | None:
        """Return the address of a family's page."""
        return family_address(name)

    def pair(self, a: str, b: str) -> str | None:
        """Return the address of a comparison."""
        return compare_address(a, b)

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
