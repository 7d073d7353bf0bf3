"""Scoring: the kind, score and coverage of a relation, from fingerprints alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.model import Coverage, Kind, Relation
from es_simhash.relation.resemblance import Resemblance, rarity_weight, resemblances
from es_simhash.relation.thresholds import (
    CHARACTERS_PER_WORD,
    CONTAINED_COVERAGE,
    CONTAINED_RATIO,
    PRIOR_SHINGLES,
    RESEMBLANCE_WEIGHT,
    RESEMBLING,
    SHARED_SCORE,
    SHOWN_SCORE,
    VERSION_SCORE,
    VERSION_SHARE,
    VERSION_SHARE_OF_CHARACTERS,
)

# Scores of the shares 0, SHOWN_SCORE, where versions begin, and 1.
_SCALE = (0, SHOWN_SCORE, VERSION_SCORE, 1)


@dataclass(frozen=True)
class Candidate:
    """A document that may be related to the query.

    Attributes:
        id: Of the document.
        chunks: Its chunk fingerprints.
        shared: Positions, among the queried shingles, of those it has.
        same_content: True when the content hashes are equal.
        within_k: True when the document fingerprints are within the promised distance.
        index: Index of the document.
    """

    id: str | None
    chunks: ChunkFingerprints
    shared: NDArray[np.int64]
    same_content: bool = False
    within_k: bool = False
    index: str | None = None


def score_candidates(
    query: TextFingerprints, queried: int, candidates: Sequence[Candidate]
) -> list[Relation]:
    """Return the relation of the query to each candidate, without evidence; also of kind `none`.

    Args:
        query: Fingerprints of the query; not empty.
        queried: How many of its shingles were queried, those with the smallest numbers first.
        candidates: What was found; how many of them share a shingle tells how rare it is.
    """
    if not candidates:
        return []
    rarity = _rarity(queried, candidates)
    resembling = resemblances(query, [candidate.chunks for candidate in candidates])
    shares = (0, SHOWN_SCORE, _version_share(query), 1)
    return [
        _score(query, candidate, rarity, resemblance, shares)
        for candidate, resemblance in zip(candidates, resembling, strict=True)
    ]


def _rarity(queried: int, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Return the weight of each queried shingle: 1, or RARE over its document frequency.

    The frequency is counted over the candidates and the query. Those are the documents with the
    most shared shingles, so a shingle that many of them have is a template or boilerplate.
    """
    frequency = np.ones(queried)
    for candidate in candidates:
        frequency[candidate.shared] += 1
    return rarity_weight(frequency)


def _score(
    query: TextFingerprints,
    candidate: Candidate,
    rarity: NDArray[np.float64],
    resemblance: Resemblance,
    shares: tuple[float, ...],
) -> Relation:
    if candidate.same_content:
        return Relation(candidate.id, "exact", 1.0, Coverage(1.0, 1.0), index=candidate.index)
    copied = _copied(query, candidate, rarity, resemblance.rare)
    share = copied + (1 - copied) * RESEMBLANCE_WEIGHT * resemblance.rare
    score = float(np.interp(share, shares, _SCALE))
    if candidate.within_k and resemblance.rare >= RESEMBLING:
        score = max(score, VERSION_SCORE)
    score = round(score, 4)
    measured = resemblance.coverage
    coverage = Coverage(round(measured.of_query, 4), round(measured.of_hit, 4))
    return Relation(candidate.id, _kind(score, coverage), score, coverage, index=candidate.index)


def _version_share(query: TextFingerprints) -> float:
    """Return the share from which on texts like the query are versions."""
    width = query.chunk_characters.sum() / query.tokens
    return VERSION_SHARE if width > CHARACTERS_PER_WORD else VERSION_SHARE_OF_CHARACTERS


def _copied(
    query: TextFingerprints, candidate: Candidate, rarity: NDArray[np.float64], resembling: float
) -> float:
    """Return the containment of the shingles, weighted by rarity: the greater direction.

    Only shingles picked by the larger of the two windows can be compared in both texts. Of the
    hit's shingles that the query lacks only the number is known; each counts 1.
    """
    counts = candidate.chunks.shingle_counts
    levels = query.levels[: len(rarity)]
    level = max(int(query.levels.min(initial=3)), int(np.argmax(counts > 0)))
    comparable = levels >= level
    shared = candidate.shared[comparable[candidate.shared]]
    if not len(shared):
        return 0.0
    weight = float(rarity[shared].sum())
    scale = len(query.shingles) / len(rarity)
    unshared = max(0.0, float(counts[level]) - len(shared) * scale)
    of_query = _smoothed(weight, float(rarity[comparable].sum()), resembling)
    of_hit = _smoothed(weight * scale, weight * scale + unshared, resembling)
    return max(of_query, of_hit)


def _smoothed(part: float, whole: float, prior: float) -> float:
    return (part + PRIOR_SHINGLES * prior) / (whole + PRIOR_SHINGLES)


def _kind(score: float, coverage: Coverage) -> Kind:
    if score < SHARED_SCORE:
        return "none"
    if score < VERSION_SCORE:
        return "shares_passages"
    of_query, of_hit = coverage.of_query, coverage.of_hit
    if of_hit >= CONTAINED_COVERAGE and of_query <= of_hit * CONTAINED_RATIO:
        return "contains"
    if of_query >= CONTAINED_COVERAGE and of_hit <= of_query * CONTAINED_RATIO:
        return "excerpt_of"
    return "version"
