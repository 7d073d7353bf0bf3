"""Scoring: the kind, score and coverage of a relation, from fingerprints and sketches alone."""

from collections.abc import Sequence

from es_simhash.relation.candidate import Candidate
from es_simhash.relation.model import Coverage, Kind, Relation
from es_simhash.relation.resemblance import GREATEST, Resemblance, resemblances
from es_simhash.relation.thresholds import (
    CONTAINED_COVERAGE,
    CONTAINED_RATIO,
    SCORE_DIGITS,
    SHARED_SCORE,
    VERSION_SCORE,
)
from es_simhash.relation.version_score import (
    ScoredText,
    containment,
    score,
    shared_bound,
)


def score_candidates(
    query: ScoredText, candidates: Sequence[Candidate], threshold: float
) -> list[Relation]:
    """Return the relation of the query to each candidate, without evidence; also of kind `none`.

    Args:
        query: The query; not an empty text.
        candidates: What was found.
        threshold: Where versions begin in their index, as in `version_score.score`.
    """
    return [
        _relation(query, candidate, resemblance, threshold)
        for candidate, resemblance in zip(candidates, _resemblances(query, candidates), strict=True)
    ]


def rounded_coverages(query: ScoredText, candidates: Sequence[Candidate]) -> list[Coverage]:
    """Return the coverage of the query and each candidate, as relations have it."""
    return [_rounded(each.coverage) for each in _resemblances(query, candidates)]


def unshared_score(query: ScoredText, candidate: Candidate) -> float:
    """Return the greatest score a candidate can have that shares no shingle with the query.

    It needs no comparison of chunks, and no threshold: versions share a shingle.
    """
    nothing = containment(query.chunks, candidate.chunks, 0)
    return round(score(query, candidate, nothing, GREATEST, VERSION_SCORE), SCORE_DIGITS)


def _resemblances(query: ScoredText, candidates: Sequence[Candidate]) -> list[Resemblance]:
    if not candidates:
        return []
    return resemblances(query.chunks, [candidate.chunks for candidate in candidates])


def _rounded(coverage: Coverage) -> Coverage:
    return Coverage(round(coverage.of_query, SCORE_DIGITS), round(coverage.of_hit, SCORE_DIGITS))


def _relation(
    query: ScoredText, candidate: Candidate, resemblance: Resemblance, threshold: float
) -> Relation:
    if candidate.same_content:
        return Relation(candidate.id, "exact", 1.0, Coverage(1.0, 1.0), index=candidate.index)
    bound = shared_bound(query.chunks, candidate.chunks)
    shared = containment(query.chunks, candidate.chunks, int(candidate.shared.searchsorted(bound)))
    found = round(score(query, candidate, shared, resemblance, threshold), SCORE_DIGITS)
    rounded = _rounded(resemblance.coverage)
    return Relation(candidate.id, _kind(found, rounded), found, rounded, index=candidate.index)


def _kind(found: float, coverage: Coverage) -> Kind:
    if found < SHARED_SCORE:
        return "none"
    if found < VERSION_SCORE:
        return "shares_passages"
    of_query, of_hit = coverage.of_query, coverage.of_hit
    if of_hit >= CONTAINED_COVERAGE and of_query <= of_hit * CONTAINED_RATIO:
        return "contains"
    if of_query >= CONTAINED_COVERAGE and of_hit <= of_query * CONTAINED_RATIO:
        return "excerpt_of"
    return "version"
