"""Pages of lists: which part is asked for, and the address of the next one."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any
from urllib.parse import urlencode

from es_simhash.described import parameters
from es_simhash.service.operations import FamilyPage, MemberPage
from es_simhash.store.options import Recency, SearchOptions

# Search options that a query may choose.
SEARCH_OPTIONS = (
    *("size", "offset", "sort", "kinds", "min_score"),
    *("family", "collapse", "distinctive", "evidence"),
)
RECENCY_OPTIONS = ("field", "half_life", "weight")


def outside_names(options: type) -> Mapping[str, str]:
    """Return the names that the fields of an option class have in a query, by those in Python."""
    return {
        name: parameter.called.replace("-", "_") for name, parameter in parameters(options).items()
    }


def next_related(options: SearchOptions, offset: int) -> str:
    """Return the address of the next page of relations, relative to that of any page.

    Args:
        options: Options of this page.
        offset: Relations before the next page.
    """
    names = {name: outside_names(SearchOptions)[name] for name in SEARCH_OPTIONS}
    chosen = _chosen(replace(options, offset=offset), names, always=("size", "offset"))
    if options.recency is not None:
        of_recency = {name: outside_names(Recency)[name] for name in RECENCY_OPTIONS}
        chosen |= _chosen(options.recency, of_recency, always=("field",))
    return _address(chosen)


def next_members(page: MemberPage) -> str:
    """Return the address of the next page of members, relative to that of any page."""
    return _address({"size": page.size, "from": page.offset + page.size})


def next_families(page: FamilyPage, after: str) -> str:
    """Return the address of the next page of families, relative to that of any page.

    Args:
        page: This page.
        after: Name of its last family.
    """
    return _address({"size": page.size, "after": after})


def _chosen(options: Any, names: Mapping[str, str], always: tuple[str, ...]) -> dict[str, Any]:
    """Return the values that are not the defaults, by their names in a query."""
    defaults = {declared.name: declared.default for declared in fields(options)}
    return {
        outside: value
        for name, outside in names.items()
        if (value := getattr(options, name)) != defaults[name] or name in always
    }


def _address(chosen: Mapping[str, Any]) -> str:
    shown = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in chosen.items()
    }
    return f"?{urlencode(shown, doseq=True)}"
