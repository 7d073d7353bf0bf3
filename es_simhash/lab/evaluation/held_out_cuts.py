"""Cuts that were not chosen on the pairs they are applied to, and the intervals of figures.

With one file the documents are dealt into groups, whole families together: the cut of a pair comes
from the pairs of which neither document is in the groups of its two. With several files, the cut of
each comes from the others.

Confidence intervals come from drawing documents, not pairs, again and again: the pairs of a
document are not independent of each other, so that drawing pairs gives intervals that are too
narrow. A pair counts as often as its two documents were drawn, multiplied.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from es_simhash.lab.evaluation.evaluation_figures import Interval
from es_simhash.lab.evaluation.pair_measures import (
    Counts,
    Curve,
    DocumentPairs,
    Floats,
    Ints,
    Labels,
)

GROUPS = 5
_SEED = 7


def document_groups(pairs: DocumentPairs, groups: int = GROUPS) -> Ints:
    """Return the group of each document: families are dealt out, the largest first.

    Families of one size are dealt in an order that is random and the same in every run.
    """
    families = pairs.families
    sizes = np.bincount(families)
    shuffled = np.random.default_rng(_SEED).permutation(len(sizes))
    filled = np.zeros(groups, np.int64)
    group_of = np.zeros(len(sizes), np.int64)
    for family in shuffled[np.argsort(-sizes[shuffled], kind="stable")].tolist():
        group_of[family] = int(filled.argmin())
        filled[group_of[family]] += sizes[family]
    return group_of[families]


def cross_fitted_cuts(pairs: DocumentPairs, scores: Floats, fallback: float) -> Floats:
    """Return a cut for each pair, chosen on pairs that share no document group with it.

    Args:
        pairs: The pairs.
        scores: Scores of the pairs.
        fallback: Cut of pairs for which no others of both classes are left.
    """
    return cross_fitted(pairs, scores, fallback, _best_cut)


def _best_cut(pairs: DocumentPairs, scores: Floats) -> float:
    return Curve.of(scores, pairs.labels).best_cut()


def cross_fitted(
    pairs: DocumentPairs,
    scores: Floats,
    fallback: float,
    choose: Callable[[DocumentPairs, Floats], float],
    groups: int = GROUPS,
) -> Floats:
    """Return a cut for each pair, chosen on pairs that share no document group with it.

    Args:
        pairs: The pairs.
        scores: Scores of the pairs.
        fallback: Cut of pairs for which no others of both classes are left.
        choose: Returns the cut of pairs of both classes, by these and their scores alone.
        groups: Groups that the documents are dealt into.
    """
    group_of = document_groups(pairs, groups)
    one, other = group_of[pairs.first], group_of[pairs.second]
    low, high = np.minimum(one, other), np.maximum(one, other)
    cuts = np.full(len(scores), fallback)
    for left, right in np.unique(np.stack([low, high], axis=1), axis=0).tolist():
        rest = ~np.isin(one, (left, right)) & ~np.isin(other, (left, right))
        labels = pairs.labels[rest]
        if labels.any() and not labels.all():
            cuts[(low == left) & (high == right)] = choose(pairs.subset(rest), scores[rest])
    return cuts


def left_out_cut(curves: Sequence[Curve]) -> float:
    """Return the cut with the highest mean F1 over sets, the lowest of the best.

    Args:
        curves: Curves of the other sets.
    """
    cuts = np.unique(np.concatenate([curve.cuts for curve in curves]))
    if not len(cuts):
        return 1.0
    mean = np.mean([f1_at(curve, cuts) for curve in curves], axis=0)
    best = int(mean.argmax())
    lower = cuts[best - 1] if best else 0.0
    return float((cuts[best] + lower) / 2)


def f1_at(curve: Curve, cuts: Floats) -> Floats:
    """Return F1 at any cuts."""
    # Descending scores: how many of them reach each cut.
    reached = np.searchsorted(-curve.cuts, -cuts, side="right")
    f1 = np.concatenate([[0.0], curve.f1()])
    return np.asarray(f1[reached])


SAMPLES = 200
_DRAW_SEED = 11
_BOUNDS = (2.5, 97.5)


def intervals(pairs: DocumentPairs, scores: Floats, called: Labels) -> Mapping[str, Interval]:
    """Return the intervals of 95 % of the measures; the cuts stay those of the whole set.

    Args:
        pairs: The labelled pairs.
        scores: Scores of the pairs.
        called: Which pairs are called versions.
    """
    of_documents = {
        "document_precision": pairs.precisions(called),
        "document_recall": pairs.recalls(called),
        "r_precision": pairs.r_precisions(scores),
    }
    samples: dict[str, list[float]] = defaultdict(list)
    for drawn in drawn_documents(pairs.documents):
        weights = pairs.weights(drawn)
        counts = Counts.of(called, pairs.labels, weights)
        curve = Curve.of(scores, pairs.labels, weights)
        samples["f1"].append(counts.f1)
        samples["precision"].append(counts.precision)
        samples["recall"].append(counts.recall)
        samples["roc_area"].append(curve.roc_area())
        samples["average_precision"].append(curve.average_precision())
        for name, values in of_documents.items():
            samples[name].append(weighted_mean(values, drawn))
    return {name: interval_of(values) for name, values in samples.items()}


def drawn_documents(documents: int, samples: int = SAMPLES) -> Iterator[Floats]:
    """Yield how often each of so many documents is drawn, the same draws in every run."""
    random = np.random.default_rng(_DRAW_SEED)
    share = np.full(documents, 1 / documents)
    for _ in range(samples):
        yield random.multinomial(documents, share).astype(np.float64)


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Return the mean of the values that are numbers; nan where none has a weight."""
    known = ~np.isnan(values)
    total = weights[known].sum()
    return float((values[known] * weights[known]).sum() / total) if total else float("nan")


def interval_of(values: Sequence[float]) -> Interval:
    """Return where 95 % of the numbers among the values lie."""
    known = np.array(values)[~np.isnan(values)]
    if not len(known):
        return Interval(float("nan"), float("nan"))
    low, high = np.percentile(known, _BOUNDS).tolist()
    return Interval(low, high)
