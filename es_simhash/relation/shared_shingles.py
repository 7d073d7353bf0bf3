"""Shingles of two texts: which of them are queried, and how many both have."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_BITS
from es_simhash.relation.thresholds import LEAST_SHARED, QUERIED_SHINGLES

# Numbers of shingles are below this one.
ALL_SHINGLES = 1 << SHINGLE_BITS


def sample_bound(shingles: int, size: int = QUERIED_SHINGLES) -> int:
    """Return the number below which the shingles of a text are queried: all of a short one.

    The numbers of shingles are hashes, so those below a bound are a sample of them, the same in
    every text that has them.

    Args:
        shingles: How many the text has.
        size: How many are below the bound, on average.
    """
    return ALL_SHINGLES if shingles <= size else size * ALL_SHINGLES // shingles


def sampled(shingles: NDArray[np.uint32], size: int = QUERIED_SHINGLES) -> NDArray[np.uint32]:
    """Return the ascending shingles of a text that are below its `sample_bound`."""
    return shingles[: int(shingles.searchsorted(sample_bound(len(shingles), size)))]


def least_shared(shingles: int) -> int:
    """Return how many shingles a text must share: one alone is a turn of phrase."""
    return LEAST_SHARED if shingles > 2 * LEAST_SHARED else 1
