"""Texts as families compare them, and how far two of them are versions of each other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints, shingle_counts
from es_simhash.fingerprints.scheme import SHINGLE_BITS, Scheme
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.fingerprints.text_fingerprints import (
    TextFingerprints,
    fingerprint_batch,
    text_batches,
)
from es_simhash.relation.records import Record, agreement, common_count, record
from es_simhash.relation.resemblance import similarity
from es_simhash.relation.scoring import RESEMBLANCE_WEIGHT
from es_simhash.text.limits import within_limit

# From here on two texts are linked as versions. 0.70 to 0.74 is a plateau (docs/families.md); it
# has to be above 0.7, which records of the same words reach when all of their numbers differ.
LINK_SCORE = 0.72
# Least score of a member with the representative of its family.
MEMBER_SCORE = 0.5
# The head of a text, its title and what stands around it, in tokens.
HEAD_TOKENS = 32
# Texts of the first two classes of windows, up to 128 tokens, are compared as records.
_SHORT_LEVEL = 1
# Where the smaller share of the passages two texts have in common is this high, they are linked
# whatever their heads.
COPIED = 0.85
# A text more than so many times as long as another is no version of it; it may contain it.
LONGER = 8
# Passages of a text that are asked for, on average; all of a text that has fewer.
ASKED = 128
# How many of these two texts must share; all of a text that has fewer.
SHARED = 2


@dataclass(frozen=True)
class Content:
    """One text, however many documents have it.

    Attributes:
        content_hash: Of the text.
        passages: Its passages, ascending.
        asked: Those by which it is found: the ones below a bound that follows from their number.
        chunks: Its chunk fingerprints, and how many passages each window picks.
        level: Number of the window of texts of its length, from 0 to 3.
        record: The whole of a short text, the head of another.
        characters: Of its chunks.
    """

    content_hash: str
    shingles: NDArray[np.uint32]
    asked: NDArray[np.uint32]
    chunks: ChunkFingerprints
    level: int
    record: Record
    characters: int

    @property
    def is_short(self) -> bool:
        """True when all of it is compared as a record."""
        return self.level <= _SHORT_LEVEL


def read_contents(texts: Iterable[str], scheme: Scheme) -> Iterator[Content | None]:
    """Yield each text as families compare it, in order; None for one without words."""
    for batch in text_batches(within_limit(text) for text in texts):
        fingerprints = fingerprint_batch(batch, scheme)
        for text, each in zip(batch, fingerprints, strict=True):
            yield None if each.is_empty else _content(text, each)


def _content(text: str, fingerprints: TextFingerprints) -> Content:
    shingles = fingerprints.shingles
    counts = shingle_counts(fingerprints.levels)
    level = int(np.argmax(counts > 0))
    return Content(
        fingerprints.content_hash,
        shingles,
        shingles[: int(np.searchsorted(shingles, _bound(len(shingles))))],
        ChunkFingerprints(fingerprints.chunks, fingerprints.chunk_characters, counts),
        level,
        record(text, None if level <= _SHORT_LEVEL else HEAD_TOKENS),
        int(fingerprints.chunk_characters.sum()),
    )


def _bound(shingles: int) -> int:
    """Return the number below which passages are asked for; all for texts with few."""
    return (1 << SHINGLE_BITS) if shingles <= ASKED else (ASKED << SHINGLE_BITS) // shingles


def least_shared(content: Content) -> int:
    """Return how many of the passages asked for a candidate must have."""
    return min(SHARED, len(content.shingles))


def are_candidates(one: Content, other: Content) -> bool:
    """Check whether two texts find each other; both sides say the same.

    A passage counts when it is among those asked for from both sides, so that it does not matter
    which of the two came first.
    """
    least = max(least_shared(one), least_shared(other))
    return common_count(one.asked, other.asked) >= least


def version_score(one: Content, other: Content, least: float = 0.0) -> float:
    """Return how far two texts are versions of each other, from 0 to 1, from them alone.

    Short texts are compared as records. Otherwise one half is the agreement of the heads, the
    other the containment of the passages with a quarter of what resembles: texts made by one form
    share much, but not what stands at their head. Texts that share nearly all are versions
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


def link_score(one: Content, other: Content, link: float = LINK_SCORE) -> float:
    """Return the score of two texts that are linked as versions, 0 of others."""
    shorter, longer = sorted((one.characters, other.characters))
    if shorter * LONGER < longer:
        return 0.0
    score = version_score(one, other, link)
    return score if score >= link else 0.0


def member_score(representative: Content, other: Content, link: float = LINK_SCORE) -> float:
    """Return the score of a text that may be in a family with its representative, 0 of others.

    A version of a version may have less in common with the representative than two linked texts,
    but for short texts: a third of a record is soon shared by chance.
    """
    is_record = representative.is_short and other.is_short
    least = link if is_record else MEMBER_SCORE
    score = version_score(representative, other, least)
    return score if score >= least else 0.0


def _shares(one: Content, other: Content) -> tuple[float, float]:
    """Return the greater and the smaller share of the passages that two texts have in common.

    They are counted at the larger of the two windows, which picks fewer from the shorter text.
    """
    counts, others = one.chunks.shingle_counts, other.chunks.shingle_counts
    level = max(one.level, other.level)
    shared = common_count(one.shingles, other.shingles)
    fewer, more = sorted((int(counts[level]), int(others[level])))
    return min(1.0, shared / max(1, fewer)), min(1.0, shared / max(1, more))


def _resembling(one: Content, other: Content) -> float:
    """Return the share of the characters that resemble: the greater of the two directions."""
    bits = one.chunks.fingerprints.shape[1] * 8
    distances = hamming_distances(one.chunks.fingerprints, other.chunks.fingerprints)
    lengths, others = one.chunks.characters, other.chunks.characters
    of_one = (similarity(distances.min(axis=1), bits) * lengths).sum() / lengths.sum()
    of_other = (similarity(distances.min(axis=0), bits) * others).sum() / others.sum()
    return float(max(of_one, of_other))
