"""The curves of an evaluation, as points of the plots."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.pair_measures import Curve

Points = NDArray[np.float64]

_MOST_POINTS = 200


@dataclass(frozen=True)
class CurvePlot:
    """Curves of all methods over the same axes, both from 0 to 1.

    Attributes:
        name: As part of a file name.
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
