"""Bits and distances of the fingerprints of a sample."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.simhash import hamming_distances

# Fewer different fingerprints say nothing about a bit; in 64 it is the same by chance once in 2^63.
MIN_DIFFERENT = 64
# Rows whose distances to all others are in memory at once; rows the usual distance is taken of.
_ROWS = 256
_NARROW_BIN, _WIDE_BIN, _FIRST_WIDE = 4, 8, 16


@dataclass(frozen=True)
class BitBalance:
    """How often each bit is set in different document fingerprints.

    Attributes:
        different: Different fingerprints of the sample.
        shares: Share of these that have each bit set.
        dead: Bits that all have, or none; empty with fewer than `MIN_DIFFERENT` fingerprints.
    """

    different: int
    shares: tuple[float, ...]
    dead: tuple[int, ...]

    @property
    def uneven(self) -> float:
        """Share of the bits that fewer than a fifth, or more than four fifths, have set.

        0 with fewer than `MIN_DIFFERENT` fingerprints.
        """
        if self.different < MIN_DIFFERENT:
            return 0.0
        return sum(not 0.2 <= share <= 0.8 for share in self.shares) / len(self.shares)


@dataclass(frozen=True)
class DistanceBin:
    """Documents whose nearest other is at a distance from `least` to `most`."""

    least: int
    most: int
    documents: int


def bit_balance(fingerprints: Fingerprints) -> BitBalance:
    """Return how often each bit is set, copies counted once."""
    different = np.unique(fingerprints, axis=0)
    if not len(different):
        return BitBalance(0, (), ())
    shares = np.unpackbits(different, axis=1).mean(axis=0)
    dead = np.flatnonzero((shares == 0) | (shares == 1)).tolist()
    are_enough = len(different) >= MIN_DIFFERENT
    return BitBalance(len(different), tuple(shares.tolist()), tuple(dead) if are_enough else ())


def nearest_distances(fingerprints: Fingerprints) -> NDArray[np.int64]:
    """Return the Hamming distance of each fingerprint to the nearest other one."""
    if len(fingerprints) < 2:
        return np.empty(0, np.int64)
    nearest = np.empty(len(fingerprints), np.int64)
    for start in range(0, len(fingerprints), _ROWS):
        distances = hamming_distances(fingerprints[start : start + _ROWS], fingerprints)
        rows = np.arange(len(distances))
        distances[rows, start + rows] = fingerprints.shape[1] * 8 + 1
        nearest[start : start + _ROWS] = distances.min(axis=1)
    return nearest


def histogram(nearest: NDArray[np.int64]) -> tuple[DistanceBin, ...]:
    """Return distances counted in bins: 0 alone, then by four up to 16, then by eight."""
    if not len(nearest):
        return ()
    bins = [DistanceBin(0, 0, int((nearest == 0).sum()))]
    least = 1
    while least <= nearest.max():
        most = (least // _NARROW_BIN + 1) * _NARROW_BIN - 1
        if least >= _FIRST_WIDE:
            most = least + _WIDE_BIN - 1
        bins.append(DistanceBin(least, most, int(((nearest >= least) & (nearest <= most)).sum())))
        least = most + 1
    return tuple(bins)


def chance_within(fingerprints: Fingerprints, k: int) -> float:
    """Return the expected share of unrelated documents within k bits of a document.

    The distances of unrelated texts are about normally distributed. Mean and deviation are
    estimated by median and quartiles, as versions among them must not count.
    """
    if len(fingerprints) < 2:
        return 0.0
    rows = fingerprints[:: max(1, len(fingerprints) // _ROWS)]
    distances = hamming_distances(rows, rows)[np.triu_indices(len(rows), 1)]
    low, median, high = np.percentile(distances, (25, 50, 75))
    spread = max(float(high - low) / 1.349, 0.5)
    return 0.5 * math.erfc((float(median) - k - 0.5) / (spread * math.sqrt(2)))
