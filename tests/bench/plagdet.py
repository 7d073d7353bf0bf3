"""Measures of text alignment: recall, precision, granularity and plagdet of passages."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from typing import NamedTuple


class PassagePair(NamedTuple):
    """A passage in two texts, in characters; the ends are exclusive."""

    query_start: int
    query_end: int
    hit_start: int
    hit_end: int


class AlignmentScore(NamedTuple):
    """How well passages were found (Potthast et al., COLING 2010).

    Attributes:
        plagdet: F1 of recall and precision, divided by log2(1 + granularity); from 0 to 1.
        recall: Mean share of the characters of a known passage, on both sides, that was found.
        precision: Mean share of the characters of a found passage that belongs to a known one.
        granularity: Mean number of found passages for each known one that was found; 1 is best.
    """

    plagdet: float
    recall: float
    precision: float
    granularity: float


# The passages of each pair of texts.
Passages = Mapping[tuple[str, str], Sequence[PassagePair]]


def alignment_score(known: Passages, found: Passages) -> AlignmentScore:
    """Return how well the found passages are those that are known.

    Args:
        known: The known passages of each pair of texts.
        found: The found ones, also of pairs without a known one.
    """
    recall, granularity = _covered(known, found)
    precision, _ = _covered(found, known)
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return AlignmentScore(both / log2(1 + granularity), recall, precision, granularity)


def _covered(passages: Passages, others: Passages) -> tuple[float, float]:
    """Return the mean share of passages that others cover, and how many others do, of those."""
    shares, counts = [], []
    for pair, some in passages.items():
        for passage in some:
            hits = [other for other in others.get(pair, ()) if _overlaps(passage, other)]
            ours = _union((passage[0], passage[1]), ((hit[0], hit[1]) for hit in hits))
            theirs = _union((passage[2], passage[3]), ((hit[2], hit[3]) for hit in hits))
            shares.append((ours + theirs) / (passage[1] - passage[0] + passage[3] - passage[2]))
            if hits:
                counts.append(len(hits))
    return (
        sum(shares) / len(shares) if shares else 0.0,
        sum(counts) / len(counts) if counts else 1.0,
    )


def _overlaps(one: PassagePair, other: PassagePair) -> bool:
    """Check whether two passages overlap in both texts."""
    return min(one.query_end, other.query_end) > max(one.query_start, other.query_start) and min(
        one.hit_end, other.hit_end
    ) > max(one.hit_start, other.hit_start)


def _union(stretch: tuple[int, int], others: Iterable[tuple[int, int]]) -> int:
    """Return how many characters of a stretch others cover."""
    covered, reached = 0, stretch[0]
    for start, end in sorted(others):
        first, last = max(start, reached), min(end, stretch[1])
        covered += max(0, last - first)
        reached = max(reached, last)
    return covered
