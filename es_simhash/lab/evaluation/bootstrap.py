"""Confidence intervals by drawing documents, not pairs, again and again.

The pairs of a document are not independent of each other, so drawing pairs gives intervals that are
too narrow. A pair counts as often as its two documents were drawn, multiplied.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from es_simhash.lab.evaluation.document_measures import DocumentPairs
from es_simhash.lab.evaluation.model import Interval
from es_simhash.lab.evaluation.pair_measures import Counts, Curve, Floats, Labels

SAMPLES = 200
_SEED = 11
_BOUNDS = (2.5, 97.5)


def intervals(pairs: DocumentPairs, scores: Floats, called: Labels) -> Mapping[str, Interval]:
    """Return the intervals of 95 % of the measures; the cuts stay those of the whole set.

    Args:
        pairs: The labelled pairs.
        scores: Of the pairs.
        called: Which pairs are called versions.
    """
    of_documents = {
        "document_precision": pairs.precisions(called),
        "document_recall": pairs.recalls(called),
        "r_precision": pairs.r_precisions(scores),
    }
    samples: dict[str, list[float]] = defaultdict(list)
    for drawn in drawn_documents(pairs.documents):
        weights = drawn[pairs.first] * drawn[pairs.second]
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
    random = np.random.default_rng(_SEED)
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
