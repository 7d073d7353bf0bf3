"""Where versions begin without labels: at a valley of the scores, if there is a clear one."""

import math
from dataclasses import dataclass

import numpy as np

from es_simhash.lab.evaluation.pair_measures import Floats, Labels
from es_simhash.relation.thresholds import SCORE_DIGITS

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
    """What the distribution of scores says of a threshold.

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
