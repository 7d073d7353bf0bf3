"""Pairs of close fingerprints among many, by sorting and rotating.

As the first of the origins compares chunks: drop what differs in the number of its set bits, sort,
look at the neighbours, rotate all by one bit, and again. What differs in its high bits in each
rotation at which it would be a neighbour is missed, so it finds most close pairs, not all.
"""

import numpy as np

from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.lab.methods.hamming import popcount
from es_simhash.lab.methods.model import Pairs, ordered_pairs

# Neighbours in the sorted list that are looked at.
_NEIGHBOURS = 4


def close_by_rotation(fingerprints: Uint64s, bits: int, n: int) -> Pairs:
    """Return pairs of different fingerprints within n bits.

    Args:
        fingerprints: Distinct fingerprints.
        bits: Bits of a fingerprint.
        n: The greatest Hamming distance.
    """
    ones = popcount(fingerprints)
    found = [np.zeros((0, 2), np.int64)]
    rotated = fingerprints.copy()
    mask = np.uint64((1 << bits) - 1)
    for _ in range(bits):
        order = np.argsort(rotated, kind="stable")
        for distance in range(1, _NEIGHBOURS + 1):
            first, second = order[:-distance], order[distance:]
            alike = np.abs(ones[first] - ones[second]) <= n
            first, second = first[alike], second[alike]
            close = popcount(fingerprints[first] ^ fingerprints[second]) <= n
            found.append(ordered_pairs(first[close], second[close]))
        rotated = (rotated << np.uint64(1) | rotated >> np.uint64(bits - 1)) & mask
    pairs = np.concatenate(found)
    return ordered_pairs(pairs[:, 0], pairs[:, 1])
