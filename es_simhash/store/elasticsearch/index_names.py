"""The names of the cluster, and which of them was probably meant by one that is none."""

import difflib
import itertools
from collections.abc import Collection

from es_simhash.errors import ClusterError, IndexMissing
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.state_entries import state_index_name

_NEAR = 0.7
_MOST_NAMES = 5
# Shorter names differ by a letter on purpose.
_LEAST_LETTERS = 4


def index_names(gateway: Gateway) -> list[str]:
    """Return indices, aliases and data streams; none where the privilege to list them is missing.

    Hidden ones, and those in which this package keeps its state, are left out.
    """
    try:
        found = gateway.once("GET", "/_resolve/index/*")
    except ClusterError:
        return []
    kinds = ("indices", "aliases", "data_streams")
    names = {entry["name"] for kind in kinds for entry in found.get(kind, ())}
    states = set(map(state_index_name, names))
    return sorted(name for name in names - states if not name.startswith("."))


def missing_index_error(gateway: Gateway, index: str, *, may_create: bool = False) -> IndexMissing:
    """Return the error that an index is missing, with the name that was probably meant.

    Args:
        gateway: Of the cluster.
        index: The name that is none.
        may_create: Whether whoever names it may want to create it.
    """
    names = index_names(gateway)
    create = f"reate it with `es-simhash install {index}`"
    # Another cluster may have been meant.
    missing = f"Index {index!r} does not exist at {gateway.address}."
    near = difflib.get_close_matches(index, names, 1, _NEAR)
    if near:
        missing = f"Index {index!r} does not exist."
        advice = f"Did you mean {near[0]!r}?" + (f" Else c{create}." if may_create else "")
    elif may_create or not names:
        advice = f"C{create}."
    else:
        left = len(names) - _MOST_NAMES
        more = f" and {left} more" if left > 0 else ""
        advice = f"Name one of {', '.join(names[:_MOST_NAMES])}{more}."
    return IndexMissing(f"{missing} {advice}")


def mistyped_for(index: str, names: Collection[str]) -> str | None:
    """Return the name from which a name differs by one letter; None where there is none.

    Names that differ by a digit are those of a series.
    """
    return next((name for name in names if _is_slip(index, name)), None)


def _is_slip(typed: str, name: str) -> bool:
    """Check whether one letter was added, left out, mistaken, or exchanged with the next."""
    if typed == name or min(len(typed), len(name)) < _LEAST_LETTERS:
        return False
    if len(typed) == len(name):
        places = [place for place, (a, b) in enumerate(zip(typed, name, strict=True)) if a != b]
        first, last = places[0], places[-1]
        swapped = last - first == 1 and typed[first : last + 1] == name[last:first:-1] + name[first]
        return (swapped or first == last) and (typed[first] + name[first]).isalpha()
    longer, shorter = sorted((typed, name), key=len, reverse=True)
    if len(longer) - len(shorter) > 1:
        return False
    pairs = itertools.zip_longest(longer, shorter)
    place = next(place for place, (a, b) in enumerate(pairs) if a != b)
    return longer[place].isalpha() and longer[:place] + longer[place + 1 :] == shorter
