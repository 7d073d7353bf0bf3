"""Bars of several measures side by side, one row for each thing that is measured."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tests.bench.experiments.plot_parts import LETTER, Axis, grid_line, picture, short, words

_ROW, _TOP, _PANEL, _BAR, _GAP = 20, 66, 150, 96, 16
_PLAIN, _ACCENT = "#0072b2", "#d55e00"


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
) -> str:
    """Return the bars as SVG, each with its value, and those of some rows in another colour."""
    colours = [_ACCENT if row in accents else _PLAIN for row in rows]
    left = 24 + LETTER * max(map(len, rows))
    width = left + len(panels) * (_PANEL + _GAP)
    height = _TOP + _ROW * len(rows) + 12
    parts = []
    for row, name in enumerate(rows):
        bottom = _TOP + _ROW * (row + 1)
        parts.append(grid_line(f"M14 {bottom}H{width - 14:.0f}"))
        parts.append(words(14, bottom - 6, name))
    for number, panel in enumerate(panels):
        parts.extend(_panel(panel, left + number * (_PANEL + _GAP), colours))
    return picture(title, width, height, parts)


def _panel(panel: Panel, left: float, colours: Sequence[str]) -> Iterator[str]:
    yield words(left, 48, panel.axis.label, extra=' font-weight="bold"')
    if panel.axis.is_log:
        yield words(left, 61, "logarithmic", extra=' font-size="10" fill="#666"')
    for row, (value, colour) in enumerate(zip(panel.values, colours, strict=True)):
        top = _TOP + _ROW * row
        if math.isnan(value):
            yield words(left, top + 14, "–")
            continue
        length = max(1.5, _BAR * panel.axis.share(value))
        yield (
            f'<rect x="{left:.1f}" y="{top + 4}" width="{length:.1f}" height="12" rx="1.5" '
            f'fill="{colour}"/>'
        )
        written = f"{value:{panel.form}}".replace("-", "−") if panel.form else short(value)
        yield words(left + length + 5, top + 14, written)


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
