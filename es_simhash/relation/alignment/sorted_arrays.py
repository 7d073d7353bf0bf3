"""Sets of numbers in sorted arrays, where numpy's own functions are slower."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, ranks_within
from es_simhash.text.tokens import Ints

_FILTER_BITS = np.uint64(0xFFFF)


def sorted_unique(values: Ints) -> Ints:
    """Return the distinct values, ascending; several times as fast as `np.unique` for integers."""
    ordered = np.sort(values)
    distinct = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=distinct[1:])
    return ordered[distinct]


def is_among(values: Ints | Uint64s, numbers: Ints | Uint64s) -> NDArray[np.bool_]:
    """Return which values are among numbers; several times as fast as `np.isin` for a few hundred.

    Args:
        values: In any order.
        numbers: In any order.
    """
    if not len(numbers):
        return np.zeros(len(values), bool)
    ordered = np.sort(numbers)
    places = np.minimum(ordered.searchsorted(values), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[places] == values
    return found


def first_places(values: Ints) -> tuple[Ints, Ints]:
    """Return the distinct values, ascending, and where each is first; faster than `np.unique`."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    distinct = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=distinct[1:])
    return ordered[distinct], order[distinct]


def found_in(numbers: Uint64s, values: Uint64s) -> tuple[Ints, Ints]:
    """Return which values are among numbers, and where among these.

    Args:
        numbers: Distinct, ascending.
        values: In any order; few of them are among the numbers.
    """
    if not len(numbers):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # Most are ruled out by their last bits, without a search.
    bits = np.zeros(1 << 16, bool)
    bits[(numbers & _FILTER_BITS).astype(np.int64)] = True
    may = np.flatnonzero(bits[(values & _FILTER_BITS).astype(np.int64)])
    places = np.minimum(numbers.searchsorted(values[may]), len(numbers) - 1)
    equal = numbers[places] == values[may]
    return may[equal], places[equal]


def shared_places(one: Uint64s, other: Uint64s) -> tuple[Ints, Ints]:
    """Return the places in two ascending arrays of the numbers that both have."""
    if len(one) > len(other):
        theirs, ours = shared_places(other, one)
        return ours, theirs
    if not len(one):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    places = np.minimum(other.searchsorted(one), len(other) - 1)
    ours = np.flatnonzero(other[places] == one)
    return ours, places[ours]


def products(one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of members of two lists of groups: its group, and its rank in either.

    Args:
        one: Size of each group of the first list.
        other: Size of each group of the second.
    """
    sizes = one * other
    group = np.repeat(np.arange(len(sizes)), sizes)
    first, second = np.divmod(ranks_within(sizes), other[group])
    return group, first, second
