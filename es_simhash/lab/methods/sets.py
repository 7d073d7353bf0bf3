"""Sets of features of many texts, and how many of them pairs of texts share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, ranks_within
from es_simhash.lab.methods.model import Ints, Pairs, Scores, by_first

_ROW_SHIFT = np.uint64(32)


@dataclass(frozen=True)
class FeatureSets:
    """The distinct features of each text, numbered from 0.

    Attributes:
        ids: Features of all texts, ascending inside each text.
        bounds: Bounds of the texts in ids, one more than there are texts.
    """

    ids: NDArray[np.int32]
    bounds: Ints

    @classmethod
    def of(cls, values: Uint64s, bounds: Ints) -> "FeatureSets":
        """Return the sets of features; the same value twice in a text is one."""
        _, ids = np.unique(values, return_inverse=True)
        owners = np.repeat(np.arange(len(bounds) - 1, dtype=np.uint64), np.diff(bounds))
        keys = np.unique(owners << _ROW_SHIFT | ids.astype(np.uint64))
        rows = np.arange(len(bounds), dtype=np.uint64) << _ROW_SHIFT
        return cls((keys & np.uint64(0xFFFFFFFF)).astype(np.int32), np.searchsorted(keys, rows))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def sizes(self) -> Ints:
        """How many features each text has."""
        return np.diff(self.bounds)

    @cached_property
    def _postings(self) -> tuple[NDArray[np.int32], Ints]:
        """The texts of each feature, and the bounds of the features in them."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        order = np.argsort(self.ids, kind="stable")
        counts = np.bincount(self.ids, minlength=1)
        return owners[order], np.concatenate([[0], np.cumsum(counts)])

    def of_text(self, text: int) -> NDArray[np.int32]:
        """Return the features of one text."""
        return self.ids[self.bounds[text] : self.bounds[text + 1]]

    def counts(self, features: NDArray[np.int32]) -> Ints:
        """Return how many of some distinct features each text has."""
        texts, bounds = self._postings
        starts = bounds[features]
        sizes = bounds[features + 1] - starts
        places = np.repeat(starts, sizes) + ranks_within(sizes)
        return np.bincount(texts[places], minlength=len(self))

    def shared(self, first: Ints, second: Ints) -> Ints:
        """Return how many features the texts of each pair share."""
        shared = np.zeros(len(first), np.int64)
        for text, positions in by_first(first):
            shared[positions] = self.counts(self.of_text(text))[second[positions]]
        return shared

    def sharing(self, least: int = 1) -> Pairs:
        """Return the pairs of texts that share so many features."""
        rows = []
        for text in range(len(self)):
            others = np.flatnonzero(self.counts(self.of_text(text))[text + 1 :] >= least)
            rows.append(np.stack([np.full(len(others), text), others + text + 1], axis=1))
        return np.concatenate(rows) if rows else np.zeros((0, 2), np.int64)

    def resemblance(self, first: Ints, second: Ints) -> Scores:
        """Return shared features over those of either text (Jaccard); 0 where both have none."""
        shared = self.shared(first, second)
        union = self.sizes[first] + self.sizes[second] - shared
        return np.asarray(shared / np.maximum(union, 1))

    def containment(self, first: Ints, second: Ints) -> Scores:
        """Return shared features over those of the text that has fewer; 0 where it has none."""
        fewer = np.minimum(self.sizes[first], self.sizes[second])
        return np.asarray(self.shared(first, second) / np.maximum(fewer, 1))
