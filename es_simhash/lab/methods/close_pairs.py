"""Pairs of close fingerprints among many, in memory.

By tables, all of them: Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (WWW
2007). The fingerprint is cut into b blocks, and C(b, k) tables are sorted by the b - k blocks that
k differing bits cannot all have spoilt.

By sorting and rotating, most of them, as the first of the origins compares chunks: drop what
differs in the number of its set bits, sort, look at the neighbours, rotate all by one bit, and
again. What differs in its high bits in each rotation at which it would be a neighbour is missed.
"""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from es_simhash.errors import SchemeError
from es_simhash.fingerprints.blocks import block_sizes
from es_simhash.fingerprints.hashing import Fingerprints, Uint64s
from es_simhash.fingerprints.simhash import hamming_distances, ones_of
from es_simhash.lab.methods.method_protocol import Ints, Pairs, ordered_pairs

# Digits of block keys, as URL-safe base64 has them.
_KEY_DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
_DIGIT_BITS = 6
# Rows of one table that have the same key are all compared; of more, each with its neighbours.
_MOST_ALIKE = 2048
# Distances computed at once: 32 MB.
_MOST_DISTANCES = 4_000_000


def as_numbers(fingerprints: Fingerprints) -> Uint64s:
    """Return fingerprints of up to 64 bits as numbers, their highest bits first."""
    rows = np.zeros((len(fingerprints), 8), np.uint8)
    rows[:, 8 - fingerprints.shape[1] :] = fingerprints
    return rows.view(">u8").ravel().astype(np.uint64)


