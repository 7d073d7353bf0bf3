"""Schemes of methods that an index has in addition to its own: their names and their fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.store.fields import SCHEME, SCHEMES


@dataclass(frozen=True, order=True)
class AddedScheme:
    """A scheme of a method, as an index names it.

    Attributes:
        method: Name of the method, and of its object under `schemes`.
        name: Published name of the scheme.
    """

    method: str
    name: str

    def member(self, name: str) -> str:
        """Return the path of a field of the scheme within the `simhash` object."""
        return f"{SCHEMES}.{self.method}.{name}"


def added_schemes(entry: Mapping[str, Any] | None) -> tuple[AddedScheme, ...]:
    """Return the schemes that an entry of `_meta` names; none without one."""
    stored: Mapping[str, str] = (entry or {}).get(SCHEMES, {})
    return tuple(sorted(AddedScheme(method, name) for method, name in stored.items()))


def schemes_meta(schemes: Iterable[AddedScheme]) -> dict[str, str]:
    """Return schemes as an entry of `_meta` has them."""
    return {scheme.method: scheme.name for scheme in sorted(schemes)}


def scheme_fields(schemes: Iterable[AddedScheme]) -> dict[str, str]:
    """Return the names of schemes by the member of the `simhash` object that says them."""
    return {scheme.member(SCHEME): scheme.name for scheme in schemes}
