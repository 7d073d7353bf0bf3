"""Vectors of concepts by scikit-learn: clustered, by paragraph, and compared by their cosine.

The alternatives that the first of the origins compares its simhash with, and the plain cosine of
tf-idf (extra: baselines).
"""

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from es_simhash.lab.methods.concept_method import ALIKE, concepts_of, paragraphs_of
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Method,
    Pairs,
    Scores,
    by_first,
    ordered_pairs,
    require_baseline,
)
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.store.indexed_methods import NO_WORDS

_SEED = 1
# Rows multiplied with all others at once, and cosines below which pairs are no candidates.
_ROWS, _LEAST_ALIKE = 256, 0.3
# Of the best pairs of paragraphs, the one that counts: two close ones suffice.
_PLACE = 2
# A weight and the number of its concept.
_ENTRY_BYTES = 8


@dataclass(frozen=True)
class ConceptVectors:
    """Unit vectors of the parts of texts.

    Attributes:
        rows: Sparse matrix with one row for each part.
        bounds: Where the rows of each text begin and end.
        clusters: Cluster of each text, -1 of one without concepts; None without clusters.
    """

    rows: Any = field(repr=False)
    bounds: Sequence[tuple[int, int]]
    clusters: Ints | None = None

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without concepts."""
        filled = np.diff(self.rows.indptr) > 0
        return {
            number: NO_WORDS
            for number, (start, end) in enumerate(self.bounds)
            if not filled[start:end].any()
        }

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return int(self.rows.nnz) * _ENTRY_BYTES

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the cosine of each pair, of the second best pair of paragraphs if there are two.

        Texts of different clusters have 0.
        """
        scores = np.zeros(len(first))
        for text, positions in by_first(first):
            own = self.rows[slice(*self.bounds[text])]
            others = [self.bounds[other] for other in second[positions].tolist()]
            rows = np.concatenate([np.arange(*bounds) for bounds in others])
            cosines = np.asarray((self.rows[rows] @ own.T).todense())
            ends = np.cumsum([end - start for start, end in others])
            parts = np.split(cosines, ends[:-1])
            scores[positions] = [_chosen(part) for part in parts]
        scores = np.clip(scores, 0, 1)
        if self.clusters is not None:
            scores[self.clusters[first] != self.clusters[second]] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs of one cluster; without clusters, those with a pair of close rows."""
        if self.clusters is not None:
            first, second = np.nonzero(self.clusters[:, None] == self.clusters)
            known = self.clusters[first] >= 0
            return ordered_pairs(first[known], second[known])
        owners = np.repeat(np.arange(len(self.bounds)), [end - start for start, end in self.bounds])
        pairs_of_slices = [np.zeros((0, 2), np.int64)]
        for start in range(0, self.rows.shape[0], _ROWS):
            cosines = (self.rows[start : start + _ROWS] @ self.rows.T).tocoo()
            close = cosines.data >= _LEAST_ALIKE
            first, second = owners[cosines.row[close] + start], owners[cosines.col[close]]
            pairs_of_slices.append(ordered_pairs(first, second))
        pairs = np.concatenate(pairs_of_slices)
        return ordered_pairs(pairs[:, 0], pairs[:, 1])


def _chosen(cosines: Scores) -> float:
    """Return the cosine of the second best pair, or of the only one; 0 without pairs."""
    if not cosines.size:
        return 0.0
    place = min(_PLACE, cosines.size)
    return float(np.partition(cosines.ravel(), cosines.size - place)[-place])


def _read(
    texts: Sequence[str], name: str, paragraphs: bool, rarity: bool, clustered: bool
) -> ConceptVectors:
    extraction = require_baseline("sklearn.feature_extraction", name)
    weighing = require_baseline("sklearn.feature_extraction.text", name)
    parts = [paragraphs_of(text) if paragraphs else [text] for text in texts]
    counts = [
        concepts_of(part, language)
        for text, some in zip(texts, parts, strict=True)
        for language in [detect_language(text)]
        for part in some
    ]
    rows = extraction.DictVectorizer(dtype=np.float64).fit_transform(counts or [Counter()])
    weigher = weighing.TfidfTransformer(use_idf=rarity, sublinear_tf=rarity)
    rows = weigher.fit_transform(rows) if rows.shape[1] else rows
    bounds = list(pairwise(np.cumsum([0, *map(len, parts)]).tolist()))
    clusters = _clusters(rows[: len(texts)], name) if clustered else None
    return ConceptVectors(rows[: len(counts)], bounds, clusters)


def _clusters(rows: Any, name: str) -> Ints:
    filled = np.flatnonzero(np.diff(rows.indptr))
    clusters = np.full(rows.shape[0], -1)
    count = max(1, round(math.sqrt(len(filled) / 2)))
    if len(filled):
        cluster = require_baseline("sklearn.cluster", name)
        means = cluster.KMeans(count, n_init=1, random_state=_SEED)
        with warnings.catch_warnings():
            # Of equal texts there are fewer clusters than requested, which is right.
            warnings.simplefilter("ignore")
            clusters[filled] = means.fit_predict(rows[filled])
    return clusters


def concept_cosine(
    name: str, *, paragraphs: bool = False, rarity: bool = True, clustered: bool = False
) -> Method:
    """Return a method of the cosine of concept vectors.

    Args:
        name: Name of the method.
        paragraphs: Whether each paragraph has a vector; the whole text if not.
        rarity: Whether concepts are weighted by tf-idf over the texts; by frequency if not.
        clustered: Whether texts are clustered by k-means, with k = sqrt(n / 2) (Mardia 1979).
    """
    read = partial(_read, name=name, paragraphs=paragraphs, rarity=rarity, clustered=clustered)
    note = "k-means with sqrt(n / 2) clusters; other clusters score 0" if clustered else ""
    return Method(name, ALIKE, read, note)
