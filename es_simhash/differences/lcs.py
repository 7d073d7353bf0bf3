"""The longest common subsequence of two sequences of numbers, exactly, in bits of integers."""

from es_simhash.text.segmentation import Ints

Pairs = list[tuple[int, int]]


def longest_common_subsequence(a: Ints, b: Ints) -> Pairs:
    """Return the places of a longest common subsequence in both sequences, ascending.

    Each row of the table is one integer with a bit for each member of the longer sequence, so that
    a row costs a few operations on it (Hyyrö 2004, "Bit-parallel LCS-length computation
    revisited"). All rows are kept: len(a) * len(b) / 8 bytes.
    """
    if len(a) > len(b):
        return [(i, j) for j, i in longest_common_subsequence(b, a)]
    rows, columns = a.tolist(), b.tolist()
    return _traced(_table(rows, columns), len(columns))


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
