"""Scales of plots, and how numbers are written in them."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNIT = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


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

    def apply(self, axes: "Axes", side: str) -> None:
        """Set the scale of one side of a plot, `x` or `y`."""
        if self.is_log:
            getattr(axes, f"set_{side}scale")("log")
        getattr(axes, f"set_{side}lim")(self.low, self.high)
        getattr(axes, f"set_{side}ticks")(self.ticks, [short(tick) for tick in self.ticks])
        getattr(axes, f"set_{side}ticks")([], minor=True)
        getattr(axes, f"set_{side}label")(self.label)


def short(value: float) -> str:
    """Return a number as it is written in a plot."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
