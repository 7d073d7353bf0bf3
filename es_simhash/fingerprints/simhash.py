"""Simhash over groups of features, and Hamming distances.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002); bit i of the
fingerprint is 1 when more than half of the features have bit i set, so a tie gives 0.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, xxh64
from es_simhash.fingerprints.runs import ranks_within

Fingerprints = NDArray[np.uint8]

_LANES = np.uint64(0x0101010101010101)
# A byte lane counts to 255, so longer groups are summed in parts of this many features.
_PART = 255
# Up to so many pairs, differing bits are counted in a table.
_MOST_COUNTED = 1 << 20


def group_fingerprints(features: Uint64s, bounds: NDArray[np.int64], bits: int) -> Fingerprints:
    """Return one fingerprint for each group features[bounds[i]:bounds[i + 1]].

    Args:
        features: Feature numbers; the same number twice counts twice.
        bounds: Group borders, ascending, one more than there are groups; groups are not empty.
        bits: 64 or 128; the first 64, highest first, are those of XXH64 with seed 0, the others
            those with seed 1.

    Returns:
        Array of shape (groups, bits / 8); byte 0 holds the highest bits.
    """
    if len(bounds) < 2:
        return np.zeros((0, bits // 8), np.uint8)
    counts = _bit_counts(xxh64(features, *range(bits // 64)), bounds)
    majority = counts * 2 > np.diff(bounds)[:, None]
    return np.packbits(majority, axis=1)


def _bit_counts(hashes: list[Uint64s], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many features of each group have each bit set: shape (groups, bits)."""
    parts, group_starts = _part_starts(bounds)
    lanes = np.empty((len(hashes), 8, len(parts)), np.uint64)
    lane = np.empty_like(hashes[0])
    for word, values in enumerate(hashes):
        for bit in range(8):
            # Eight bits of a word are counted at once, each in a byte of its own.
            np.right_shift(values, np.uint64(bit), out=lane)
            np.bitwise_and(lane, _LANES, out=lane)
            np.add.reduceat(lane, parts, out=lanes[word, bit])
    # (word, bit in byte, part, byte) -> (part, word, byte, bit), highest first.
    bytes_ = lanes.astype("<u8", copy=False).view(np.uint8).reshape(len(hashes), 8, len(parts), 8)
    counts: NDArray[np.uint8] = bytes_.transpose(2, 0, 3, 1)[:, :, ::-1, ::-1].reshape(
        len(parts), -1
    )
    if len(parts) == len(bounds) - 1:
        return counts.astype(np.int64)
    return np.asarray(np.add.reduceat(counts, group_starts, axis=0, dtype=np.int64))


def _part_starts(bounds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first feature of each part, and the first part of each group."""
    parts = -(-np.diff(bounds) // _PART)
    group_starts = np.concatenate([[0], np.cumsum(parts)[:-1]])
    if parts.max() == 1:
        return bounds[:-1], group_starts
    return np.repeat(bounds[:-1], parts) + ranks_within(parts) * _PART, group_starts


def hamming_distances(first: Fingerprints, second: Fingerprints) -> NDArray[np.int64]:
    """Return the differing bits of every pair: shape (len(first), len(second))."""
    if first.shape[1] % 2 or len(first) * len(second) > _MOST_COUNTED:
        return _multiplied(first, second)
    # The matrix product below starts threads, which take ten times the time of both processors.
    rows, columns = _words(first), np.ascontiguousarray(_words(second).T)
    ones = _ones_of_words()
    if first.shape[1] * 8 > np.iinfo(ones.dtype).max:
        ones = ones.astype(np.uint16)
    counts = np.zeros((len(first), len(second)), ones.dtype)
    for word in range(rows.shape[1]):
        counts += ones[rows[:, word : word + 1] ^ columns[word]]
    return counts.astype(np.int64)


def _words(fingerprints: Fingerprints) -> NDArray[np.uint16]:
    return np.ascontiguousarray(fingerprints).view(np.uint16)


@lru_cache(maxsize=1)
def _ones_of_words() -> NDArray[np.uint8]:
    """Return how many bits of each number of 16 bits are set."""
    numbers = np.arange(1 << 16, dtype=np.uint16)[:, None].view(np.uint8)
    ones: NDArray[np.uint8] = np.unpackbits(numbers, axis=1).sum(axis=1, dtype=np.uint8)
    return ones


def _multiplied(first: Fingerprints, second: Fingerprints) -> NDArray[np.int64]:
    """Return the same for many pairs by a matrix product, the fastest way numpy has for them."""
    # Signs of +1 and -1: their dot product is bits - 2 * distance, exact in float32.
    bits = first.shape[1] * 8
    product = _signs(first) @ _signs(second).T
    distances: NDArray[np.int64] = ((bits - product) / 2).astype(np.int64)
    return distances


def _signs(fingerprints: Fingerprints) -> NDArray[np.float32]:
    return np.unpackbits(fingerprints, axis=1).astype(np.float32) * 2 - 1
