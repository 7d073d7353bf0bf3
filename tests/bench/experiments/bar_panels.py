"""Bars of several measures side by side, one row for each thing that is measured."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.bench.experiments.plot_parts import LETTER, Axis, grid_line, picture, short, words

_ROW, _TOP, _PANEL, _BAR, _GAP = 20, 66, 150, 96, 16
_BAR_COLOUR = "#0072b2"


@dataclass(frozen=True)
class Panel:
    """A measure of all rows.

    Attributes:
        axis: Its scale; the label is its heading.
        values: Of the rows; nan for what was not measured.
    """

    axis: Axis
    values: Sequence[float]


def bar_panels(title: str, rows: Sequence[str], panels: Sequence[Panel]) -> str:
    """Return the bars as SVG; each has its value beside it."""
    left = 24 + LETTER * max(map(len, rows))
    width = left + len(panels) * (_PANEL + _GAP)
    height = _TOP + _ROW * len(rows) + 12
    parts = []
    for row, name in enumerate(rows):
        bottom = _TOP + _ROW * (row + 1)
        parts.append(grid_line(f"M14 {bottom}H{width - 14:.0f}"))
        parts.append(words(14, bottom - 6, name))
    for number, panel in enumerate(panels):
        parts.extend(_panel(panel, left + number * (_PANEL + _GAP)))
    return picture(title, width, height, parts)


def _panel(panel: Panel, left: float) -> Iterator[str]:
    yield words(left, 48, panel.axis.label, extra=' font-weight="bold"')
    if panel.axis.is_log:
        yield words(left, 61, "logarithmic", extra=' font-size="10" fill="#666"')
    for row, value in enumerate(panel.values):
        top = _TOP + _ROW * row
        if math.isnan(value):
            yield words(left, top + 14, "–")
            continue
        length = max(1.5, _BAR * panel.axis.share(value))
        yield (
            f'<rect x="{left:.1f}" y="{top + 4}" width="{length:.1f}" height="12" rx="1.5" '
            f'fill="{_BAR_COLOUR}"/>'
        )
        yield words(left + length + 5, top + 14, short(value))


def decades(label: str, values: Sequence[float]) -> Panel:
    """Return a panel on a logarithmic scale that holds all values."""
    known = [value for value in values if value > 0]
    axis = Axis.decades(label, min(known, default=1), max(known, default=10))
    return Panel(axis, [value if value > 0 else math.nan for value in values])
