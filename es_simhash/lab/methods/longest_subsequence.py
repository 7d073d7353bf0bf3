"""Longest common subsequence of words, by RapidFuzz (extra: baselines).

The score is its length over that of the longer text. No text has a longer one than the words that
both have, counted as often as both have them: that finds the candidates without loss.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from es_simhash.fingerprints.hashing import BASE, ranks_within
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Method,
    Pairs,
    Scores,
    by_first,
    empty_texts,
    require_baseline,
)
from es_simhash.lab.methods.shingle_sets import FeatureSets, Units, words_of

_NAME = "lcs"
# Pairs that cannot have a higher score are no candidates.
_LEAST_SHARE = 0.3
_WORD_BYTES = 8


@dataclass(frozen=True)
class WordSequences:
    """The words of texts, in order.

    Attributes:
        words: Words of the texts.
        fuzz: The module `rapidfuzz`.
    """

    words: Units
    fuzz: Any = field(repr=False)

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without words."""
        return empty_texts(self.words.bounds)

    @property
    def nbytes(self) -> int:
        """Bytes of a hash for each word."""
        return _WORD_BYTES * len(self.words.numbers)

    @cached_property
    def _lengths(self) -> Ints:
        return np.diff(self.words.bounds)

    @cached_property
    def _numbers(self) -> list["array[int]"]:
        """The words of each text as numbers, in the form that RapidFuzz reads without a copy."""
        return [
            array("Q", self.words.numbers[start:end].tobytes())
            for start, end in pairwise(self.words.bounds.tolist())
        ]

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the length of the longest common subsequence over that of the longer text."""
        scores = np.zeros(len(first))
        scorer = self.fuzz.distance.LCSseq.similarity
        for text, positions in by_first(first):
            others = [self._numbers[other] for other in second[positions].tolist()]
            lengths = self.fuzz.process.cdist([self._numbers[text]], others, scorer=scorer)[0]
            longer = np.maximum(self._lengths[text], self._lengths[second[positions]])
            scores[positions] = lengths / np.maximum(longer, 1)
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that have enough words in common for the least score."""
        counted = counted_words(self.words)
        pairs = counted.sharing()
        shared = counted.shared(pairs[:, 0], pairs[:, 1])
        longer = self._lengths[pairs].max(axis=1, initial=0)
        enough: Pairs = pairs[shared >= _LEAST_SHARE * longer]
        return enough


def counted_words(words: Units) -> FeatureSets:
    """Return sets in which the second occurrence of a word in a text is another feature."""
    owners = np.repeat(np.arange(len(words.bounds) - 1), np.diff(words.bounds))
    order = np.lexsort((words.numbers, owners))
    ordered, texts = words.numbers[order], owners[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]) | (texts[1:] != texts[:-1])
    starts = np.flatnonzero(is_new)
    ranks = ranks_within(np.diff(starts, append=len(order)))
    return FeatureSets.of(ordered * np.uint64(BASE) + ranks.astype(np.uint64), words.bounds)


def _read(texts: Sequence[str]) -> WordSequences:
    require_baseline("rapidfuzz.process", _NAME)
    require_baseline("rapidfuzz.distance", _NAME)
    return WordSequences(words_of(texts), require_baseline("rapidfuzz", _NAME))


LONGEST_COMMON_SUBSEQUENCE = Method(_NAME, 0.5, _read)
