"""The alignment of two sequences of units: equal ends, unique runs, and exact tables at last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from es_simhash.differences.anchors import (
    Block,
    Stretch,
    diagonals,
    heaviest_chain,
    merged,
    unique_runs,
)
from es_simhash.fingerprints.hashing import Uint64s, xxh64
from es_simhash.relation.interruption import require_wanted
from es_simhash.text.tokens import Ints

# Runs that anchor an alignment: units in a row that either side has once.
LONG_RUNS = (12, 6)
SHORT_RUNS = (3, 1)
# A table of so few cells is aligned exactly without anchors.
_FEW_CELLS = 1024
# Cells of the largest exact table: 32 MiB, some 16,000 units on either side.
_MOST_CELLS = 1 << 28
# Units on either side of each part of what is too large, and has no unique run.
_WINDOW = 2048
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Sequences:
    """The units of two texts as numbers.

    Attributes:
        a: Number of each unit of A.
        b: Number of each unit of B; equal units have equal numbers.
        a_hashes: The numbers of A, spread over 64 bits.
        b_hashes: The numbers of B, spread over 64 bits.
    """

    a: Ints
    b: Ints
    a_hashes: Uint64s
    b_hashes: Uint64s

    @classmethod
    def of(cls, a: Ints, b: Ints) -> "Sequences":
        """Return the sequences of these numbers."""
        return cls(a, b, _hashes(a), _hashes(b))

    @property
    def whole(self) -> Stretch:
        """Both, from end to end."""
        return Stretch(0, len(self.a), 0, len(self.b))

    def chosen(self, ours: Ints, theirs: Ints) -> "Sequences":
        """Return some units of either side."""
        return Sequences(self.a[ours], self.b[theirs], self.a_hashes[ours], self.b_hashes[theirs])


def _hashes(numbers: Ints) -> Uint64s:
    return xxh64(numbers.astype(np.uint64), 0)[0]


def anchored(sequences: Sequences, whole: Stretch, runs: Sequence[int]) -> list[Block]:
    """Return the blocks of an alignment that rests on equal ends and on unique runs, ascending.

    What is between two of them is aligned in the same way, where more runs are unique, until
    nothing is found any more.

    Args:
        sequences: The units.
        whole: The stretch that is aligned.
        runs: Lengths of the runs; shorter ones are tried where there is none of the longer.
    """
    blocks: list[Block] = []
    pending = [whole]
    while pending:
        stretch = _trimmed(sequences, pending.pop(), blocks)
        if not stretch.is_empty:
            chain = _chain(sequences, stretch, runs)
            blocks += chain
            pending += between(stretch, chain) if chain else []
    return merged(blocks)


def _trimmed(sequences: Sequences, stretch: Stretch, blocks: list[Block]) -> Stretch:
    """Return a stretch without its equal ends, which are added to the blocks."""
    a_start, a_end, b_start, b_end = stretch
    size = min(a_end - a_start, b_end - b_start)
    head = _equal(sequences.a[a_start : a_start + size], sequences.b[b_start : b_start + size])
    rest = size - head
    a, b = sequences.a[a_end - rest : a_end], sequences.b[b_end - rest : b_end]
    tail = _equal(a[::-1], b[::-1])
    if head:
        blocks.append(Block(a_start, b_start, head))
    if tail:
        blocks.append(Block(a_end - tail, b_end - tail, tail))
    return Stretch(a_start + head, a_end - tail, b_start + head, b_end - tail)


def _equal(a: Ints, b: Ints) -> int:
    """Return how many of the first numbers are equal."""
    different = a != b
    first = int(different.argmax()) if len(different) else 0
    return first if len(different) and different[first] else len(different)


def _chain(sequences: Sequences, stretch: Stretch, runs: Sequence[int]) -> list[Block]:
    a_start, a_end, b_start, b_end = stretch
    a = sequences.a_hashes[a_start:a_end]
    b = sequences.b_hashes[b_start:b_end]
    for length in runs if stretch.cells > _FEW_CELLS else ():
        if min(len(a), len(b)) < length:
            continue
        chain = heaviest_chain(unique_runs(a, b, length))
        if chain:
            return [Block(a_start + i, b_start + j, size) for i, j, size in chain]
    return []


def between(stretch: Stretch, blocks: Sequence[Block]) -> Iterator[Stretch]:
    """Yield what is before, between and after the blocks of a stretch; one side may be empty."""
    a, b = stretch.a_start, stretch.b_start
    for block in blocks:
        if (a, b) != (block.a, block.b):
            yield Stretch(a, block.a, b, block.b)
        a, b = block.a + block.size, block.b + block.size
    if (a, b) != (stretch.a_end, stretch.b_end):
        yield Stretch(a, stretch.a_end, b, stretch.b_end)


def aligned(sequences: Sequences) -> list[Block]:
    """Return the blocks of a longest alignment, ascending; of a good one where both are large.

    Units that only one side has are left out first, so that texts without a common word cost
    nothing.
    """
    ours, theirs = _common(sequences.a, sequences.b)
    if not len(ours) or not len(theirs):
        return []
    common = sequences.chosen(ours, theirs)
    exact = common.whole.cells <= _MOST_CELLS
    blocks = anchored(common, common.whole, () if exact else LONG_RUNS + SHORT_RUNS)
    pairs = [(a + n, b + n) for a, b, size in blocks for n in range(size)]
    for stretch in between(common.whole, blocks):
        require_wanted()
        pairs += _pairs(common, stretch)
    places, targets = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    return diagonals(ours[places], theirs[targets])


def _common(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Return the places in both sequences of the numbers that the other has as well."""
    size = int(max(a.max(initial=-1), b.max(initial=-1))) + 1
    in_a, in_b = np.zeros(size, bool), np.zeros(size, bool)
    in_a[a] = in_b[b] = True
    return np.flatnonzero(in_b[a]), np.flatnonzero(in_a[b])


