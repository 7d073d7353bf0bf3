"""The pairs that a method gets wrong, with what the two texts share."""

from collections.abc import Sequence

import numpy as np

from es_simhash.lab.evaluation.model import LabelledSet, MethodFigures, WrongPair
from es_simhash.relation.text_comparison import compare

# Passages of a pair that are kept, and characters of a passage.
_PASSAGES, _CHARACTERS = 3, 300


def wrong_pairs(
    labelled: LabelledSet, figures: Sequence[MethodFigures], most: int
) -> tuple[tuple[WrongPair, ...], int]:
    """Return the pairs that the first method gets wrong, and how many there are.

    The worst come first: those whose score is farthest on the wrong side of the cut.

    Args:
        labelled: The set.
        figures: Of the methods on it.
        most: How many pairs to return.
    """
    first = figures[0]
    scores = first.scored.scores
    wrong = np.flatnonzero((scores >= first.cuts) != labelled.pairs.labels)
    order = np.argsort(-np.abs(scores - first.cuts)[wrong], kind="stable")
    shown = wrong[order[:most]].tolist()
    return tuple(_wrong_pair(labelled, figures, place) for place in shown), len(wrong)


def _wrong_pair(labelled: LabelledSet, figures: Sequence[MethodFigures], place: int) -> WrongPair:
    pairs, method = labelled.pairs, figures[0]
    one, other = int(pairs.first[place]), int(pairs.second[place])
    relation = compare(labelled.texts[one], labelled.texts[other], semantics=None)
    return WrongPair(
        labelled.ids[one],
        labelled.ids[other],
        bool(pairs.labels[place]),
        float(method.scored.scores[place]),
        float(method.cuts[place]),
        bool(method.scored.is_candidate[place]),
        relation.kind,
        tuple(
            (passage.query.text[:_CHARACTERS], passage.hit.text[:_CHARACTERS])
            for passage in relation.evidence[:_PASSAGES]
        ),
        {each.name: float(each.scored.scores[place]) for each in figures[1:]},
    )
