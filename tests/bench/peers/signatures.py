"""Signatures of any library compared in numpy: each text with all others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.methods.hamming import popcount
from es_simhash.methods.model import Ints
from tests.bench.peers.model import Scored

# Pairs with less are versions at no cut that anybody would choose.
LEAST_EQUAL = 0.15
MOST_BITS = 14
BITS = 64


def by_equal_values(rows: NDArray[np.unsignedinteger], known: Ints) -> Scored:
    """Return the pairs of MinHash signatures with some equal values, scored by their share.

    Args:
        rows: A signature for each text.
        known: Positions of the texts that have one.
    """
    rows = rows[known]
    first, second, scores = [], [], []
    for row in range(len(rows) - 1):
        shares = np.count_nonzero(rows[row + 1 :] == rows[row], axis=1) / rows.shape[1]
        others = np.flatnonzero(shares >= LEAST_EQUAL)
        first.append(np.full(len(others), known[row]))
        second.append(known[row + 1 + others])
        scores.append(shares[others])
    return _scored(first, second, scores)


def by_bits(values: NDArray[np.uint64], known: Ints) -> Scored:
    """Return the pairs of 64-bit fingerprints that differ in few bits, scored by equal bits.

    Args:
        values: A fingerprint for each text.
        known: Positions of the texts that have one.
    """
    values = values[known]
    first, second, scores = [], [], []
    for row in range(len(values) - 1):
        distances = popcount(values[row + 1 :] ^ values[row])
        others = np.flatnonzero(distances <= MOST_BITS)
        first.append(np.full(len(others), known[row]))
        second.append(known[row + 1 + others])
        scores.append(1 - distances[others] / BITS)
    return _scored(first, second, scores)


def _scored(
    first: Sequence[Ints], second: Sequence[Ints], scores: Sequence[NDArray[np.float64]]
) -> Scored:
    if not first:
        return Scored(np.zeros((0, 2), np.int64), np.zeros(0))
    return Scored(
        np.stack([np.concatenate(first), np.concatenate(second)], axis=1).astype(np.int64),
        np.concatenate(scores),
    )
