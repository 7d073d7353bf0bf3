"""Which texts find each other, and which are linked as versions, as families see it."""

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.judgement import (
    containment,
    least_shared,
    shared_bound,
    shared_shingles,
    version_score,
)
from es_simhash.relation.thresholds import LENGTH_RATIO, MEMBER_SCORE, VERSION_SCORE


def min_shared(text: AnalysedText) -> int:
    """Return how many of its queried shingles a candidate must have."""
    return least_shared(len(text.shingles))


def are_candidates(one: AnalysedText, other: AnalysedText) -> bool:
    """Check whether two texts find each other; both sides say the same.

    A shingle counts when it is queried from both sides, so that it does not matter
    which of the two came first.
    """
    least = max(min_shared(one), min_shared(other))
    return shared_shingles(one.queried_shingles, other.queried_shingles) >= least


def link_score(one: AnalysedText, other: AnalysedText) -> float:
    """Return the score of two texts that are linked as versions, 0 of others."""
    shorter, longer = sorted((one.characters, other.characters))
    if shorter * LENGTH_RATIO < longer:
        return 0.0
    return _version_score(one, other, VERSION_SCORE)


def member_score(representative: AnalysedText, other: AnalysedText) -> float:
    """Return the score of a text that may be in a family with its representative, 0 of others.

    A version of a version may have less in common with the representative than two linked texts.
    """
    return _version_score(representative, other, MEMBER_SCORE)


def _version_score(one: AnalysedText, other: AnalysedText, least: float) -> float:
    if one.content_hash == other.content_hash:
        return 1.0
    bound = shared_bound(one.chunks, other.chunks)
    shared = shared_shingles(one.shingles, other.shingles, bound)
    return version_score(one, other, containment(one.chunks, other.chunks, shared), least)
