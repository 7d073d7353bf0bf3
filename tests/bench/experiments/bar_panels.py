"""Bars of several measures side by side, one row for each thing that is measured."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from es_simhash.lab.evaluation.curve_pictures import COLOURS, Picture, drawn
from tests.bench.experiments.plot_parts import Axis, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
_ROW, _PANEL = 0.21, 1.7


@dataclass(frozen=True)
class Panel:
    """A measure of all rows.

    Attributes:
        axis: Its scale; the label is its heading.
        values: Of the rows; nan for what was not measured.
        form: How values are written, as in format strings; empty for three digits.
    """

    axis: Axis
    values: Sequence[float]
    form: str = ""


def bar_panels(
    title: str, rows: Sequence[str], panels: Sequence[Panel], accents: Collection[str] = ()
) -> Picture:
    """Return the bars, each with its value, and those of some rows in another colour."""
    width = 0.4 + 0.075 * max(map(len, rows)) + _PANEL * len(panels)

    def draw(figure: "Figure") -> None:
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
        for axes, panel in zip(
            figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels, strict=True
        ):
            _draw_panel(axes, panel, rows, accents)

    return drawn(f"{title}; the tables have the numbers", (width, 1.0 + _ROW * len(rows)), draw)


def _draw_panel(axes: "Axes", panel: Panel, rows: Sequence[str], accents: Collection[str]) -> None:
    axis = panel.axis
    lengths = [axis.low if math.isnan(value) else max(value, axis.low) for value in panel.values]
    bars = axes.barh(
        range(len(rows)),
        [length - axis.low for length in lengths],
        left=axis.low,
        height=0.62,
        color=[COLOURS[row in accents] for row in rows],
        # In greyscale, the pattern says what the colour does.
        hatch=["////" if row in accents else "" for row in rows],
        edgecolor="white",
        linewidth=0,
    )
    axes.bar_label(bars, [_written(panel, value) for value in panel.values], padding=3)
    if axis.is_log:
        axes.set_xscale("log")
    axes.set_xlim(axis.low, axis.high)
    axes.set_title(axis.label, loc="left", fontsize=9, fontweight="bold", pad=12)
    if axis.is_log:
        axes.text(0, 1.01, "logarithmic", transform=axes.transAxes, fontsize=7, color="#555555")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(left=False, bottom=False, labelbottom=False, which="both")
    axes.spines[["bottom", "left"]].set_visible(False)
    # Values are written to the right of the longest bar.
    axes.margins(x=0)
    position = axes.get_xlim()
    if axis.is_log:
        axes.set_xlim(position[0], position[0] * (position[1] / position[0]) ** 1.45)
    else:
        axes.set_xlim(position[0], position[0] + 1.45 * (position[1] - position[0]))


def _written(panel: Panel, value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:{panel.form}}".replace("-", "−") if panel.form else short(value)


def decades(label: str, values: Sequence[float], scale: Sequence[float] = ()) -> Panel:
    """Return a panel on a logarithmic scale that holds all values.

    Args:
        label: Its heading.
        values: Of the rows.
        scale: More values that the scale holds, so that panels have the same one.
    """
    known = [value for value in (*values, *scale) if value > 0]
    axis = Axis.decades(label, min(known, default=1), max(known, default=10))
    return Panel(axis, [value if value > 0 else math.nan for value in values])
