"""Resemblance of the chunks of two texts, by the distances of their fingerprints."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.interruption import require_wanted
from es_simhash.relation.relation import Coverage
from es_simhash.relation.thresholds import (
    DIFFERENT_COSINE,
    EQUAL_COSINE,
)

# Similarities are counted in parts of this.
_UNIT = 1 << 20
# Distances computed at a time: 32 MB.
_CELLS = 4_000_000


@dataclass(frozen=True)
class Resemblance:
    """Resemblance of the chunks of two texts.

    Attributes:
        coverage: Share of each text that resembles the other.
        equal: Share of each text whose chunks have the fingerprint of a chunk of the other.
    """

    coverage: Coverage
    equal: Coverage

    @property
    def greater(self) -> float:
        """Share of one text that resembles the other, of both directions the greater."""
        return max(self.coverage.of_query, self.coverage.of_hit)


# More than two texts can resemble each other.
GREATEST = Resemblance(Coverage(1.0, 1.0), Coverage(1.0, 1.0))


def resemblance_of(query: ChunkFingerprints, hit: ChunkFingerprints) -> Resemblance:
    """Return how far the chunks of two texts resemble each other."""
    return resemblances(query, [hit])[0]


def resemblances(query: ChunkFingerprints, hits: Sequence[ChunkFingerprints]) -> list[Resemblance]:
    """Compare the chunks of the query with those of all hits at once.

    The shares are sums of integers, so that they are the same from either side.
    """
    starts = np.cumsum([0, *(len(hit.fingerprints) for hit in hits[:-1])])
    everything = np.concatenate([hit.fingerprints for hit in hits])
    lengths = np.concatenate([hit.characters for hit in hits])
    of_query, of_hits = _nearest(query.fingerprints, everything, starts)
    table = _similarities(everything.shape[1] * 8)
    # Stored chunks that somebody made up may have no characters.
    size = max(1, int(query.characters.sum()))
    sizes = np.maximum(1, np.add.reduceat(lengths, starts))
    shares = (
        query.characters @ table[of_query] / (_UNIT * size),
        np.add.reduceat(table[of_hits] * lengths, starts) / (_UNIT * sizes),
        query.characters @ (of_query == 0) / size,
        np.add.reduceat((of_hits == 0) * lengths, starts) / sizes,
    )
    return [
        Resemblance(Coverage(covered, hit_covered), Coverage(equal, hit_equal))
        for covered, hit_covered, equal, hit_equal in zip(
            *(share.tolist() for share in shares), strict=True
        )
    ]


def _nearest(
    query: Fingerprints, hits: Fingerprints, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least distances: of each query chunk in each hit, and of each chunk of the hits.

    Some rows at a time, so that long texts need little memory.
    """
    of_query = np.empty((len(query), len(starts)), np.int64)
    of_hits = np.full(len(hits), query.shape[1] * 8)
    rows = max(1, _CELLS // len(hits))
    for row in range(0, len(query), rows):
        require_wanted()
        distances = hamming_distances(query[row : row + rows], hits)
        of_query[row : row + rows] = np.minimum.reduceat(distances, starts, axis=1)
        of_hits = np.minimum(of_hits, distances.min(axis=0))
    return of_query, of_hits


@lru_cache(maxsize=2)
def _similarities(bits: int) -> NDArray[np.int64]:
    """Return the similarity of each distance, in parts of `_UNIT`."""
    return np.rint(similarity(np.arange(bits + 1), bits) * _UNIT).astype(np.int64)


def similarity(distances: NDArray[np.int64], bits: int) -> NDArray[np.float64]:
    """Turn Hamming distances of chunks into similarities from 0 (different) to 1 (equal).

    The share of differing bits estimates the angle between the feature vectors (Charikar 2002).
    """
    return _similarity_table(bits)[distances]


@lru_cache(maxsize=2)
def _similarity_table(bits: int) -> NDArray[np.float64]:
    cosine = np.cos(np.pi * np.arange(bits + 1) / bits)
    scaled: NDArray[np.float64] = (cosine - DIFFERENT_COSINE) / (EQUAL_COSINE - DIFFERENT_COSINE)
    return np.clip(scaled, 0, 1)
