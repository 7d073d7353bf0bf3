"""Names of state indices, and the entries in them of what a person decided about pairs."""

from collections.abc import Mapping
from typing import Any

Ids = tuple[str, str]

DISMISSAL, JOIN = "dismissal", "join"
SUFFIX = "-simhash"
# Entries of one page where all are read.
PAGE = 1000


def state_index_name(index: str) -> str:
    """Return the name of the state index of an index, alias or data stream."""
    return index.lstrip(".") + SUFFIX


def ids_of(entry: Mapping[str, Any]) -> Ids:
    """Return the ids of a stored pair."""
    return entry["ids"][0], entry["ids"][1]
