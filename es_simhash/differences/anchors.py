"""Anchors: runs that two sequences have exactly once each, and the heaviest chain of them."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.text.tokens import Ints


class Block(NamedTuple):
    """Units of A that go with as many units of B: `size` from `a` on, and from `b` on."""

    a: int
    b: int
    size: int


class Stretch(NamedTuple):
    """A stretch of A and one of B, in units; ends are exclusive."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int

    @property
    def is_empty(self) -> bool:
        """True when one side has no unit."""
        return self.a_start == self.a_end or self.b_start == self.b_end

    @property
    def cells(self) -> int:
        """Size of the table of an exact alignment."""
        return (self.a_end - self.a_start) * (self.b_end - self.b_start)


class Moved(NamedTuple):
    """A moved block: where it was and where it is, and the blocks of its alignment."""

    at: Stretch
    blocks: tuple[Block, ...]


def unique_runs(a: Uint64s, b: Uint64s, length: int) -> list[Block]:
    """Return the places of runs of equal numbers that either sequence has once, in the order of A.

    A run is represented by the number in its middle, so that no two blocks overlap in either
    sequence; neighbours on one diagonal are one block.

    Args:
        a: Hash of each unit of A.
        b: Hash of each unit of B.
        length: Length of the runs.
    """
    ours, our_places = _once(fold(a, length))
    theirs, their_places = _once(fold(b, length))
    _, in_a, in_b = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    places, targets = our_places[in_a], their_places[in_b]
    # Two runs of one hash are not equal for certain.
    equal = np.ones(len(places), bool)
    for offset in range(length):
        equal &= a[places + offset] == b[targets + offset]
    return diagonals(places[equal] + length // 2, targets[equal] + length // 2)


def diagonals(places: Ints, targets: Ints) -> list[Block]:
    """Return pairs of units as blocks of neighbours in both sequences, in the order of A."""
    order = np.argsort(places, kind="stable")
    places, targets = places[order], targets[order]
    begins = np.ones(len(places), bool)
    begins[1:] = (np.diff(places) != 1) | (np.diff(targets) != 1)
    first = np.flatnonzero(begins)
    sizes = np.diff(np.concatenate([first, [len(places)]]))
    return [
        Block(*block)
        for block in zip(
            places[first].tolist(), targets[first].tolist(), sizes.tolist(), strict=True
        )
    ]


def merged(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks, ascending, with those as one that follow each other in both texts."""
    joined: list[Block] = []
    for block in sorted(blocks):
        last = joined[-1] if joined else None
        if last and (last.a + last.size, last.b + last.size) == block[:2]:
            joined[-1] = Block(last.a, last.b, last.size + block.size)
        else:
            joined.append(block)
    return joined


def _once(numbers: Uint64s) -> tuple[Uint64s, Ints]:
    """Return the numbers that occur once, ascending, and their places."""
    order = np.argsort(numbers)
    ordered = numbers[order]
    differs = np.ones(len(ordered) + 1, bool)
    differs[1:-1] = ordered[1:] != ordered[:-1]
    once = differs[1:] & differs[:-1]
    return ordered[once], order[once]


def heaviest_chain(blocks: Sequence[Block]) -> list[Block]:
    """Return those blocks that are in the same order in both sequences and have most units.

    Args:
        blocks: In the order of A; none overlaps another in either sequence.
    """
    # Ends in B of the best chains so far, ascending, with their weights, ascending as well.
    ends: list[int] = []
    weights: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for number, block in enumerate(blocks):
        place = bisect_left(ends, block.b + 1)
        before.append(lasts[place - 1] if place else -1)
        weight = block.size + (weights[place - 1] if place else 0)
        end = block.b + block.size
        place = after = bisect_left(ends, end)
        if place and weights[place - 1] >= weight:
            continue
        while after < len(ends) and weights[after] <= weight:
            after += 1
        ends[place:after], weights[place:after], lasts[place:after] = [end], [weight], [number]
    chain, number = [], lasts[-1] if lasts else -1
    while number >= 0:
        chain.append(blocks[number])
        number = before[number]
    return chain[::-1]
