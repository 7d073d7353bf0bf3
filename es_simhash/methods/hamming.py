"""Fingerprints of many texts, one for each, compared by Hamming distance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.fingerprints.simhash import Fingerprints, hamming_distances
from es_simhash.methods.model import Ints, Pairs, Scores, ordered_pairs

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


@dataclass(frozen=True)
class DocumentFingerprints:
    """One fingerprint of up to 64 bits for each text that could be read.

    Attributes:
        numbers: Fingerprints; 0 of texts that could not be read.
        bits: Bits of a fingerprint.
        unreadable: Texts without a fingerprint.
        close_pairs: Returns candidates among fingerprints, as pairs of their rows.
    """

    numbers: Uint64s
    bits: int
    unreadable: Mapping[int, str]
    close_pairs: Callable[[Uint64s], Pairs]

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
        rows = self.close_pairs(self.numbers[known])
        return ordered_pairs(known[rows[:, 0]], known[rows[:, 1]])

    @property
    def _known(self) -> NDArray[np.bool_]:
        known = np.ones(len(self.numbers), bool)
        known[list(self.unreadable)] = False
        return known
