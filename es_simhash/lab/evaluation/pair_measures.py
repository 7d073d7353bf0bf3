"""Measures of scored pairs with labels; each pair may count more than once, or not at all.

Ties are never broken by the order of the pairs: pairs of one score are called versions together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Curve:
    """What is called a version at each possible cut, the highest first.

    Attributes:
        cuts: Distinct scores, descending; what has one or more is called a version.
        right: Weight of the versions called versions at each cut.
        wrong: Weight of the others called versions.
        versions: Weight of all versions.
        others: Weight of all others.
    """

    cuts: Floats
    right: Floats
    wrong: Floats
    versions: float
    others: float

    @classmethod
    def of(cls, scores: Floats, labels: Labels, weights: Floats | None = None) -> "Curve":
        """Return the curve of scored pairs, each with the weight 1 if no weights are given."""
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        weight = np.ones(len(order)) if weights is None else weights[order]
        last = np.flatnonzero(np.diff(ordered, append=-np.inf))
        is_version = labels[order]
        right = np.cumsum(weight * is_version)
        wrong = np.cumsum(weight * ~is_version)
        total = (float(right[-1]), float(wrong[-1])) if len(order) else (0.0, 0.0)
        return cls(ordered[last], right[last], wrong[last], *total)

    def f1(self) -> Floats:
        """Return F1 at each cut."""
        return 2 * self.right / np.maximum(self.right + self.wrong + self.versions, 1e-12)

    def best_cut(self) -> float:
        """Return the cut of the highest F1: halfway to the next lower score; 1 without pairs."""
        if not len(self.cuts):
            return 1.0
        return self._halfway(int(self.f1().argmax()))

    def roc_cut(self) -> float:
        """Return the cut with the greatest difference of true and false positives (Youden)."""
        if not len(self.cuts) or not self.versions or not self.others:
            return 1.0
        return self._halfway(int((self.right / self.versions - self.wrong / self.others).argmax()))

    def _halfway(self, place: int) -> float:
        lower = self.cuts[place + 1] if place + 1 < len(self.cuts) else 0.0
        return float((self.cuts[place] + lower) / 2)

    def roc_area(self) -> float:
        """Return the area under the ROC curve; nan where one class is missing."""
        if not self.versions or not self.others:
            return float("nan")
        right = np.concatenate([[0.0], self.right]) / self.versions
        wrong = np.concatenate([[0.0], self.wrong]) / self.others
        return float(np.sum(np.diff(wrong) * (right[1:] + right[:-1]) / 2))

    def average_precision(self) -> float:
        """Return the mean precision over the versions, as scikit-learn computes it; nan if none."""
        if not self.versions:
            return float("nan")
        gained = np.diff(self.right, prepend=0.0) / self.versions
        return float(np.sum(gained * self.right / np.maximum(self.right + self.wrong, 1e-12)))


@dataclass(frozen=True)
class Counts:
    """How many pairs were called what.

    Attributes:
        right: Weight of the versions called versions.
        wrong: Weight of the others called versions.
        missed: Weight of the versions not called versions.
    """

    right: float
    wrong: float
    missed: float

    @classmethod
    def of(cls, called: Labels, labels: Labels, weights: Floats | None = None) -> "Counts":
        """Return the counts of pairs, each with the weight 1 if no weights are given."""
        weight = np.ones(len(labels)) if weights is None else weights
        return cls(
            float(weight[called & labels].sum()),
            float(weight[called & ~labels].sum()),
            float(weight[~called & labels].sum()),
        )

    @property
    def precision(self) -> float:
        """Share of what is called a version that is one; nan where nothing is called one."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else float("nan")

    @property
    def recall(self) -> float:
        """Share of the versions that are called versions; nan without versions."""
        total = self.right + self.missed
        return self.right / total if total else float("nan")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; nan without versions."""
        total = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / total if total else float("nan")