def rows_near(own: Fingerprints, rows: Fingerprints, k: int) -> Ints:
    """Return the rows within k bits of one of some fingerprints."""
    step = max(1, _MOST_DISTANCES // max(1, len(own)))
    near = [np.zeros(0, np.int64)]
    for start in range(0, len(rows) if len(own) else 0, step):
        distances = hamming_distances(own, rows[start : start + step])
        near.append(start + np.flatnonzero(distances.min(axis=0) <= k))
    return np.concatenate(near)


def close_rows(fingerprints: Fingerprints, k: int) -> Pairs:
    """Return all pairs of rows within k bits, by comparing each with each."""
    pairs = []
    step = max(1, _MOST_DISTANCES // max(1, len(fingerprints)))
    for start in range(0, len(fingerprints), step):
        rows = fingerprints[start : start + step]
        first, second = np.nonzero(hamming_distances(rows, fingerprints[start:]) <= k)
        upper = first < second
        pairs.append(np.stack([first[upper], second[upper]], axis=1) + start)
    return np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64)


@lru_cache(maxsize=8)
def permuted_masks(bits: int, blocks: int, k: int) -> tuple[int, ...]:
    """Return the bits that lead each of the C(blocks, k) tables.

    Raises:
        SchemeError: There are not more blocks than k, or more than bits.
    """
    sizes = block_sizes(bits, blocks)
    if not 0 <= k < blocks:
        raise SchemeError(f"{blocks} blocks find up to {blocks - 1} differing bits, not {k}.")
    ends = np.cumsum(sizes).tolist()
    masks = [((1 << size) - 1) << (bits - end) for size, end in zip(sizes, ends, strict=True)]
    return tuple(sum(chosen) for chosen in combinations(masks, blocks - k))


def close_pairs(fingerprints: Uint64s, masks: Sequence[int], k: int) -> Pairs:
    """Return the pairs within k bits that have equal bits under one of the masks.

    Args:
        fingerprints: Fingerprints of the texts.
        masks: The bits that lead each table.
        k: The greatest Hamming distance.
    """
    pairs_of_masks = [np.zeros((0, 2), np.int64)]
    for mask in masks:
        keys = fingerprints & np.uint64(mask)
        order = np.argsort(keys, kind="stable")
        for first, second in _neighbours(keys[order]):
            rows, others = order[first], order[second]
            near = ones_of(fingerprints[rows] ^ fingerprints[others]) <= k
            pairs_of_masks.append(ordered_pairs(rows[near], others[near]))
    pairs = np.concatenate(pairs_of_masks)
    return ordered_pairs(pairs[:, 0], pairs[:, 1])


def _neighbours(keys: Uint64s) -> Iterator[tuple[Ints, Ints]]:
    """Yield the places of equal keys, which are sorted, at each distance in the table."""
    places = np.arange(len(keys))
    for distance in range(1, min(len(keys), _MOST_ALIKE)):
        places = places[places + distance < len(keys)]
        # What has no equal key so far away has none farther.
        places = places[keys[places] == keys[places + distance]]
        if not len(places):
            return
        yield places, places + distance


def key_strings(values: Uint64s, bits: int) -> list[list[str]]:
    """Return numbers as block keys of the same length.

    Args:
        values: Numbers, a row for each fingerprint.
        bits: Bits that the greatest of them may have.
    """
    length = -(-bits // _DIGIT_BITS)
    shifts = np.arange(length - 1, -1, -1, dtype=np.uint64) * np.uint64(_DIGIT_BITS)
    digits = np.frombuffer(_KEY_DIGITS.encode("ascii"), np.uint8)
    letters = digits[(values[..., None] >> shifts) & np.uint64(63)]
    strings = np.ascontiguousarray(letters).view(f"S{length}").reshape(values.shape)
    keys: list[list[str]] = strings.astype(f"U{length}").tolist()
    return keys


@dataclass(frozen=True)
class MaskTables:
    """Tables that are each led by the bits of a mask.

    Attributes:
        bits: Bits of a fingerprint.
        masks: The bits that lead each table.
        k: The greatest Hamming distance: of any so many bits, one of the masks has none.
    """

    bits: int
    masks: tuple[int, ...]
    k: int

    @classmethod
    def of_pairs(cls, bits: int, k: int) -> "MaskTables":
        """Return tables of k + 2 blocks, each led by two of them.

        Two of the blocks are left alone by k bits. One block more than k bits can spoil would do,
        but a single short block is the same in too many fingerprints.
        """
        return cls(bits, permuted_masks(bits, k + 2, k), k)

    def close_pairs(self, numbers: Uint64s) -> Pairs:
        """Return the pairs of fingerprints within k bits."""
        return close_pairs(numbers, self.masks, self.k)

    def row_keys(self, rows: Fingerprints) -> list[list[str]]:
        """Return the block keys of each fingerprint."""
        return self.keys(as_numbers(rows))

    def keys(self, numbers: Uint64s) -> list[list[str]]:
        """Return the block keys of each fingerprint: table number and leading bits, in base64."""
        key_bits = max(mask.bit_count() for mask in self.masks)
        places = np.arange(self.bits - 1, -1, -1, dtype=np.uint64)
        bits = (numbers[:, None] >> places & np.uint64(1)).astype(np.int64)
        tables = np.arange(len(self.masks), dtype=np.uint64) << np.uint64(key_bits)
        values = (bits @ _leading(self.bits, self.masks)).astype(np.uint64) | tables
        return key_strings(values, key_bits + (len(self.masks) - 1).bit_length())


@lru_cache(maxsize=16)
def _leading(bits: int, masks: tuple[int, ...]) -> Ints:
    """Return what each bit of a fingerprint counts in the leading bits of each table."""
    weights = np.zeros((bits, len(masks)), np.int64)
    for table, mask in enumerate(masks):
        chosen = [bit for bit in range(bits) if mask >> (bits - 1 - bit) & 1]
        weights[chosen, table] = 1 << np.arange(len(chosen) - 1, -1, -1)
    return weights


# Neighbours in the sorted list that are looked at.
_NEIGHBOURS = 4


def close_by_rotation(fingerprints: Uint64s, bits: int, n: int) -> Pairs:
    """Return pairs of different fingerprints within n bits.

    Args:
        fingerprints: Distinct fingerprints.
        bits: Bits of a fingerprint.
        n: The greatest Hamming distance.
    """
    ones = ones_of(fingerprints).astype(np.int64)
    pairs_of_rotations = [np.zeros((0, 2), np.int64)]
    rotated = fingerprints.copy()
    mask = np.uint64((1 << bits) - 1)
    for _ in range(bits):
        order = np.argsort(rotated, kind="stable")
        for distance in range(1, _NEIGHBOURS + 1):
            first, second = order[:-distance], order[distance:]
            alike = np.abs(ones[first] - ones[second]) <= n
            first, second = first[alike], second[alike]
            close = ones_of(fingerprints[first] ^ fingerprints[second]) <= n
            pairs_of_rotations.append(ordered_pairs(first[close], second[close]))
        rotated = (rotated << np.uint64(1) | rotated >> np.uint64(bits - 1)) & mask
    pairs = np.concatenate(pairs_of_rotations)
    return ordered_pairs(pairs[:, 0], pairs[:, 1])
