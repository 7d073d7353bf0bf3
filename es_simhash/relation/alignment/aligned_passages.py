"""The passages of two texts, aligned: seeds, clusters of them, stretches, and the best of these."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from es_simhash.relation.alignment.seeds import Seeds, seeds
from es_simhash.relation.alignment.sentence_words import SentenceWords
from es_simhash.relation.alignment.sorted_arrays import sorted_unique
from es_simhash.relation.alignment.stretches import Agreement, Stretches, TextPair
from es_simhash.relation.interruption import require_wanted
from es_simhash.relation.thresholds import (
    COPIED_SCORE,
    INFORMED_SEEDS,
    PASSAGE_COSINE,
    PASSAGE_GAP,
    SUMMARY_COSINE,
    SUMMARY_GAP,
    SUMMARY_RATIO,
    SUMMARY_SEEDS,
)
from es_simhash.text.tokens import Ints

# Up to so many seeds, numpy's operations take longer than Python's.
_FEW_SEEDS = 64


def clusters(query: Ints, hit: Ints, query_gap: int, hit_gap: int) -> list[Ints]:
    """Return groups of seeds without a gap in either text, each as places of its seeds.

    Seeds are split at the gaps in one text and in the other, in turn, until nothing splits any
    more (Sanchez-Perez et al. 2014).

    Args:
        query: Sentence of each seed in the query.
        hit: Its sentence in the hit.
        query_gap: Distance in sentences of the query from which on two seeds are apart.
        hit_gap: That distance in sentences of the hit.
    """
    if len(query) <= _FEW_SEEDS:
        return _few_clusters(query.tolist(), hit.tolist(), query_gap, hit_gap)
    group = np.zeros(len(query), np.int64)
    groups = 0
    while groups <= group.max():
        groups = int(group.max()) + 1
        for places, gap in ((query, query_gap), (hit, hit_gap)):
            order = np.lexsort((places, group))
            begins = (np.diff(group[order]) != 0) | (np.diff(places[order]) > gap)
            group[order] = np.concatenate([[0], np.cumsum(begins)])
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def _few_clusters(query: list[int], hit: list[int], query_gap: int, hit_gap: int) -> list[Ints]:
    """Return what `clusters` returns, by steps that take less time where seeds are few."""
    groups = [list(range(len(query)))] if query else []
    before = 0
    while before < len(groups):
        before = len(groups)
        for places, gap in ((query, query_gap), (hit, hit_gap)):
            groups = [part for group in groups for part in _split(group, places, gap)]
    return [np.array(sorted(group)) for group in groups]


def _split(group: list[int], places: list[int], gap: int) -> list[list[int]]:
    """Return the parts of a group of seeds between the gaps in one text, in its order."""
    ordered = sorted(group, key=places.__getitem__)
    parts = [ordered[:1]]
    for before, seed in itertools.pairwise(ordered):
        if places[seed] - places[before] > gap:
            parts.append([])
        parts[-1].append(seed)
    return parts


@dataclass(frozen=True)
class AlignedPassage:
    """Two stretches that are one passage, and how much they have in common."""

    at: Stretches
    agreement: Agreement

    @property
    def rank(self) -> tuple[float, float, int, int]:
        """Key by which the better of two that overlap is kept; the same from either side."""
        at = self.at
        starts = (at.query_start, at.hit_start)
        return -self.agreement.score, -self.agreement.information, sum(starts), min(starts)

    @property
    def rank_by_weight(self) -> tuple[float, Stretches]:
        """Key by which passages are shown: those that share most information first."""
        return -self.agreement.information * self.agreement.score, self.at


def align(query: SentenceWords, hit: SentenceWords) -> list[AlignedPassage]:
    """Return the passages that two texts share, in the order of the query.

    Each is as long as what was copied, reworded or summarised; no two overlap, except for what is
    repeated word for word. The passages of B and A are those of A and B with the sides exchanged.
    """
    if not query.count or not hit.count:
        return []
    pair = TextPair(query, hit)
    if np.array_equal(query.tokens, hit.tokens):
        whole = Stretches(0, len(query.tokens), 0, len(hit.tokens))
        equal = Agreement(1.0, query.information, 1.0, int(query.letters[-1]))
        return [AlignedPassage(whole, equal)]
    seed_pairs = seeds(query, hit, pair.runs)
    if not len(seed_pairs.query):
        return []
    passages = _apart(pair, _passages(pair, seed_pairs))
    summaries = [
        *_summaries(pair, seed_pairs, (PASSAGE_GAP, SUMMARY_GAP)),
        *_summaries(pair, seed_pairs, (SUMMARY_GAP, PASSAGE_GAP)),
    ]
    for summary in sorted(summaries, key=lambda passage: passage.rank):
        parts = [passage for passage in passages if _overlap(passage.at, summary.at)]
        if all(part.agreement.score < COPIED_SCORE for part in parts):
            passages = [passage for passage in passages if passage not in parts] + [summary]
    return sorted(passages, key=lambda passage: passage.at)


def _passages(pair: TextPair, seed_pairs: Seeds) -> Iterator[AlignedPassage]:
    """Yield the passages of seeds that are near each other in both texts."""
    least = INFORMED_SEEDS * pair.least_information
    for group in clusters(seed_pairs.query, seed_pairs.hit, PASSAGE_GAP, PASSAGE_GAP):
        require_wanted()
        if seed_pairs.information[group].sum() < least:
            continue
        at = pair.trimmed(_around(pair, seed_pairs, group))
        agreement = pair.agreement(at)
        if _is_passage(pair, at, agreement, PASSAGE_COSINE):
            yield AlignedPassage(at, agreement)


def _around(pair: TextPair, seed_pairs: Seeds, group: Ints) -> Stretches:
    """Return the stretches from the first to the last sentence of a group of seeds."""
    return Stretches(
        int(pair.query.bounds[seed_pairs.query[group].min()]),
        int(pair.query.bounds[seed_pairs.query[group].max() + 1]),
        int(pair.hit.bounds[seed_pairs.hit[group].min()]),
        int(pair.hit.bounds[seed_pairs.hit[group].max() + 1]),
    )


def _is_passage(pair: TextPair, at: Stretches, agreement: Agreement, cosine: float) -> bool:
    """Check whether two stretches have more in common than by chance.

    Copied runs that would be a passage alone are one as well where what is around them is edited:
    the more two texts share, the more are they found to.
    """
    if agreement.kind == "verbatim" and agreement.letters >= pair.least_letters:
        return True
    if agreement.kind == "edited" and pair.copied_letters(at) >= pair.least_letters:
        return True
    return agreement.cosine >= cosine and agreement.information >= pair.least_information


def _summaries(
    pair: TextPair, seed_pairs: Seeds, gaps: tuple[int, int]
) -> Iterator[AlignedPassage]:
    """Yield passages of which one side is much longer than the other, where the gaps are wider."""
    if len(seed_pairs.query) < SUMMARY_SEEDS:
        return
    least = INFORMED_SEEDS * pair.least_information
    for group in clusters(seed_pairs.query, seed_pairs.hit, *gaps):
        require_wanted()
        places = min(len(sorted_unique(side[group])) for side in (seed_pairs.query, seed_pairs.hit))
        if places < SUMMARY_SEEDS or seed_pairs.information[group].sum() < least:
            continue
        at = _around(pair, seed_pairs, group)
        ours = int(pair.query.letters[at.query_end] - pair.query.letters[at.query_start])
        theirs = int(pair.hit.letters[at.hit_end] - pair.hit.letters[at.hit_start])
        long, short = (theirs, ours) if gaps[0] < gaps[1] else (ours, theirs)
        if long < SUMMARY_RATIO * short:
            continue
        agreement = pair.agreement(at)
        if _is_passage(pair, at, agreement, SUMMARY_COSINE):
            yield AlignedPassage(at, agreement)


def _apart(pair: TextPair, passages: Iterable[AlignedPassage]) -> list[AlignedPassage]:
    """Return the best passages that do not overlap; one side of a verbatim one may be repeated."""
    taken = np.zeros(len(pair.query.tokens), bool), np.zeros(len(pair.hit.tokens), bool)
    kept = []
    for passage in sorted(passages, key=lambda passage: passage.rank):
        at = passage.at
        ours = taken[0][at.query_start : at.query_end]
        theirs = taken[1][at.hit_start : at.hit_end]
        overlaps = bool(ours.any()), bool(theirs.any())
        if all(overlaps) or (any(overlaps) and passage.agreement.kind != "verbatim"):
            continue
        ours[:] = theirs[:] = True
        kept.append(passage)
    return kept


def _overlap(one: Stretches, other: Stretches) -> bool:
    """Check whether two passages overlap in either text."""
    return (one.query_start < other.query_end and other.query_start < one.query_end) or (
        one.hit_start < other.hit_end and other.hit_start < one.hit_end
    )
