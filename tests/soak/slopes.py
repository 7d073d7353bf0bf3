"""How what was measured changes in an hour, and how sure that is."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import t

from es_simhash.lab.evaluation.curve_pictures import Picture, drawn, line_style

# Caches fill and allocators settle first.
WARM_UP = 1 / 3
# Measurements follow from those before them, so that the medians of so many parts of the run are
# taken for independent, not they themselves; with Student's t of so many less two.
_PARTS = 10
# How often a run in which nothing grows may say that something does.
_BY_CHANCE = 0.05
# A slope that cannot be told from none is none; nor is one that adds less than this in the run.
_SHARE, _LEAST = 0.01, 0.5
_HOUR = 3600.0
_WIDTH, _HEIGHT = 7.2, 1.3


class Slope(NamedTuple):
    """A line through measurements.

    Attributes:
        level: Its middle.
        slope: What it rises an hour.
        deviation: Standard error of the slope.
        hours: How long it is.
    """

    level: float
    slope: float
    deviation: float
    hours: float

    def error(self, series: int = 1) -> float:
        """Return half of the interval that has the slopes of so many series with 95 % (Bonferroni).

        Args:
            series: Slopes that are looked at together. Of nineteen with intervals of their own, one
                is above zero by chance in every third run.
        """
        return self.deviation * float(t.ppf(1 - _BY_CHANCE / 2 / series, _PARTS - 2))

    def grows(self, series: int = 1) -> bool:
        """Check whether the slope is surely above zero, and adds anything that counts.

        Args:
            series: Slopes that are looked at together.
        """
        added = self.slope * self.hours
        return self.slope > self.error(series) and added > max(_SHARE * self.level, _LEAST)


def slope(seconds: Sequence[float], values: Sequence[float]) -> Slope:
    """Return the slope of measurements after the first third of them."""
    first = int(len(values) * WARM_UP)
    parts = min(_PARTS, len(values) - first)
    times = [float(np.mean(part)) for part in np.array_split(seconds[first:], parts)]
    medians = [float(np.median(part)) for part in np.array_split(values[first:], parts)]
    x, y = np.array(times) / _HOUR, np.array(medians)
    level, away = float(y.mean()), x - x.mean()
    hours = (seconds[-1] - seconds[first]) / _HOUR
    if parts < _PARTS:
        return Slope(level, 0.0, float("inf"), hours)
    steepness = float(away @ y / (away @ away))
    rest = y - level - steepness * away
    deviation = float(np.sqrt(rest @ rest / (parts - 2) / (away @ away)))
    return Slope(level, steepness, deviation, hours)


def table(seconds: Sequence[float], series: Mapping[str, Sequence[float]]) -> str:
    """Return what was measured as CSV, a line for each moment."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["seconds", *series])
    writer.writerows(zip(seconds, *series.values(), strict=True))
    return lines.getvalue()


def plot(seconds: Sequence[float], series: Mapping[str, Sequence[float]]) -> Picture:
    """Draw what was measured, one chart below the other."""

    def draw(figure: Figure) -> None:
        charts = figure.subplots(len(series), 1, sharex=True, squeeze=False)
        minutes = np.array(seconds) / 60
        for chart, (name, values) in zip(charts[:, 0], series.items(), strict=True):
            chart.plot(minutes, values, **line_style(0), linewidth=0.9)
            chart.set_title(name, fontsize=8, loc="left")
            chart.set_ylim(0, max(values) * 1.15 or 1)
        charts[-1, 0].set_xlabel("minutes")

    return drawn("Soak", (_WIDTH, _HEIGHT * len(series)), draw)
