"""The curves of an evaluation: their points, and pictures of them for files.

Pictures are drawn by matplotlib: SVG whose text is text, and PNG. The same input gives the same
bytes: no date, no random ids, no settings of the user.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import MissingExtra
from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.pair_measures import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = NDArray[np.float64]
_MOST_POINTS = 200
# Pixels of a PNG for each inch.
DPI = 200
_SIZE = (7.2, 4.8)
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "es-simhash",
    # A name of a method is no formula.
    "text.parse_math": False,
    "font.family": "sans-serif",
    # The first is part of matplotlib.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
}
# Colour-blind safe (Okabe and Ito). In greyscale, dashes and markers distinguish lines.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b27700", "#3a96cf", "#6b6b6b", "#000000",
)  # fmt: skip
_DASHES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True)
class CurvePlot:
    """Curves of all methods over the same axes, both from 0 to 1.

    Attributes:
        name: Name as part of a file name.
        title: In words.
        x: Label of the horizontal axis.
        y: Label of the vertical axis.
        lines: Points by the name of the method.
    """

    name: str
    title: str
    x: str
    y: str
    lines: dict[str, Points]


def curve_plots(evaluation: SetEvaluation) -> tuple[CurvePlot, ...]:
    """Return the plots of one set: `roc`, `precision-recall` and `f1`."""
    labels = evaluation.labelled.pairs.labels
    curves = {figures.name: figures.scored.curve(labels) for figures in evaluation.methods}

    def lines(points_of: Callable[[Curve], Points]) -> dict[str, Points]:
        return {name: _thinned(points_of(curve)) for name, curve in curves.items()}

    return (
        CurvePlot("roc", "ROC", "false positive rate", "true positive rate", lines(_roc)),
        CurvePlot(
            "precision-recall",
            "Precision and recall",
            "recall",
            "precision",
            lines(_precision_recall),
        ),
        CurvePlot("f1", "F1 by cut", "cut", "F1", lines(_f1)),
    )


def _roc(curve: Curve) -> Points:
    right = np.concatenate([[0.0], curve.right / max(curve.versions, 1)])
    wrong = np.concatenate([[0.0], curve.wrong / max(curve.others, 1)])
    return np.stack([wrong, right], axis=1)


def _precision_recall(curve: Curve) -> Points:
    precision = curve.right / np.maximum(curve.right + curve.wrong, 1e-12)
    return np.stack([curve.right / max(curve.versions, 1), precision], axis=1)


def _f1(curve: Curve) -> Points:
    return np.stack([curve.cuts, curve.f1()], axis=1)


def _thinned(points: Points) -> Points:
    """Return `_MOST_POINTS` points at the most, the first and the last among them."""
    places = np.linspace(0, len(points) - 1, min(len(points), _MOST_POINTS))
    return points[np.unique(places.astype(np.int64))]


@dataclass(frozen=True)
class Picture:
    """A plot for files.

    Attributes:
        svg: The plot as SVG.
        png: The plot as PNG.
    """

    svg: str
    png: bytes


def require_plots() -> None:
    """Check that matplotlib is installed.

    Raises:
        MissingExtra: It is not.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtra.of("plots", "Plots need matplotlib") from error


def drawn(title: str, size: tuple[float, float], draw: "Callable[[Figure], None]") -> Picture:
    """Return a picture.

    Args:
        title: Title of the picture.
        size: Width and height in inches.
        draw: Draws on an empty figure.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    require_plots()
    from matplotlib import rc_context, rcParamsDefault
    from matplotlib.figure import Figure

    svg, png = io.StringIO(), io.BytesIO()
    # The backend stays as it is: a figure that is saved has one of its own.
    defaults: dict[Any, Any] = {
        name: value for name, value in rcParamsDefault.items() if "backend" not in name
    }
    with rc_context({**defaults, **_SETTINGS}):
        figure = Figure(size, DPI, layout="constrained")
        draw(figure)
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
        # Both have one layout, which takes as long as the drawing.
        figure.set_layout_engine("none")
        figure.savefig(png, format="png", metadata={"Software": None, "Title": title})
    return Picture(svg.getvalue().replace("<svg ", '<svg role="img" ', 1), png.getvalue())


def line_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of the line with a number; 8 numbers have other colours."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }


def marker_style(number: int, count: int) -> dict[str, Any]:
    """Return the marker of the line with a number, some of them over its points.

    Args:
        number: Number of the line.
        count: Points of the line.
    """
    # With the dashes, another one for each of 32 lines.
    marker = _MARKERS[(number + number // len(_MARKERS)) % len(_MARKERS)]
    # Lines have their markers at different points, or those of lines that agree hide each other.
    step = max(1, count // 8)
    return {"marker": marker, "markersize": 3.5, "markevery": (number % step, step)}


def curve_pictures(evaluation: SetEvaluation) -> dict[str, Picture]:
    """Return the plots of one set by their names: `roc`, `precision-recall` and `f1`.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    return {plot.name: _curves(plot) for plot in curve_plots(evaluation)}


def _curves(plot: CurvePlot) -> Picture:
    def draw(figure: "Figure") -> None:
        axes: Axes = figure.add_subplot()
        for number, (name, points) in enumerate(plot.lines.items()):
            axes.plot(
                points[:, 0],
                points[:, 1],
                label=name,
                linewidth=1.4,
                **line_style(number),
                **marker_style(number, len(points)),
            )
        axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y, xlim=(0, 1), ylim=(0, 1.02))
        axes.grid(visible=True)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8, handlelength=3.5)

    return drawn(f"{plot.title}; the tables have the numbers", _SIZE, draw)