def _pairs(sequences: Sequences, stretch: Stretch) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a stretch; one that is too large is aligned a window after the other."""
    while not stretch.is_empty:
        a_start, a_end, b_start, b_end = stretch
        if stretch.cells > _MOST_CELLS:
            a_end, b_end = min(a_end, a_start + _WINDOW), min(b_end, b_start + _WINDOW)
        pairs = longest_common_subsequence(sequences.a[a_start:a_end], sequences.b[b_start:b_end])
        last = (a_end, b_end) == (stretch.a_end, stretch.b_end)
        if not last and pairs:
            # What follows may be aligned better with what is behind the window.
            pairs = pairs[: -(-len(pairs) // 2)]
            a_end, b_end = a_start + pairs[-1][0] + 1, b_start + pairs[-1][1] + 1
        yield from ((a_start + i, b_start + j) for i, j in pairs)
        stretch = Stretch(a_end, stretch.a_end, b_end, stretch.b_end)


def longest_common_subsequence(a: Ints, b: Ints) -> Pairs:
    """Return the places of a longest common subsequence in both sequences, ascending.

    Each row of the table is one integer with a bit for each member of the longer sequence, so that
    a row costs a few operations on it (Hyyrö 2004, "Bit-parallel LCS-length computation
    revisited"). All rows are kept: len(a) * len(b) / 8 bytes.
    """
    ours, theirs = a.tolist(), b.tolist()
    head, tail = _equal_ends(ours, theirs)
    pairs = [(place, place) for place in range(head)]
    pairs += _inner(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail], head)
    pairs += [(len(ours) - place, len(theirs) - place) for place in range(tail, 0, -1)]
    return pairs


def _equal_ends(a: list[int], b: list[int]) -> tuple[int, int]:
    """Return how many of the first and of the last numbers are equal; none counts twice."""
    head, shorter = 0, min(len(a), len(b))
    while head < shorter and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < shorter - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, tail


def _inner(a: list[int], b: list[int], start: int) -> Pairs:
    """Return the places in what is between equal ends, moved on by where that starts."""
    if not a or not b:
        return []
    if len(a) > len(b):
        return [(i, j) for j, i in _inner(b, a, start)]
    return [(start + i, start + j) for i, j in _traced(_table(a, b), len(b))]


def _table(rows: list[int], columns: list[int]) -> list[int]:
    """Return for each row which columns do not lengthen the common subsequence."""
    places: dict[int, list[int]] = {number: [] for number in rows}
    for column, number in enumerate(columns):
        if number in places:
            places[number].append(column)
    masks = {number: _bits(held, len(columns)) for number, held in places.items()}
    everything = (1 << len(columns)) - 1
    state, table = everything, []
    for number in rows:
        matching = state & masks[number]
        if matching:
            state = ((state + matching) | (state - matching)) & everything
        table.append(state)
    return table


def _bits(places: list[int], width: int) -> int:
    packed = bytearray((width + 7) >> 3)
    for place in places:
        packed[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(packed, "little")


def _traced(table: list[int], columns: int) -> Pairs:
    # A bit of a long integer costs as much as all above it; one of its bytes costs nothing.
    width = (columns + 7) >> 3
    pairs: Pairs = []
    row, column = len(table), columns
    state = table[-1].to_bytes(width, "little")
    while row and column:
        place = column - 1
        if state[place >> 3] >> (place & 7) & 1:
            column -= 1
            continue
        row -= 1
        state = table[row - 1].to_bytes(width, "little") if row else b"\xff" * width
        if state[place >> 3] >> (place & 7) & 1:
            column -= 1
            pairs.append((row, column))
    pairs.reverse()
    return pairs
