"""How far two texts are versions of each other, as families link them."""

from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.records import agreement, common_count
from es_simhash.relation.resemblance import similarity
from es_simhash.relation.thresholds import (
    COPIED,
    LENGTH_RATIO,
    LINK_SCORE,
    MEMBER_SCORE,
    RESEMBLANCE_WEIGHT,
)

# How many queried shingles two texts must share to find each other; all of a text that has fewer.
SHARED = 2


def min_shared(text: AnalysedText) -> int:
    """Return how many of its queried shingles a candidate must have."""
    return min(SHARED, len(text.shingles))


def are_candidates(one: AnalysedText, other: AnalysedText) -> bool:
    """Check whether two texts find each other; both sides say the same.

    A shingle counts when it is queried from both sides, so that it does not matter
    which of the two came first.
    """
    least = max(min_shared(one), min_shared(other))
    return common_count(one.queried_shingles, other.queried_shingles) >= least


def version_score(one: AnalysedText, other: AnalysedText, least: float = 0.0) -> float:
    """Return how far two texts are versions of each other, from 0 to 1, from them alone.

    Short texts are compared as records. Otherwise one half is the agreement of the heads, the
    other the containment of the shingles with a quarter of what resembles: texts made by one form
    share much, but not their head. Texts that share nearly all are versions
    whatever their heads.

    Args:
        one: A text.
        other: Another.
        least: Scores that are certainly less need not be exact: 0 is given for them. Most
            candidates are strangers, and the chunks of long texts take long to compare.
    """
    if one.content_hash == other.content_hash:
        return 1.0
    if one.is_short and other.is_short:
        return agreement(one.record, other.record, least)
    contained, common = _shares(one, other)
    copied = min(1.0, common - COPIED + LINK_SCORE)
    most = contained + (1 - contained) * RESEMBLANCE_WEIGHT
    if (most + 1) / 2 < least and copied < least:
        return 0.0
    heads = agreement(one.record, other.record)
    if (most + heads) / 2 < least and copied < least:
        return 0.0
    body = contained + (1 - contained) * RESEMBLANCE_WEIGHT * _resembling(one, other)
    return max((body + heads) / 2, copied)


def link_score(one: AnalysedText, other: AnalysedText, link: float = LINK_SCORE) -> float:
    """Return the score of two texts that are linked as versions, 0 of others."""
    shorter, longer = sorted((one.characters, other.characters))
    if shorter * LENGTH_RATIO < longer:
        return 0.0
    score = version_score(one, other, link)
    return score if score >= link else 0.0


def member_score(
    representative: AnalysedText, other: AnalysedText, link: float = LINK_SCORE
) -> float:
    """Return the score of a text that may be in a family with its representative, 0 of others.

    A version of a version may have less in common with the representative than two linked texts,
    but for short texts: a third of a record is soon shared by chance.
    """
    is_record = representative.is_short and other.is_short
    least = link if is_record else MEMBER_SCORE
    score = version_score(representative, other, least)
    return score if score >= least else 0.0


def _shares(one: AnalysedText, other: AnalysedText) -> tuple[float, float]:
    """Return the greater and the smaller share of the shingles that two texts have in common.

    They are counted at the larger of the two windows, which picks fewer from the shorter text.
    """
    counts, others = one.chunks.shingle_counts, other.chunks.shingle_counts
    level = max(one.level, other.level)
    shared = common_count(one.shingles, other.shingles)
    fewer, more = sorted((int(counts[level]), int(others[level])))
    return min(1.0, shared / max(1, fewer)), min(1.0, shared / max(1, more))


def _resembling(one: AnalysedText, other: AnalysedText) -> float:
    """Return the share of the characters that resemble: the greater of the two directions."""
    bits = one.chunks.fingerprints.shape[1] * 8
    distances = hamming_distances(one.chunks.fingerprints, other.chunks.fingerprints)
    lengths, others = one.chunks.characters, other.chunks.characters
    of_one = (similarity(distances.min(axis=1), bits) * lengths).sum() / lengths.sum()
    of_other = (similarity(distances.min(axis=0), bits) * others).sum() / others.sum()
    return float(max(of_one, of_other))
