"""Scales and the frame of plots, which are read on a light background wherever they are shown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from es_simhash.text.html import html_text

LETTER = 6.4
_INK, _GRID = "#222", "#ddd"


@dataclass(frozen=True)
class Axis:
    """A scale.

    Attributes:
        label: What it shows, with the unit.
        low: Its lower end.
        high: Its upper end.
        ticks: Values that are written.
        is_log: Whether it is logarithmic.
    """

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    is_log: bool = False

    @classmethod
    def decades(cls, label: str, low: float, high: float) -> "Axis":
        """Return a logarithmic axis from a power of ten to another that hold two values."""
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last = max(last, first + 1)
        ticks = tuple(10.0**power for power in range(first, last + 1))
        return cls(label, ticks[0], ticks[-1], ticks, is_log=True)

    def share(self, value: float) -> float:
        """Return where a value is between the ends, from 0 to 1."""
        value = min(max(value, self.low), self.high)
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


UNIT = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def short(value: float) -> str:
    """Return a number as it is written in a plot."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def words(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    """Return a text at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{html_text(text)}</text>'


def grid_line(path: str) -> str:
    """Return a line of the grid."""
    return f'<path d="{path}" stroke="{_GRID}" fill="none"/>'


def picture(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    """Return a plot with its title, on white."""
    head = words(14, 22, title, extra=' font-size="14" font-weight="bold"')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-family="sans-serif" '
        f'font-size="12" fill="{_INK}"><title>{html_text(title)}; the tables have the numbers'
        f'</title><rect width="{width:.0f}" height="{height:.0f}" rx="6" fill="#fff"/>'
        f"{head}{''.join(parts)}</svg>\n"
    )
