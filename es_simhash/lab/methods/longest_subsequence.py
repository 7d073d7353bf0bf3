"""Longest common subsequence of words, by RapidFuzz (extra: baselines).

The score is its length over that of the longer text. No text has a longer one than the words that
both have, counted as often as both have them: that finds the candidates without loss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.hashing import BASE, ranks_within
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Pairs,
    Scores,
    by_first,
    empty_texts,
    require_baseline,
)
from es_simhash.lab.methods.shingle_sets import FeatureSets, Units, words_of

# Pairs that cannot have a higher score are no candidates.
_LEAST_SHARE = 0.3
_WORD_BYTES = 8
# RapidFuzz is fastest with strings, in which each word is one character; not half of one.
_FIRST_SURROGATE, _SURROGATES, _CHARACTERS = 0xD800, 0x800, 0x110000


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
    def _strings(self) -> list[str]:
        return as_strings(self.words)

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the length of the longest common subsequence over that of the longer text."""
        scores = np.zeros(len(first))
        scorer = self.fuzz.distance.LCSseq.similarity
        for text, positions in by_first(first):
            others = [self._strings[other] for other in second[positions].tolist()]
            lengths = self.fuzz.process.cdist([self._strings[text]], others, scorer=scorer)[0]
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


def as_strings(words: Units) -> list[str]:
    """Return a string for each text with one character for each word.

    All words of a text that no other text has are one character: they are equal to none elsewhere.

    Raises:
        InputError: There are more words than characters.
    """
    _, ids = np.unique(words.numbers, return_inverse=True)
    sets = FeatureSets.of(ids.astype(np.uint64), words.bounds)
    is_shared = np.bincount(sets.ids, minlength=1) > 1
    owners = np.repeat(np.arange(len(words.bounds) - 1), np.diff(words.bounds))
    shared_words = int(is_shared.sum())
    numbers = np.cumsum(is_shared) - 1
    codes = np.where(is_shared[ids], numbers[ids], shared_words + owners) if len(ids) else ids
    codes = codes + np.where(codes >= _FIRST_SURROGATE, _SURROGATES, 0)
    if codes.max(initial=0) >= _CHARACTERS:
        raise InputError(
            f"Method 'lcs' compares texts of up to 1.1 million different words, not of "
            f"{shared_words:,}. Evaluate fewer texts at once."
        )
    joined = codes.astype("<u4").tobytes().decode("utf-32-le")
    bounds = words.bounds.tolist()
    return [joined[start:end] for start, end in pairwise(bounds)]


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


@dataclass(frozen=True)
class LongestCommonSubsequence:
    """Longest common subsequence of words.

    Attributes:
        name: Name of the method.
        threshold: Score from which on two texts are versions.
        note: Empty.
    """

    name: str = "lcs"
    threshold: float = 0.5
    note: str = ""

    def read(self, texts: Sequence[str]) -> WordSequences:
        """Return the words of texts.

        Raises:
            MissingExtra: RapidFuzz is not installed.
        """
        require_baseline("rapidfuzz.process", self.name)
        require_baseline("rapidfuzz.distance", self.name)
        return WordSequences(words_of(texts), require_baseline("rapidfuzz", self.name))
