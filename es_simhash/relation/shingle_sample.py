"""Which shingles of a text are queried, and how many of them another must share."""

from es_simhash.fingerprints.scheme import SHINGLE_BITS
from es_simhash.relation.thresholds import LEAST_SHARED, QUERIED_SHINGLES

# Numbers of shingles are below this one.
ALL_SHINGLES = 1 << SHINGLE_BITS


def queried_bound(shingles: int) -> int:
    """Return the number below which the shingles of a text are queried: all of a short one.

    The numbers of shingles are hashes, so those below a bound are a sample of them, the same in
    every text that has them.

    Args:
        shingles: How many the text has.
    """
    if shingles <= QUERIED_SHINGLES:
        return ALL_SHINGLES
    return QUERIED_SHINGLES * ALL_SHINGLES // shingles


def least_shared(shingles: int) -> int:
    """Return how many shingles a text must share: one alone is a turn of phrase."""
    return LEAST_SHARED if shingles > 2 * LEAST_SHARED else 1
