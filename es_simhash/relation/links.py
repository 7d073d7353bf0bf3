"""Which texts find each other, and which are linked as versions, as families see it."""

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.resemblance import resemblance_of
from es_simhash.relation.shingle_sample import least_shared
from es_simhash.relation.thresholds import LENGTH_RATIO
from es_simhash.relation.version_score import (
    Containment,
    containment,
    shared_bound,
    shared_shingles,
)
from es_simhash.relation.version_score import version_score as pair_score
from es_simhash.relation.version_score import version_value as pair_value


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


def link_score(one: AnalysedText, other: AnalysedText, threshold: float) -> float:
    """Return the score of two texts that are linked as versions, 0 of others.

    Args:
        one: A text.
        other: Another.
        threshold: Where versions begin in their index, as in `version_score.score`.
    """
    shorter, longer = sorted((one.characters, other.characters))
    if shorter * LENGTH_RATIO < longer:
        return 0.0
    return version_score(one, other, threshold)


def kept_share(one: AnalysedText, other: AnalysedText) -> float:
    """Return the share of the shingles of one text that the other has, the greater of both."""
    return _containment(one, other).share


def version_score(one: AnalysedText, other: AnalysedText, threshold: float) -> float:
    """Return the score of two texts that are versions of each other, 0 of others.

    Args:
        one: A text.
        other: Another.
        threshold: As in `link_score`.
    """
    if one.content_hash == other.content_hash:
        return 1.0
    return pair_score(one, other, _containment(one, other), threshold)


def version_value(one: AnalysedText, other: AnalysedText) -> float:
    """Return how far two texts are versions, from 0 to 1, before the threshold of any index."""
    if one.content_hash == other.content_hash:
        return 1.0
    shared = _containment(one, other)
    if not shared.shared:
        return 0.0
    return pair_value(one, other, shared, resemblance_of(one.chunks, other.chunks))


def _containment(one: AnalysedText, other: AnalysedText) -> Containment:
    bound = shared_bound(one.chunks, other.chunks)
    shared = shared_shingles(one.shingles, other.shingles, bound)
    return containment(one.chunks, other.chunks, shared)
