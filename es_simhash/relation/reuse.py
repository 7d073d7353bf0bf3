"""What aligned passages say about a relation: that there are some, how they were changed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.relation.alignment.align import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import VERSION_KINDS, Coverage, Relation, Reuse
from es_simhash.relation.reuse_kinds import REUSE_KINDS, ReuseKind
from es_simhash.relation.thresholds import SCORE_DIGITS, SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE

# What is shared by texts that share no passage is below this.
_LEAST_SHARED = SHARED_SCORE - 0.0001


def with_reuse(
    relation: Relation,
    query: AnalysedText,
    hit: AnalysedText,
    passages: Sequence[AlignedPassage],
) -> Relation:
    """Return a relation with the reuse of its passages, which decide whether it shares any.

    Versions stay versions. The score of other texts that share a passage is from 0.3 on, where
    relations are shown, to that of versions, by the share of the text that has more of it.

    Args:
        relation: By fingerprints.
        query: The query.
        hit: The hit.
        passages: All that were aligned.
    """
    is_version = relation.kind in VERSION_KINDS
    if not passages:
        if is_version:
            return relation
        return replace(relation, kind="none", score=min(relation.score, _LEAST_SHARED))
    reuse = _reuse(query, hit, passages)
    if is_version:
        return replace(relation, reuse=reuse)
    share = max(_alike(query, hit, passages))
    score = SHOWN_SCORE + (VERSION_SCORE - SHOWN_SCORE) * share
    score = min(round(score, SCORE_DIGITS), VERSION_SCORE - 0.0001)
    coverage = Coverage(*(round(share, SCORE_DIGITS) for share in _covered(query, hit, passages)))
    return replace(relation, kind="shares_passages", score=score, coverage=coverage, reuse=reuse)


def _reuse(query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]) -> Reuse:
    shares = {
        kind: _covered(query, hit, [each for each in passages if each.agreement.kind == kind])
        for kind in REUSE_KINDS
    }
    most: ReuseKind = max(REUSE_KINDS, key=lambda kind: sum(shares[kind]))
    coverages = [
        Coverage(*(round(share, SCORE_DIGITS) for share in shares[kind])) for kind in REUSE_KINDS
    ]
    return Reuse(most, *coverages)


def _covered(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[float, float]:
    """Return the share of the letters of each text that lies in passages."""
    return _weighted(query, hit, [(passage, 1.0) for passage in passages])


def _alike(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage]
) -> tuple[float, float]:
    """Return the share of each text in passages, as far as these are alike."""
    return _weighted(query, hit, [(passage, passage.agreement.score) for passage in passages])


def _weighted(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[tuple[AlignedPassage, float]]
) -> tuple[float, float]:
    shares = []
    for number, text in enumerate((query.sentence_words, hit.sentence_words)):
        counts = np.zeros(len(text.tokens))
        for passage, weight in passages:
            start, end = passage.at.sides[number]
            counts[start:end] = np.maximum(counts[start:end], weight)
        shares.append(float(text.token_letters @ counts) / max(1, int(text.letters[-1])))
    return shares[0], shares[1]
