"""How what was measured changes in an hour, and how sure that is."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from es_simhash.lab.evaluation.curve_pictures import Picture, drawn, line_style

# Caches fill and allocators settle first.
WARM_UP = 1 / 3
# Measurements follow from those before them, so that the medians of so many parts of the run are
# taken for independent, not they themselves; with Student's t of so many less two.
_PARTS, _STUDENT = 10, 2.306
# A slope that cannot be told from none is none; nor is one that adds less than this in the run.
_SHARE, _LEAST = 0.01, 0.5
_HOUR = 3600.0
_WIDTH, _HEIGHT = 7.2, 1.3


class Slope(NamedTuple):
    """A line through measurements: its middle, its slope an hour, half of the interval of 95 %."""

    level: float
    slope: float
    error: float
    hours: float

    @property
    def grows(self) -> bool:
        """Check whether the slope is surely above zero, and adds anything that counts."""
        added = self.slope * self.hours
        return self.slope > self.error and added > max(_SHARE * self.level, _LEAST)


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
    error = _STUDENT * float(np.sqrt(rest @ rest / (parts - 2) / (away @ away)))
    return Slope(level, steepness, error, hours)


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
