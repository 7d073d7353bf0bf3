"""Lines and dots over two axes, with a legend on the right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from es_simhash.evaluation.plots import line_style
from tests.bench.experiments.plot_parts import LETTER, Axis, grid_line, picture, short, words

_WIDTH, _HEIGHT, _LEFT, _TOP, _FOOT, _STEP = 440, 300, 64, 42, 48, 20
_REFERENCE = 'stroke="#777" stroke-dasharray="4 3"'


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


def line_chart(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """Return a chart as SVG."""
    legend = 60 + LETTER * max(len(each.name) for each in series)
    width = _LEFT + _WIDTH + legend
    height = max(_TOP + _HEIGHT + _FOOT, _TOP + _STEP * len(series) + 20)
    parts = [*_axes(x, y)]
    number = 0
    for row, each in enumerate(series):
        parts.extend(_drawn(each, number, row, x, y))
        number += not each.is_reference
    return picture(title, width, height, parts)


def _axes(x: Axis, y: Axis) -> Iterator[str]:
    right, bottom = _LEFT + _WIDTH, _TOP + _HEIGHT
    for tick in x.ticks:
        across = _LEFT + _WIDTH * x.share(tick)
        yield grid_line(f"M{across:.1f} {_TOP}V{bottom}")
        yield words(across, bottom + 16, short(tick), "middle")
    for tick in y.ticks:
        down = bottom - _HEIGHT * y.share(tick)
        yield grid_line(f"M{_LEFT} {down:.1f}H{right}")
        yield words(_LEFT - 8, down + 4, short(tick), "end")
    yield words(_LEFT + _WIDTH / 2, bottom + 38, x.label, "middle")
    middle = _TOP + _HEIGHT / 2
    yield words(18, middle, y.label, "middle", f' transform="rotate(-90 18 {middle:.0f})"')


def _drawn(series: Series, number: int, row: int, x: Axis, y: Axis) -> Iterator[str]:
    places = [
        (_LEFT + _WIDTH * x.share(across), _TOP + _HEIGHT * (1 - y.share(up)))
        for across, up in series.points
    ]
    style = _REFERENCE if series.is_reference else line_style(number)
    left, level = _LEFT + _WIDTH + 18, _TOP + _STEP * row + 8
    if series.dots:
        colour = style.split('"')[1]
        marks = [*places, (left + 12, level)]
        yield from (
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}" fill-opacity="0.75"/>'
            for a, b in marks
        )
    else:
        stroke = 1.2 if series.is_reference else 2
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        yield f'<polyline fill="none" stroke-width="{stroke}" {style} points="{points}"/>'
        yield f'<path d="M{left} {level}h24" stroke-width="{stroke}" {style}/>'
    yield words(left + 32, level + 4, series.name)
