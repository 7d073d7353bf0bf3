"""What was copied inside of a paraphrased passage: runs of equal words, and little between them.

Two texts on one subject, such as terms of service, are paraphrases of each other over pages. What
one took from the other is exact only where words are equal.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from es_simhash.fingerprints.hashing import fold
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.alignment.sentence_words import SentenceWords
from es_simhash.relation.alignment.stretches import Stretches, TextPair
from es_simhash.relation.thresholds import COPIED_RUN

# Tokens between two runs of one copied stretch, in either text.
_MAX_GAP = COPIED_RUN


def copied_passages(
    query: SentenceWords, hit: SentenceWords, passages: Sequence[AlignedPassage]
) -> list[AlignedPassage]:
    """Return passages with what was copied in the paraphrased ones in their place."""
    pair = TextPair(query, hit)
    copied: list[AlignedPassage] = []
    for passage in passages:
        if passage.agreement.kind != "paraphrased":
            copied.append(passage)
            continue
        for at in _apart(_chains(_runs(pair, passage.at))):
            copied.append(AlignedPassage(at, pair.agreement(at)))
    return copied


def _runs(pair: TextPair, at: Stretches) -> Iterator[Stretches]:
    """Yield the longest runs of equal tokens of two stretches, in the order of the query.

    What the hit repeats counts where it is first.
    """
    ours = fold(pair.query.tokens[at.query_start : at.query_end], COPIED_RUN)
    numbers, firsts = np.unique(
        fold(pair.hit.tokens[at.hit_start : at.hit_end], COPIED_RUN), return_index=True
    )
    if not len(ours) or not len(numbers):
        return
    places = np.minimum(np.searchsorted(numbers, ours), len(numbers) - 1)
    starts = np.flatnonzero(numbers[places] == ours)
    theirs = firsts[places[starts]]
    is_next = (np.diff(starts) == 1) & (np.diff(theirs) == 1)
    edges = np.concatenate([[0], np.flatnonzero(~is_next) + 1, [len(starts)]])
    for first, behind in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if first < behind:
            start, there = at.query_start + int(starts[first]), at.hit_start + int(theirs[first])
            length = behind - first + COPIED_RUN - 1
            yield Stretches(start, start + length, there, there + length)


def _chains(runs: Iterator[Stretches]) -> list[Stretches]:
    """Return runs, those joined that follow each other in both texts with little between them."""
    chains: list[Stretches] = []
    for run in runs:
        last = chains[-1] if chains else None
        if (
            last is not None
            and 0 <= run.query_start - last.query_end <= _MAX_GAP
            and 0 <= run.hit_start - last.hit_end <= _MAX_GAP
        ):
            chains[-1] = Stretches(last.query_start, run.query_end, last.hit_start, run.hit_end)
        else:
            chains.append(run)
    return chains


def _apart(chains: Sequence[Stretches]) -> list[Stretches]:
    """Return the longest that do not overlap in the query, in its order."""
    kept: list[Stretches] = []
    for at in sorted(chains, key=lambda at: (at.query_start - at.query_end, at)):
        if all(at.query_end <= o.query_start or o.query_end <= at.query_start for o in kept):
            kept.append(at)
    return sorted(kept)
