"""Shingles of two texts: which of them are queried, and how many both have."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints, WindowCounts
from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_BITS
from es_simhash.relation import thresholds
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.thresholds import LEAST_SHARED, PRIOR_SHINGLES, QUERIED_SHINGLES

# Numbers of shingles are below this one.
ALL_SHINGLES = 1 << SHINGLE_BITS


def sample_bound(shingles: int, size: int = QUERIED_SHINGLES) -> int:
    """Return the number below which the shingles of a text are queried: all of a short one.

    The numbers of shingles are hashes, so those below a bound are a sample of them, the same in
    every text that has them.

    Args:
        shingles: Number of shingles of the text.
        size: Number of them below the bound, on average.
    """
    return ALL_SHINGLES if shingles <= size else size * ALL_SHINGLES // shingles


def sampled(shingles: NDArray[np.uint32], size: int = QUERIED_SHINGLES) -> NDArray[np.uint32]:
    """Return the ascending shingles of a text that are below its `sample_bound`."""
    return shingles[: int(shingles.searchsorted(sample_bound(len(shingles), size)))]


def least_shared(shingles: int) -> int:
    """Return how many shingles a text must share: one alone is a turn of phrase."""
    return LEAST_SHARED if shingles > 2 * LEAST_SHARED else 1


class DerivedParts:
    """What follows from the stored parts of a text, whatever they are read from."""

    @cached_property
    def queried_shingles(self: StoredText) -> NDArray[np.uint32]:
        """Shingles by which it is found in a search over a whole index: those below a bound."""
        # Read by its module: a constant imported by name would count as one of the score.
        return sampled(self.shingles, thresholds.FAMILY_SHINGLES)

    @cached_property
    def characters(self: StoredText) -> int:
        """Characters of its chunks."""
        return int(self.chunks.characters.sum())


@dataclass(frozen=True)
class Containment:
    """The shingles that two texts share, of those that can be compared.

    Attributes:
        shared: Shingles of both, as far as they are queried from both.
        fewer: Shingles of the text that has fewer, at the larger of the two windows.
        more: Shingles of the text that has more, at the same window.
    """

    shared: int
    fewer: float
    more: float

    @property
    def share(self) -> float:
        """Share of the shingles of the text that has fewer, from 0 to 1."""
        return min(1.0, self.shared / max(1.0, self.fewer))

    @property
    def resemblance(self) -> float:
        """Share of the shingles of both that both have (Jaccard), from 0 to 1."""
        return min(1.0, self.shared / max(1.0, self.fewer + self.more - self.shared))

    def smoothed(self, resemblance: float) -> float:
        """Return the share where few shingles were counted: the chunks say what to expect."""
        known = self.shared + PRIOR_SHINGLES * resemblance
        return min(1.0, known / (self.fewer + PRIOR_SHINGLES))


def shared_bound(one: ChunkFingerprints, other: ChunkFingerprints) -> int:
    """Return the number below which the shingles of two texts are queried from both sides."""
    return sample_bound(max(one.shingles, other.shingles))


def containment(one: ChunkFingerprints, other: ChunkFingerprints, shared: int) -> Containment:
    """Return how much of its shingles the text that has fewer shares.

    Args:
        one: A text.
        other: Another.
        shared: Number of shingles below their `shared_bound` that both have.
    """
    if shared and shared < max(least_shared(one.shingles), least_shared(other.shingles)):
        shared = 0
    return Containment(shared, *compared_shingles(one.windows, other.windows))


def compared_shingles(one: WindowCounts, other: WindowCounts) -> tuple[float, float]:
    """Return how many shingles of each text can be compared, the fewer first."""
    level = max(one.level, other.level)
    ours, theirs = one[level], other[level]
    part = sample_bound(max(one.shingles, other.shingles)) / ALL_SHINGLES
    return (ours * part, theirs * part) if ours <= theirs else (theirs * part, ours * part)


def shared_shingles(
    one: NDArray[np.uint32], other: NDArray[np.uint32], bound: int = ALL_SHINGLES
) -> int:
    """Count the shingles below a bound that two ascending arrays have in common."""
    fewer, more = (one, other) if len(one) <= len(other) else (other, one)
    fewer = fewer[: int(fewer.searchsorted(bound))]
    if not len(fewer) or not len(more):
        return 0
    places = np.minimum(more.searchsorted(fewer), len(more) - 1)
    return int(np.count_nonzero(more[places] == fewer))
