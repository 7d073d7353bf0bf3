"""The longest common subsequence of two sequences of numbers, exactly, in bits of integers."""

from es_simhash.text.segmentation import Ints

Pairs = list[tuple[int, int]]


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
    masks = {number: _bits(found, len(columns)) for number, found in places.items()}
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
    pairs: Pairs = []
    row, column = len(table), columns
    while row and column:
        if table[row - 1] >> (column - 1) & 1:
            column -= 1
            continue
        row -= 1
        if not row or table[row - 1] >> (column - 1) & 1:
            column -= 1
            pairs.append((row, column))
    pairs.reverse()
    return pairs
