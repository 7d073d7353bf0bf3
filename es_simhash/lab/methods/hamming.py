"""Fingerprints of many texts, one for each, compared by Hamming distance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.fingerprints.simhash import Fingerprints, hamming_distances
from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores, ordered_pairs
from es_simhash.store.indexed_methods import NO_WORDS, Keys

# Distances computed at once: 32 MB.
_MOST_DISTANCES = 4_000_000
_M1, _M2, _M4 = (
    np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
)
_BYTES = np.uint64(0x0101010101010101)


def popcount(values: Uint64s) -> Ints:
    """Return how many bits of each number are set; numpy counts them itself from 2.0 on."""
    pairs = values - (values >> np.uint64(1) & _M1)
    nibbles = (pairs & _M2) + (pairs >> np.uint64(2) & _M2)
    octets = nibbles + (nibbles >> np.uint64(4)) & _M4
    counts: Ints = (octets * _BYTES >> np.uint64(56)).astype(np.int64)
    return counts


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
    found = []
    step = max(1, _MOST_DISTANCES // max(1, len(fingerprints)))
    for start in range(0, len(fingerprints), step):
        rows = fingerprints[start : start + step]
        first, second = np.nonzero(hamming_distances(rows, fingerprints[start:]) <= k)
        upper = first < second
        found.append(np.stack([first[upper], second[upper]], axis=1) + start)
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)


class Tables(Protocol):
    """Finds fingerprints within k bits."""

    @property
    def bits(self) -> int:
        """Bits of a fingerprint."""

    @property
    def k(self) -> int:
        """The greatest Hamming distance of candidates."""

    def close_pairs(self, numbers: Uint64s) -> Pairs:
        """Return the pairs of fingerprints within k bits."""

    def keys(self, numbers: Uint64s) -> list[list[str]]:
        """Return the block keys of each fingerprint; two within k bits share one."""


@dataclass(frozen=True)
class DocumentFingerprints:
    """One fingerprint of up to 64 bits for each text that could be read.

    Attributes:
        numbers: Fingerprints; 0 of texts that could not be read.
        unreadable: Texts without a fingerprint.
        tables: Finds candidates.
        unit: What two fingerprints differ in.
    """

    numbers: Uint64s
    unreadable: Mapping[int, str]
    tables: Tables
    unit: str = "bits"

    @classmethod
    def restored(cls, rows: Sequence[Fingerprints], tables: Tables) -> "DocumentFingerprints":
        """Return the fingerprints that `rows` gave, of each text."""
        known = [text for text, own in enumerate(rows) if len(own)]
        numbers = np.zeros(len(rows), np.uint64)
        if known:
            numbers[known] = as_numbers(np.concatenate([rows[text] for text in known]))
        unreadable = {text: NO_WORDS for text, own in enumerate(rows) if not len(own)}
        return cls(numbers, unreadable, tables)

    @property
    def bits(self) -> int:
        """Bits of a fingerprint."""
        return self.tables.bits

    def rows(self, text: int) -> Fingerprints:
        """Return the fingerprint of one text as bytes, the highest first; none without one."""
        if text in self.unreadable:
            return np.zeros((0, self.bits // 8), np.uint8)
        number = self.numbers[text : text + 1]
        return number.astype(">u8").view(np.uint8).reshape(1, 8)[:, 8 - self.bits // 8 :]

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text."""
        keys = self.tables.keys(self.numbers)
        return [[] if text in self.unreadable else [own] for text, own in enumerate(keys)]

    def candidates_of(self, text: int) -> Ints:
        """Return the texts within k bits of one."""
        near = popcount(self.numbers ^ self.numbers[text]) <= self.tables.k
        near &= self._known & self._known[text]
        near[text] = False
        return np.flatnonzero(near)

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the bits of a fingerprint for each pair."""
        return np.full(len(first), self.bits)

    @property
    def nbytes(self) -> int:
        """Bytes of the fingerprints."""
        return self.bits // 8 * (len(self.numbers) - len(self.unreadable))

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of equal bits of each pair."""
        scores = 1 - popcount(self.numbers[first] ^ self.numbers[second]) / self.bits
        scores[~(self._known[first] & self._known[second])] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that the tables of the method find."""
        known = np.flatnonzero(self._known)
        rows = self.tables.close_pairs(self.numbers[known])
        return ordered_pairs(known[rows[:, 0]], known[rows[:, 1]])

    @property
    def _known(self) -> NDArray[np.bool_]:
        known = np.ones(len(self.numbers), bool)
        known[list(self.unreadable)] = False
        return known
