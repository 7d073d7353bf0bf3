"""How far the chunks of two texts resemble each other, by the distances of their fingerprints."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.simhash import Fingerprints, hamming_distances
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.model import Coverage
from es_simhash.relation.thresholds import DIFFERENT_COSINE, EQUAL_COSINE, RARE, SAME_CHUNK

# Distances computed at a time: 32 MB.
_CELLS = 4_000_000


@dataclass(frozen=True)
class Resemblance:
    """How far the chunks of the query and of a hit resemble each other, from 0 to 1."""

    coverage: Coverage
    rare: float


def resemblances(query: TextFingerprints, hits: Sequence[ChunkFingerprints]) -> list[Resemblance]:
    """Compare the chunks of the query with those of all hits in one matrix product."""
    counts = [len(hit.fingerprints) for hit in hits]
    bounds = np.concatenate([[0], np.cumsum(counts)])
    everything = np.concatenate([hit.fingerprints for hit in hits])
    near = _nearest(query.chunks, everything, bounds)
    bits = query.chunks.shape[1] * 8
    rarity = rarity_weight(1.0 + (near.of_query <= SAME_CHUNK).sum(axis=1))
    weights = rarity * query.chunk_characters
    of_query = similarity(near.of_query, bits)
    of_hits = similarity(near.of_hits, bits)
    counterparts = rarity[near.counterparts]
    measured = []
    for column, hit in enumerate(hits):
        chunks = slice(bounds[column], bounds[column + 1])
        lengths = hit.characters
        alike, other = of_query[:, column], of_hits[chunks]
        common = (other * lengths * counterparts[chunks]).sum()
        rare_hit = common / max(1e-9, common + ((1 - other) * lengths).sum())
        coverage = Coverage(
            float((alike * query.chunk_characters).sum() / query.chunk_characters.sum()),
            float((other * lengths).sum() / lengths.sum()),
        )
        measured.append(
            Resemblance(coverage, max(float((alike * weights).sum() / weights.sum()), rare_hit))
        )
    return measured


@dataclass(frozen=True)
class _Nearest:
    """The least distances: of each query chunk in each hit, and of each chunk of the hits."""

    of_query: NDArray[np.int64]
    of_hits: NDArray[np.int64]
    counterparts: NDArray[np.int64]


def _nearest(query: Fingerprints, hits: Fingerprints, bounds: NDArray[np.int64]) -> _Nearest:
    """Find the least distances, some rows at a time, so that long texts need little memory."""
    of_query = np.empty((len(query), len(bounds) - 1), np.int64)
    of_hits = np.full(len(hits), query.shape[1] * 8)
    counterparts = np.zeros(len(hits), np.int64)
    rows = max(1, _CELLS // len(hits))
    for start in range(0, len(query), rows):
        distances = hamming_distances(query[start : start + rows], hits)
        of_query[start : start + rows] = np.minimum.reduceat(distances, bounds[:-1], axis=1)
        least = distances.min(axis=0)
        nearer = least < of_hits
        counterparts[nearer] = distances.argmin(axis=0)[nearer] + start
        of_hits = np.minimum(of_hits, least)
    return _Nearest(of_query, of_hits, counterparts)


def similarity(distances: NDArray[np.int64], bits: int) -> NDArray[np.float64]:
    """Turn Hamming distances of chunks into similarities from 0 (different) to 1 (equal).

    The share of differing bits estimates the angle between the feature vectors (Charikar 2002).
    """
    cosine = np.cos(np.pi * distances / bits)
    scaled: NDArray[np.float64] = (cosine - DIFFERENT_COSINE) / (EQUAL_COSINE - DIFFERENT_COSINE)
    return np.clip(scaled, 0, 1)


def rarity_weight(frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of what is in this many documents: 1, or RARE over the frequency."""
    weight: NDArray[np.float64] = np.minimum(1, RARE / frequency)
    return weight
