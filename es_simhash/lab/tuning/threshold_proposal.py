"""Where versions begin: by labelled pairs, or without them at a clear valley of the scores.

A cut by labels differs only on clear held-out evidence. No pair is called a version at a cut that
was chosen on it: documents are dealt into groups, whole families together, and the cut of a pair
comes from the pairs without a document of its groups. The choice between the present threshold and
another is made in the same way, so that the figures of the proposal hold for pairs of other
documents.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from es_simhash.lab.evaluation.held_out_cuts import cross_fitted, drawn_documents, interval_of
from es_simhash.lab.evaluation.pair_measures import Counts, Curve, DocumentPairs, Floats, Labels
from es_simhash.lab.tuning.tuning_figures import LabelledFigures, Measure, ThresholdFigures
from es_simhash.relation.thresholds import SCORE_DIGITS, VERSION_SCORE

# A proposed threshold lies between these.
LEAST_THRESHOLD, GREATEST_THRESHOLD = 0.1, 0.999
# Of the cuts whose F1 is the best within this, the one nearest to the present threshold is taken.
_PLATEAU = 0.005
# Share of the bootstrap samples in which another cut has to have the higher held-out F1.
_EVIDENT = 0.95
# The same for the choices in the parts of the pairs that figures are computed with: these have
# fewer pairs, and figures of a bolder choice are no better than those of a careful one.
_LIKELY = 0.5
# Groups of documents: what is chosen for a pair comes from eight tenths of them.
_GROUPS = 10
# Bootstrap samples of one choice; there are up to 55 choices for the figures.
_DRAWS = 100


def choose_by_labels(pairs: DocumentPairs, values: Floats, present: float) -> LabelledFigures:
    """Return the threshold that labelled pairs call for, and what to expect of it.

    Args:
        pairs: Pairs of both labels.
        values: How far each pair is versions, as `relation.scoring.version_value` returns it.
        present: Threshold of the index.
    """
    baseline = _better(pairs, values, present)
    proposed = _chosen(pairs, values, baseline, _EVIDENT)
    cuts = np.full(len(values), baseline)
    if proposed != baseline:
        choose = partial(_chosen, baseline=baseline, least=_LIKELY)
        cuts = cross_fitted(pairs, values, baseline, choose, _GROUPS)
        if _f1(values >= cuts, pairs.labels) < _f1(values >= baseline, pairs.labels):
            proposed, cuts = baseline, np.full(len(values), baseline)
    called = {
        "proposed": (proposed, values >= cuts),
        "present": (present, values >= present),
        "default": (VERSION_SCORE, values >= VERSION_SCORE),
    }
    # The same draws for all, so that their differences have intervals as well.
    samples = {name: _drawn_measures(pairs, of_cut) for name, (_, of_cut) in called.items()}
    figures = tuple(
        ThresholdFigures(
            name,
            threshold,
            *map(_estimate, _measures(Counts.of(of_cut, pairs.labels)), samples[name]),
        )
        for name, (threshold, of_cut) in called.items()
    )
    f1 = {each.name: each.f1.value for each in figures}
    differences = [
        after - before
        for after, before in zip(samples["proposed"][0], samples["default"][0], strict=True)
    ]
    return LabelledFigures(
        len(values),
        int(pairs.labels.sum()),
        pairs.documents,
        figures,
        _estimate(f1["proposed"] - f1["default"], differences),
    )


def _better(pairs: DocumentPairs, values: Floats, present: float) -> float:
    """Return the threshold that another has to be better than: the present one or the default."""
    f1 = [_f1(values >= cut, pairs.labels) for cut in (present, VERSION_SCORE)]
    return present if f1[0] >= f1[1] else VERSION_SCORE


def _chosen(pairs: DocumentPairs, values: Floats, baseline: float, least: float) -> float:
    """Return the cut of these pairs, or the baseline where no other is better held out.

    Args:
        pairs: The pairs.
        values: Values of the pairs.
        baseline: The cut to keep otherwise.
        least: Share of the bootstrap samples in which another has to be better.
    """
    choose = partial(_on_plateau, baseline=baseline)
    called = values >= cross_fitted(pairs, values, baseline, choose, _GROUPS)
    before = values >= baseline
    if (called == before).all():
        return baseline
    better = 0
    for drawn in drawn_documents(pairs.documents, _DRAWS):
        weights = pairs.weights(drawn)
        better += _f1(called, pairs.labels, weights) > _f1(before, pairs.labels, weights)
    return choose(pairs, values) if better >= least * _DRAWS else baseline


def _on_plateau(pairs: DocumentPairs, values: Floats, baseline: float) -> float:
    """Return the cut nearest to the baseline of those that are as good as the best."""
    curve = Curve.of(values, pairs.labels)
    lower = np.append(curve.cuts[1:], 0.0)
    cuts = np.round((curve.cuts + lower) / 2, SCORE_DIGITS)
    f1 = curve.f1()
    is_allowed = (cuts >= LEAST_THRESHOLD) & (cuts <= GREATEST_THRESHOLD)
    cuts, f1 = cuts[is_allowed], f1[is_allowed]
    least = f1.max(initial=0.0) - _PLATEAU
    if not len(cuts) or _f1(values >= baseline, pairs.labels) >= least:
        return baseline
    good = cuts[f1 >= least]
    return float(good[np.abs(good - baseline).argmin()])


def _f1(called: Labels, labels: Labels, weights: Floats | None = None) -> float:
    return Counts.of(called, labels, weights).f1


def _drawn_measures(pairs: DocumentPairs, called: Labels) -> list[tuple[float, ...]]:
    """Return F1, precision and recall in each bootstrap sample."""
    drawn = (
        _measures(Counts.of(called, pairs.labels, pairs.weights(documents)))
        for documents in drawn_documents(pairs.documents)
    )
    return list(zip(*drawn, strict=True))


def _measures(counts: Counts) -> tuple[float, float, float]:
    return counts.f1, counts.precision, counts.recall


def _estimate(value: float, samples: Sequence[float]) -> Measure:
    interval = interval_of(samples)
    return Measure(value, interval.low, interval.high)


# Pairs are counted in windows of this width, at steps of a fifth of it, between these values.
_WIDTH = 0.05
_LEAST, _MOST = 0.4, 0.9
# On both sides of a valley some window has so many pairs, and so many times those of the valley.
# The window around the present threshold has as many times those, too.
_PEAK, _DEPTH = 20, 4.0
# A valley counts when so few pairs would be in it by chance more rarely than this, were they spread
# as they are around the present threshold.
_CHANCE = 0.01


@dataclass(frozen=True)
class Valley:
    """Gap in the distribution of scores, or that there is none.

    Attributes:
        threshold: Middle of the valley; None where the present threshold is kept.
        reason: Why, as a sentence.
    """

    threshold: float | None
    reason: str


def find_valley(values: Floats, present: float) -> Valley:
    """Return the valley between versions and others, if there is a clear one away from a threshold.

    Args:
        values: How far pairs of a sample are versions; those with 0 do not count.
        present: Threshold of the index.
    """
    starts = np.arange(_LEAST, _MOST - _WIDTH / 2, _WIDTH / 5)
    counts = np.array([np.count_nonzero(_within(values, start)) for start in starts])
    place = int(counts.argmin())
    before, after = counts[:place].max(initial=0), counts[place + 1 :].max(initial=0)
    least = max(_PEAK, _DEPTH * counts[place])
    if min(before, after) < least:
        return Valley(
            None,
            f"The scores of {len(values)} pairs of the sample have no clear gap between "
            f"versions and others, so that the threshold stays at {present:g}; labels would show "
            "whether another is better.",
        )
    around = int(np.count_nonzero(_within(values, present - _WIDTH / 2)))
    in_valley = int(counts[place])
    is_clear = around >= _DEPTH * in_valley
    if not is_clear or _binomial(in_valley, in_valley + around) >= _CHANCE:
        return Valley(
            None,
            f"The scores of {len(values)} pairs of the sample have a gap where the threshold is, "
            f"near {present:g}; it stays there.",
        )
    middle = round(float(starts[place]) + _WIDTH / 2, SCORE_DIGITS)
    return Valley(
        middle,
        f"The scores of {len(values)} pairs of the sample have a gap at {middle:g} ({in_valley} "
        f"pairs within {_WIDTH / 2:g}, {around} around {present:g}); label pairs to know what it "
        "is worth.",
    )


def _within(values: Floats, start: float) -> Labels:
    return np.asarray((values >= start) & (values < start + _WIDTH))


def _binomial(few: int, total: int) -> float:
    """Return how likely so few of all, or fewer, are in one of two equal windows by chance."""
    return float(sum(math.comb(total, number) for number in range(few + 1)) / 2**total)
