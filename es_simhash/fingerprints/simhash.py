"""Simhash over groups of features, and Hamming distances.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002); bit i of the
fingerprint is 1 when more than half of the features have bit i set, so a tie gives 0.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Fingerprints, GroupedRuns, Uint64s, ranks_within, xxh64

Ints = NDArray[np.int64]

# Bits are counted in fields that widen: features are laid out in 15 rows; three bits are summed in
# two bits, five of these sums in four bits, and the sums of a group in bytes.
_ROWS = 15
_STEPS = (
    (np.uint64(1), np.uint64(0x5555555555555555), 3),
    (np.uint64(2), np.uint64(0x3333333333333333), 5),
    (np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F), 1),
)
# A byte counts to 255, so longer groups are summed in parts of this many features.
_PART = 255
_BITS = np.arange(8, dtype=np.uint8)[:, None]
# Pairs whose differing bits are counted at a time, so that their words stay in the cache.
_COUNTED_PAIRS = 1 << 16


def run_fingerprints(runs: GroupedRuns, bits: int) -> Fingerprints:
    """Return one fingerprint for each group that has a run.

    Args:
        runs: The features of each group; the same number twice counts twice.
        bits: 64 or 128; the first 64, highest first, are those of XXH64 with seed 0, the others
            those with seed 1.

    Returns:
        Array of shape (groups with a run, bits / 8); byte 0 holds the highest bits.
    """
    sizes = np.diff(runs.bounds)
    groups = np.flatnonzero(sizes)
    return _fingerprints(runs.numbers, runs.units[groups], sizes[groups], bits)


def _fingerprints(features: Uint64s, starts: Ints, sizes: Ints, bits: int) -> Fingerprints:
    """Return the fingerprint of each group features[start : start + size]."""
    if not len(starts):
        return np.zeros((0, bits // 8), np.uint8)
    parts = -(-sizes // _PART)
    ranks = ranks_within(parts) * _PART
    part_sizes = np.minimum(np.repeat(sizes, parts) - ranks, _PART)
    table = _RowTable.of(np.repeat(starts, parts) + ranks, part_sizes)
    hashes = xxh64(features.take(table.positions, mode="clip"), *range(bits // 64))
    counts = np.array([_bit_counts(word, table) for word in hashes])
    return _majority(counts, parts, sizes)


@dataclass(frozen=True)
class _RowTable:
    """Features in rows of equal length, so that whole rows are added up.

    Each part takes as many columns as it needs and leaves the end of its last one empty.

    Attributes:
        positions: Position of each feature, shape (_ROWS, columns).
        lasts: Last column of each part.
        empty: Places in the flat table that hold no feature of their part.
    """

    positions: Ints
    lasts: Ints
    empty: Ints

    @classmethod
    def of(cls, starts: Ints, sizes: Ints) -> "_RowTable":
        """Return the table of parts of at least one feature."""
        columns = -(-sizes // _ROWS)
        ends = np.cumsum(columns)
        firsts = np.repeat(starts - (ends - columns) * _ROWS, columns)
        firsts += np.arange(0, len(firsts) * _ROWS, _ROWS)
        lasts = ends - 1
        missing = columns * _ROWS - sizes
        rows = _ROWS - 1 - ranks_within(missing)
        empty = rows * len(firsts) + np.repeat(lasts, missing)
        return cls(firsts + np.arange(_ROWS)[:, None], lasts, empty)


def _bit_counts(hashes: Uint64s, table: _RowTable) -> Uint64s:
    """Return how many features of each part have each bit set: shape (8, parts).

    Row b has those of the bits b, b + 8, b + 16 ... of a hash, each in a byte. The hashes are lost.
    """
    hashes.reshape(-1)[table.empty] = 0
    fields = [hashes]
    for width, mask, rows in _STEPS:
        lower = [_summed(field & mask, rows) for field in fields]
        for field in fields:
            field >>= width
            field &= mask
        fields = lower + [_summed(field, rows) for field in fields]
    # Differences of sums are exact modulo 2^64, though the bytes of the sums overflow.
    counts = np.cumsum(np.concatenate(fields), axis=1).take(table.lasts, axis=1)
    counts[:, 1:] -= counts[:, :-1].copy()
    return counts


def _summed(fields: Uint64s, rows: int) -> Uint64s:
    """Return sums of so many rows each; the rows are lost."""
    count = len(fields) // rows
    total = fields[:count]
    for row in range(1, rows):
        total += fields[row * count : (row + 1) * count]
    return total


def _majority(counts: Uint64s, parts: Ints, sizes: Ints) -> Fingerprints:
    """Return the bytes of each group, highest first: its bits that most features have.

    Args:
        counts: Counts of each part, shape (words, 8, parts).
        parts: Number of parts of each group.
        sizes: Number of features of each group.
    """
    words, first_parts = len(counts), np.cumsum(parts) - parts
    half = np.minimum(sizes // 2, _PART).astype(np.uint8)
    is_set = _as_bytes(counts.take(first_parts, axis=2)) > np.repeat(half, 8)
    is_long = parts > 1
    if is_long.any():
        of_long = _as_bytes(counts.compress(np.repeat(is_long, parts), axis=2))
        firsts = np.cumsum(parts[is_long]) - parts[is_long]
        totals = np.add.reduceat(of_long.reshape(words, 8, -1, 8), firsts, axis=2, dtype=np.int64)
        is_set.reshape(words, 8, -1, 8)[:, :, is_long] = totals > (sizes[is_long] // 2)[:, None]
    of_words = np.bitwise_or.reduce(is_set.view(np.uint8) << _BITS, axis=1)
    highest_first = of_words.reshape(words, -1, 8)[:, :, ::-1]
    rows: Fingerprints = highest_first.transpose(1, 0, 2).reshape(len(sizes), -1)
    return rows


def _as_bytes(counts: Uint64s) -> NDArray[np.uint8]:
    return counts.astype("<u8", copy=False).view(np.uint8)


def hamming_distances(first: Fingerprints, second: Fingerprints) -> NDArray[np.int64]:
    """Return the differing bits of every pair: shape (len(first), len(second))."""
    width = first.shape[1]
    size: type[np.generic] = np.uint8 if width % 2 else np.uint16 if width % 8 else np.uint64
    rows, columns = _words(first, size), np.ascontiguousarray(_words(second, size).T)
    distances = np.empty((len(first), len(second)), np.int64)
    some = max(1, _COUNTED_PAIRS // max(1, len(second)))
    for start in range(0, len(first), some):
        distances[start : start + some] = _counted(rows[start : start + some], columns)
    return distances


def _counted(rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    """Return the differing bits of every row and column of words."""
    count = ones_of if rows.dtype == np.uint64 else _ones_of_words().__getitem__
    may_overflow = rows.nbytes // max(1, len(rows)) * 8 > np.iinfo(np.uint8).max
    dtype = np.uint16 if may_overflow else np.uint8
    counts = np.zeros((len(rows), columns.shape[1]), dtype)
    for word in range(len(columns)):
        counts += count(rows[:, word : word + 1] ^ columns[word])
    return counts


def ones_of(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return how many bits of each number are set."""
    # Since version 2.0, numpy has the processor count them.
    if hasattr(np, "bitwise_count"):
        ones: NDArray[np.uint8] = np.bitwise_count(words)
        return ones
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(*words.shape, 4)
    counted: NDArray[np.uint8] = _ones_of_words()[halves].sum(axis=-1, dtype=np.uint8)
    return counted


def _words(fingerprints: Fingerprints, size: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(fingerprints).view(size)


@lru_cache(maxsize=1)
def _ones_of_words() -> NDArray[np.uint8]:
    """Return how many bits of each number of 16 bits are set."""
    numbers = np.arange(1 << 16, dtype=np.uint16)[:, None].view(np.uint8)
    ones: NDArray[np.uint8] = np.unpackbits(numbers, axis=1).sum(axis=1, dtype=np.uint8)
    return ones
