"""Measures that count each document once, so that one large family does not decide alone."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.lab.evaluation.pair_measures import Floats, Labels

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
        return components(self.first[self.labels], self.second[self.labels], self.documents)

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
        found = np.full(self.documents, np.nan)
        for text in range(self.documents):
            rows = order[starts[text] : starts[text + 1]]
            size = int(labels[rows].sum())
            if size:
                found[text] = _expected(both[rows], labels[rows], size) / size
        return found

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


def components(first: Ints, second: Ints, documents: int) -> Ints:
    """Return the number of the connected component of each document."""
    parents = list(range(documents))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        one, other = root(one), root(other)
        parents[max(one, other)] = min(one, other)
    roots = [root(place) for place in range(documents)]
    return np.unique(roots, return_inverse=True)[1].astype(np.int64).ravel()


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
