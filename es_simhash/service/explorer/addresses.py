"""Addresses of the explorer's pages."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

ROOT = "/explorer/"


@dataclass(frozen=True)
class Addresses:
    """Addresses of the pages of one thing, which know the list that the reader came from.

    Attributes:
        back: Address of the list; None without one.
    """

    back: str | None = None

    def document(self, id: str) -> str | None:
        """Return the address of a document's page."""
        return self._path("documents", id)

    def compare(self, a: str, b: str) -> str | None:
        """Return the address of the comparison of two documents, the older one first."""
        return self._path("compare", a, b)

    def family(self, name: str) -> str | None:
        """Return the address of a family's page."""
        return self._path("families", name)

    @property
    def query(self) -> str:
        """What ends each address: a query, or nothing."""
        return "" if self.back is None else f"?{urlencode({'back': self.back})}"

    def _path(self, *parts: str) -> str | None:
        """Return the address of escaped parts; None where a browser would change it.

        A part of one or two dots leads out of its folder, however it is escaped.
        """
        if any(part in (".", "..") for part in parts):
            return None
        return ROOT + "/".join(quote(part, safe="") for part in parts) + self.query


# The lists that a reader comes from, by the path below ROOT.
_LISTS = {
    "families/": "Families",
    "overview": "Overview",
    "pairs": "Pairs",
    "ungrouped": "Documents that are in no family",
}


def list_title(address: str) -> str | None:
    """Return what a list of the explorer is called; None for the address of none."""
    path, _, query = address.removeprefix(ROOT).partition("?")
    if path:
        return _LISTS.get(path)
    words = dict(parse_qsl(query)).get("q")
    return None if words is None else f"Documents for “{words}”"


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
