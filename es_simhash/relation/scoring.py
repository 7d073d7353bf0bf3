"""Scoring: the kind, score and coverage of a relation, from what an index stores of two texts.

`compare`, `related`, families and de-duplication all score here, by the formula of
`relation.version_value`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import require_same_scheme
from es_simhash.relation.candidate import Candidate, ScoredText, StoredText
from es_simhash.relation.relation import Coverage, Kind, Relation, combine, semantic_relation
from es_simhash.relation.resemblance import GREATEST, Resemblance, resemblance_of, resemblances
from es_simhash.relation.shared_shingles import (
    Containment,
    compared_shingles,
    containment,
    least_shared,
    shared_bound,
    shared_shingles,
)
from es_simhash.relation.thresholds import (
    COMMON_DOCUMENTS,
    CONTAINED_COVERAGE,
    CONTAINED_RATIO,
    LENGTH_RATIO,
    SCORE_DIGITS,
    SHARED_SCORE,
    VERSION_SCORE,
)
from es_simhash.relation.version_value import (
    log_odds_of_pair,
    score_of_pair,
    score_without_versions,
    value_of_pair,
)
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.similarity import compare_profiles

NOTHING = Relation(None, "none", 0.0, Coverage(0.0, 0.0))


class ComparedText(StoredText, Protocol):
    """A text with all that is compared of it, as an `AnalysedText` has it."""

    @property
    def fingerprints(self) -> TextFingerprints:
        """Fingerprints of the text."""

    @property
    def is_empty(self) -> bool:
        """True when the text has no token, so that it never matches anything."""

    @property
    def profile(self) -> SemanticProfile:
        """Semantic profile; empty without a profiler."""


def score_candidates(
    query: ScoredText, candidates: Sequence[Candidate], threshold: float
) -> list[Relation]:
    """Return the relation of the query to each candidate, without evidence; also of kind `none`.

    Args:
        query: The query; not an empty text.
        candidates: The candidates.
        threshold: Where versions begin in their index, as in `version_value.score_of_pair`.
    """
    return [
        _relation(query, candidate, resemblance, threshold)
        for candidate, resemblance in zip(candidates, _resemblances(query, candidates), strict=True)
    ]


def rounded_coverages(query: ScoredText, candidates: Sequence[Candidate]) -> list[Coverage]:
    """Return the coverage of the query and each candidate, as relations have it."""
    return [_rounded(resemblance.coverage) for resemblance in _resemblances(query, candidates)]


def unshared_scores(query: ScoredText, texts: Sequence[ScoredText]) -> list[float]:
    """Return the greatest score that each of some texts can have without a shingle of the query.

    It needs no comparison of chunks, and no threshold: versions share a shingle.
    """
    fewer = (compared_shingles(query.windows, text.windows)[0] for text in texts)
    return list(map(_unshared_score, fewer))


@lru_cache(maxsize=1 << 12)
def _unshared_score(fewer: float) -> float:
    """Return that score by the shingles of the text that has fewer; most have a few hundred."""
    greatest = score_without_versions(Containment(0, fewer, fewer), GREATEST)
    return round(greatest, SCORE_DIGITS)


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
    exact_score = score_of_pair(query, candidate, shared, resemblance, threshold)
    score, coverage = round(exact_score, SCORE_DIGITS), _rounded(resemblance.coverage)
    return Relation(candidate.id, _kind(score, coverage), score, coverage, index=candidate.index)


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


def min_shared(text: StoredText) -> int:
    """Return how many of its queried shingles a candidate must have."""
    return least_shared(len(text.shingles))


def are_candidates(one: StoredText, other: StoredText) -> bool:
    """Check whether two texts find each other; both sides say the same.

    A shingle counts when it is queried from both sides, so that it does not matter
    which of the two came first.
    """
    least = max(min_shared(one), min_shared(other))
    return shared_shingles(one.queried_shingles, other.queried_shingles) >= least


def link_score(one: StoredText, other: StoredText, threshold: float) -> float:
    """Return the score of two texts that are linked as versions, 0 of others.

    Args:
        one: A text.
        other: Another.
        threshold: Where versions begin in their index, as in `version_value.score_of_pair`.
    """
    shorter, longer = sorted((one.characters, other.characters))
    if shorter * LENGTH_RATIO < longer:
        return 0.0
    return version_score(one, other, threshold)


def kept_share(one: StoredText, other: StoredText) -> float:
    """Return the share of the shingles of one text that the other has, the greater of both."""
    return _containment(one, other).share


def version_score(one: StoredText, other: StoredText, threshold: float) -> float:
    """Return the score of two texts that are versions of each other, 0 of others.

    The chunks of long texts take long to compare; that is done only where it may decide.

    Args:
        one: A text.
        other: Another.
        threshold: Where versions begin in their index.
    """
    if one.content_hash == other.content_hash:
        return 1.0
    shared = _containment(one, other)
    if not shared.shared or value_of_pair(one, other, shared, GREATEST) < threshold:
        return 0.0
    resemblance = resemblance_of(one.chunks, other.chunks)
    score = round(score_of_pair(one, other, shared, resemblance, threshold), SCORE_DIGITS)
    return score if score >= VERSION_SCORE else 0.0


def version_value(one: StoredText, other: StoredText) -> float:
    """Return how far two texts are versions, from 0 to 1, before the threshold of any index."""
    if one.content_hash == other.content_hash:
        return 1.0
    shared = _containment(one, other)
    if not shared.shared:
        return 0.0
    return value_of_pair(one, other, shared, resemblance_of(one.chunks, other.chunks))


def with_log_odds(relation: Relation, query: ComparedText, hit: ComparedText) -> Relation:
    """Return a relation with what speaks for versions; unchanged where no text is shared."""
    if query.is_empty or hit.is_empty:
        return relation
    shared = _containment(query, hit)
    if not shared.shared:
        return relation
    resemblance = resemblance_of(query.chunks, hit.chunks)
    return replace(relation, log_odds=log_odds_of_pair(query, hit, shared, resemblance))


def _containment(one: StoredText, other: StoredText) -> Containment:
    bound = shared_bound(one.chunks, other.chunks)
    shared = shared_shingles(one.shingles, other.shingles, bound)
    return containment(one.chunks, other.chunks, shared)


def with_commonness(
    relations: Sequence[Relation], candidates: Sequence[Candidate]
) -> list[Relation]:
    """Return relations with the share of the shared text that many other documents have.

    A shingle is common when COMMON_DOCUMENTS other candidates of the query have it as well. Those
    are the documents that share most with it, so what is called common is.

    Args:
        relations: Relations of the candidates, in their order.
        candidates: All that were found.
    """
    if not candidates:
        return []
    counts = [len(candidate.shared) for candidate in candidates]
    everything = np.concatenate([candidate.shared for candidate in candidates])
    _, places, frequencies = np.unique(everything, return_inverse=True, return_counts=True)
    is_common = np.concatenate([[0], np.cumsum(frequencies[places] > COMMON_DOCUMENTS)])
    ends = np.cumsum(counts)
    common = is_common[ends] - is_common[ends - counts]
    return [
        replace(relation, common=round(float(part) / count, 4)) if count else relation
        for relation, part, count in zip(relations, common.tolist(), counts, strict=True)
    ]


def compare_texts(
    query: ComparedText, hit: ComparedText, threshold: float = VERSION_SCORE
) -> Relation:
    """Return the relation of two analysed texts by what is stored of them, not by their passages.

    Args:
        query: The query.
        hit: The hit.
        threshold: Where versions begin in their index; the default for texts of none.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.
        SchemeMismatch: They were analysed with different schemes.
    """
    by_shingles = compare_fingerprints(query, hit, threshold)
    if query.is_empty or hit.is_empty:
        return by_shingles
    semantics = compare_profiles(query.profile, hit.profile)
    if semantics.similarity <= 0:
        return by_shingles
    return combine(by_shingles, semantic_relation(None, None, semantics))


def compare_fingerprints(
    query: ComparedText, hit: ComparedText, threshold: float = VERSION_SCORE
) -> Relation:
    """Return the relation of two texts by their fingerprints and sketches, without evidence.

    Args:
        query: The query.
        hit: The hit.
        threshold: Where versions begin in their index; the default for texts of none.

    Raises:
        SchemeMismatch: They come from different schemes.
    """
    require_same_scheme(query.fingerprints.scheme, hit.fingerprints.scheme)
    if query.is_empty or hit.is_empty:
        return NOTHING
    return score_candidates(query, [Candidate.of(query, hit)], threshold)[0]
