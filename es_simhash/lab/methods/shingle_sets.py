"""Words and shingles of a batch of texts as sets, and their exact resemblance and containment.

Resemblance (Jaccard) and containment of shingles: Broder, "On the resemblance and containment of
documents" (SEQUENCES 1997). Nine characters are a good shingle of general text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.hashing import GroupedRuns, Uint64s, group_runs, ranks_within
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Method,
    Pairs,
    Scores,
    by_first,
    empty_texts,
)
from es_simhash.text.characters import code_points
from es_simhash.text.normal_forms import normalise, normalise_all
from es_simhash.text.segmentation import segment, text_batches
from es_simhash.text.tokens import Segmentation


@dataclass(frozen=True)
class Units:
    """The characters or words of texts.

    Attributes:
        numbers: One number for each; equal units have equal numbers.
        bounds: Bounds of the texts in numbers, one more than there are texts.
    """

    numbers: Uint64s
    bounds: Ints

    def runs(self, length: int) -> GroupedRuns:
        """Return the number of each run of so many; a shorter text is one run."""
        return group_runs(self.numbers, self.bounds, length)


def joined(arrays: Sequence[Uint64s], lengths: Sequence[int]) -> Units:
    """Return the units of texts that were read in batches.

    Args:
        arrays: The numbers of each batch.
        lengths: How many each text has.
    """
    numbers = np.concatenate(arrays) if arrays else np.zeros(0, np.uint64)
    return Units(numbers, np.cumsum([0, *lengths], dtype=np.int64))


def segmented(texts: Sequence[str]) -> Iterator[Segmentation]:
    """Yield the tokens and chunks of texts, batch by batch."""
    for batch in text_batches(texts):
        yield segment(normalise_all(batch), DEFAULT)


def words_of(texts: Sequence[str]) -> Units:
    """Return the words of texts; of scripts without spaces each character is one."""
    arrays, lengths = [], []
    for segmentation in segmented(texts):
        arrays.append(token_numbers(segmentation))
        lengths.extend(np.diff(segmentation.texts).tolist())
    return joined(arrays, lengths)


def plain(text: str) -> str:
    """Return a text in normal form, each run of white space one space."""
    return " ".join(normalise(text).split())


def characters_of(texts: Sequence[str]) -> Units:
    """Return the code points of texts in normal form, each run of white space one space.

    Texts without a letter or digit have none.
    """
    plain_texts = (plain(text) for text in texts)
    normal = [text if any(map(str.isalnum, text)) else "" for text in plain_texts]
    codes = code_points("".join(normal)).astype(np.uint64)
    return joined([codes], [len(text) for text in normal])


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


# A shingle is stored as a hash of so many bytes.
_HASH_BYTES = 8
# Score from which on two texts are versions.
_THRESHOLD = 0.5


@dataclass(frozen=True)
class SetFeatures:
    """Sets of hashed shingles.

    Attributes:
        sets: Sets of the texts.
        contained: Whether containment is the score; resemblance if not.
    """

    sets: FeatureSets
    contained: bool = False

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without a shingle."""
        return empty_texts(self.sets.bounds)

    @property
    def nbytes(self) -> int:
        """Bytes of a hash for each shingle."""
        return _HASH_BYTES * len(self.sets.ids)

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the resemblance or the containment of each pair."""
        if self.contained:
            return self.sets.containment(first, second)
        return self.sets.resemblance(first, second)

    def candidates(self) -> Pairs:
        """Return the pairs that share a shingle: all others score 0."""
        return self.sets.sharing()


def _read(texts: Sequence[str], length: int, characters: bool, contained: bool) -> SetFeatures:
    # A text shorter than a shingle is one shingle.
    runs = (characters_of(texts) if characters else words_of(texts)).runs(length)
    return SetFeatures(FeatureSets.of(runs.features, runs.bounds), contained)


def exact_sets(
    name: str, length: int, *, characters: bool = False, contained: bool = False
) -> Method:
    """Return a method that compares runs of words or characters as sets.

    Args:
        name: Name of the method.
        length: Words or characters of a run.
        characters: Whether runs are of characters.
        contained: Whether containment is the score; resemblance if not.
    """
    read = partial(_read, length=length, characters=characters, contained=contained)
    return Method(name, _THRESHOLD, read)
