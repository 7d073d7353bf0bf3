"""Plots of an evaluation as parts of a page of HTML: SVG without styles, in the page's colours."""

from es_simhash.lab.evaluation.curve_points import CurvePlot, Points, curve_plots
from es_simhash.lab.evaluation.model import SetEvaluation
from es_simhash.pages.rendering import html_text

_SIZE, _LEFT, _TOP, _BOTTOM, _LEGEND = 300, 44, 16, 40, 210
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Colour-blind safe (Okabe and Ito), on light and dark pages; from the ninth line on with dashes.
_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b", "#8c6d1f",
)  # fmt: skip
_DASHES = ("", "6 3", "2 2", "8 3 2 3")


def plots_of(evaluation: SetEvaluation) -> dict[str, str]:
    """Return the plots of one set by their names: `roc`, `precision-recall` and `f1`."""
    return {plot.name: _plot(plot) for plot in curve_plots(evaluation)}


def _plot(plot: CurvePlot) -> str:
    width = _LEFT + _SIZE + _LEGEND
    height = max(_TOP + _SIZE + _BOTTOM, _TOP + 18 * len(plot.lines) + 8)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{plot.title}; the tables have the numbers" font-family="sans-serif" '
        f'font-size="11" fill="currentColor">',
        *_axes(plot.title, plot.x, plot.y),
    ]
    for number, (name, points) in enumerate(plot.lines.items()):
        parts.append(_line(points, number))
        parts.append(_legend(name, number))
    return "".join([*parts, "</svg>"])


def _axes(title: str, x: str, y: str) -> list[str]:
    right, bottom = _LEFT + _SIZE, _TOP + _SIZE
    parts = [f'<title>{title}</title><g stroke="#888" stroke-width="0.5" fill="none">']
    for tick in _TICKS:
        across, down = _across(tick), _down(tick)
        parts.append(f'<path d="M{_LEFT} {down:.1f}H{right}M{across:.1f} {_TOP}V{bottom}"/>')
    parts.append("</g>")
    for tick in _TICKS:
        across, down = _across(tick), _down(tick)
        parts.append(
            f'<text x="{across:.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>'
            f'<text x="{_LEFT - 6}" y="{down + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    middle = _LEFT + _SIZE / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{bottom + 32}" text-anchor="middle">{x}</text>'
        f'<text x="12" y="{_TOP + _SIZE / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {_TOP + _SIZE / 2:.0f})">{y}</text>'
    )
    return parts


def _line(points: Points, number: int) -> str:
    path = " ".join(f"{_across(x):.1f},{_down(y):.1f}" for x, y in points.tolist())
    return f'<polyline fill="none" stroke-width="1.6" {_style(number)} points="{path}"/>'


def _across(x: float) -> float:
    return _LEFT + _SIZE * x


def _down(y: float) -> float:
    return _TOP + _SIZE * (1 - y)


def _style(number: int) -> str:
    """Return the attributes of the line with a number: its colour, and dashes from the ninth on."""
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{_COLOURS[number % len(_COLOURS)]}"{dashes}'


def _legend(name: str, number: int) -> str:
    x, y = _LEFT + _SIZE + 14, _TOP + 18 * number + 6
    return (
        f'<path d="M{x} {y}h22" stroke-width="2" {_style(number)}/>'
        f'<text x="{x + 28}" y="{y + 4}">{html_text(name)}</text>'
    )
