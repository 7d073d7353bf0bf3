"""Measures of scored pairs with labels, by pairs and by documents.

Each pair may count more than once, or not at all. Ties are never broken by the order of the pairs:
pairs of one score are called versions together. Measures that count each document once keep one
large family from deciding alone.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.pairs.merging import connected_components

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Curve:
    """Pairs called versions at each possible cut, the highest first.

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


Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DocumentPairs:
    """Labelled pairs of documents, which are numbered from 0.

    Attributes:
        first: Number of a document of each pair.
        second: Number of the other.
        labels: Whether the two are versions.
        documents: How many documents there are.
    """

    first: Ints
    second: Ints
    labels: Labels
    documents: int

    @cached_property
    def families(self) -> Ints:
        """Number of the family of each document, by the labels."""
        return component_numbers(self.first[self.labels], self.second[self.labels], self.documents)

    def weights(self, drawn: Floats) -> Floats:
        """Return how often each pair counts where documents were drawn so often."""
        weights: Floats = drawn[self.first] * drawn[self.second]
        return weights

    def subset(self, which: Labels) -> "DocumentPairs":
        """Return some of the pairs, with the documents of these alone, numbered anew."""
        both = np.stack([self.first[which], self.second[which]])
        known, numbers = np.unique(both, return_inverse=True)
        first, second = numbers.reshape(both.shape).astype(np.int64)
        return DocumentPairs(first, second, self.labels[which], len(known))

    def precisions(self, called: Labels) -> Floats:
        """Return the precision of each document; nan of one that nothing is a version of."""
        right = self._per_document(called & self.labels)
        return _share(right, self._per_document(called))

    def recalls(self, called: Labels) -> Floats:
        """Return the recall of each document; nan of one without versions."""
        return _share(self._per_document(called & self.labels), self._per_document(self.labels))

    def r_precisions(self, scores: Floats) -> Floats:
        """Return the share of versions in the first R of each document, which has R versions.

        Of pairs with one score, each is as likely to be among the first R as the others. Documents
        without versions have nan.
        """
        texts = np.concatenate([self.first, self.second])
        labels = np.concatenate([self.labels, self.labels])
        both = np.concatenate([scores, scores])
        order = np.lexsort((-both, texts))
        starts = np.searchsorted(texts[order], np.arange(self.documents + 1))
        precisions = np.full(self.documents, np.nan)
        for text in range(self.documents):
            rows = order[starts[text] : starts[text + 1]]
            size = int(labels[rows].sum())
            if size:
                precisions[text] = _expected(both[rows], labels[rows], size) / size
        return precisions

    def _per_document(self, which: Labels) -> Ints:
        chosen = np.concatenate([self.first[which], self.second[which]])
        return np.bincount(chosen, minlength=self.documents)


def _expected(scores: Floats, labels: Labels, size: int) -> float:
    """Return how many versions are among the first `size` of descending scores, on average."""
    border = scores[size - 1]
    above, tied = scores > border, scores == border
    places = size - int(above.sum())
    return float(labels[above].sum() + labels[tied].sum() * places / tied.sum())


def _share(part: Ints, whole: Ints) -> Floats:
    with np.errstate(invalid="ignore"):
        return part / np.where(whole > 0, whole, np.nan)


def component_numbers(first: Ints, second: Ints, documents: int) -> Ints:
    """Return the number of the connected component of each document, that of document 0 first."""
    neighbours: defaultdict[int, list[int]] = defaultdict(list)
    for left, right in zip(first.tolist(), second.tolist(), strict=True):
        neighbours[left].append(right)
        neighbours[right].append(left)
    numbers = np.zeros(documents, np.int64)
    components = connected_components(range(documents), neighbours)
    for number, component in enumerate(sorted(components, key=min)):
        numbers[component] = number
    return numbers


def adjusted_rand_index(one: Ints, other: Ints) -> float:
    """Return how far two partitions agree, 1 for equal ones and about 0 for chance.

    Hubert and Arabie, "Comparing partitions" (Journal of Classification, 1985).
    """
    width = int(other.max(initial=0)) + 1
    cells = _pairs_within(np.unique(one * width + other, return_counts=True)[1])
    rows = _pairs_within(np.unique(one, return_counts=True)[1])
    columns = _pairs_within(np.unique(other, return_counts=True)[1])
    total = len(one) * (len(one) - 1) / 2
    expected = rows * columns / total if total else 0.0
    greatest = (rows + columns) / 2
    return 1.0 if greatest == expected else (cells - expected) / (greatest - expected)


def _pairs_within(sizes: Ints) -> float:
    return float((sizes * (sizes - 1) / 2).sum())
