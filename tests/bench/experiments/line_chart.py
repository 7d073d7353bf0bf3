"""Lines and dots over two axes, with a legend on the right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from es_simhash.lab.evaluation.curve_pictures import Picture, drawn, line_style, marker_style
from tests.bench.experiments.plot_parts import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = (7.6, 4.4)
_REFERENCE_DASHES = ((4, 3), (1, 2))


@dataclass(frozen=True)
class Series:
    """One line of a chart.

    Attributes:
        name: In the legend.
        points: Pairs of x and y.
        dots: Whether points are drawn apart.
        is_reference: Whether it is a thin grey line that others are compared with.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dots: bool = False
    is_reference: bool = False


def line_chart(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> Picture:
    """Return a chart."""

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        drawn_before = {False: 0, True: 0}
        for each in series:
            _add(axes, each, drawn_before[each.is_reference])
            drawn_before[each.is_reference] += 1
        axes.set_title(title, loc="left", fontweight="bold")
        x.apply(axes, "x")
        y.apply(axes, "y")
        axes.grid(visible=True)
        figure.legend(loc="outside right upper", frameon=False, handlelength=3.5)

    return drawn(f"{title}; the tables have the numbers", _SIZE, draw)


def _add(axes: "Axes", series: Series, number: int) -> None:
    across, up = zip(*series.points, strict=True)
    style = {**line_style(number), **marker_style(number, len(across)), "linewidth": 1.6}
    if series.is_reference:
        dashes = _REFERENCE_DASHES[number % len(_REFERENCE_DASHES)]
        style = {"color": "#777777", "linestyle": (0, dashes), "linewidth": 1}
    elif series.dots:
        style |= {"linestyle": "none", "markevery": 1, "alpha": 0.8}
    axes.plot(across, up, label=series.name, clip_on=False, **style)
