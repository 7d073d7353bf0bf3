"""Signatures of any library compared in numpy: each text with all others."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.simhash import ones_of
from es_simhash.lab.methods.method_protocol import Ints, Scores
from tests.bench.peers.model import Scored

# Of all texts, a row each.
Signatures = NDArray[np.unsignedinteger]
# Pairs with less are versions at no cut that anybody would choose.
LEAST_EQUAL = 0.15
MOST_BITS = 14
BITS = 64


def by_equal_values(rows: Signatures, known: Ints) -> Scored:
    """Return the pairs of MinHash signatures with some equal values, scored by their share.

    Args:
        rows: A signature for each text.
        known: Positions of the texts that have one.
    """

    def shares(others: Signatures, row: Signatures) -> Scores:
        equal: Scores = (others == row).mean(axis=1)
        return equal

    return _compared(rows, known, shares, LEAST_EQUAL)


def by_bits(values: Signatures, known: Ints) -> Scored:
    """Return the pairs of 64-bit fingerprints that differ in few bits, scored by equal bits.

    Args:
        values: A fingerprint for each text.
        known: Positions of the texts that have one.
    """

    def shares(others: Signatures, value: Signatures) -> Scores:
        return 1 - ones_of(others ^ value) / BITS

    return _compared(values, known, shares, 1 - MOST_BITS / BITS)


def _compared(
    signatures: Signatures,
    known: Ints,
    score: Callable[[Signatures, Signatures], Scores],
    least: float,
) -> Scored:
    """Return the pairs with a score or more."""
    rows = signatures[known]
    first, second, scores = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for row in range(len(rows) - 1):
        found = score(rows[row + 1 :], rows[row])
        others = np.flatnonzero(found >= least)
        first.append(np.full(len(others), known[row]))
        second.append(known[row + 1 + others])
        scores.append(found[others])
    pairs = np.stack([np.concatenate(first), np.concatenate(second)], axis=1)
    return Scored(pairs, np.concatenate(scores))
