"""Posting lists of shingles in memory: which texts have each, and which texts share enough.

A run over all texts retrieves the candidates of each from them: searches would return the same, but
take more than ten times as long for each text.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import ranks_within

Shingles = NDArray[np.uint32]
Counts = NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)

_SHIFT, _NUMBER = np.uint64(32), np.uint64(0xFFFFFFFF)


class Postings(Generic[Key]):
    """The texts that have a shingle, for each shingle.

    Args:
        shingles: Of each text the shingles by which it is found, each once.
    """

    def __init__(self, shingles: Mapping[Key, Shingles]) -> None:
        self._shingles = shingles
        self._keys = list(shingles)
        self._numbers = {key: number for number, key in enumerate(self._keys)}
        self._packed = packed(list(shingles.values()), np.arange(len(shingles)))

    def sharing(self, key: Key, min_shared: int, max_texts: int) -> tuple[list[Key], bool]:
        """Return the texts that share shingles with one, those that share most first.

        Of a posting list of more than `max_texts` texts, only the first of these count as found by
        it, the same for every query: so the texts of one template, or many copies of one, are
        linked through the first of them, and no query takes the time of all.

        Args:
            key: Of the text.
            min_shared: Shingles another text must share, from 1; of a text with fewer, all.
            max_texts: Texts to return at the most.

        Returns:
            The texts without the text itself, and whether there may be more.
        """
        entries = self._shingles[key].astype(np.uint64) << _SHIFT
        min_shared = max(1, min(min_shared, len(entries)))
        starts = np.searchsorted(self._packed, entries)
        counts = np.searchsorted(self._packed, entries + (np.uint64(1) << _SHIFT)) - starts
        is_long = counts > max_texts
        lengths = np.minimum(counts, max_texts)
        of_short_list = np.repeat(~is_long, lengths)
        texts, inverse = np.unique(self._texts(starts, lengths), return_inverse=True)
        shared = np.bincount(inverse[of_short_list], minlength=len(texts))
        for entry in entries[is_long]:
            shared += self._have(entry, texts)
        chosen = np.flatnonzero(shared >= min_shared)
        order = chosen[np.argsort(-shared[chosen], kind="stable")[:max_texts]]
        keys = [self._keys[number] for number in texts[order].tolist()]
        others = [candidate for candidate in keys if candidate != key]
        return others, len(chosen) > max_texts or int(is_long.sum()) >= min_shared

    def after(self, key: Key, min_shared: int) -> list[tuple[Key, int]]:
        """Return the texts after one that share shingles with it, and how many they share.

        Args:
            key: Of the text.
            min_shared: Shingles another text must share.
        """
        entries = self._shingles[key].astype(np.uint64) << _SHIFT
        starts = np.searchsorted(self._packed, entries | np.uint64(self._numbers[key]), "right")
        ends = np.searchsorted(self._packed, entries + (np.uint64(1) << _SHIFT))
        texts, counts = np.unique(self._texts(starts, ends - starts), return_counts=True)
        enough = counts >= min_shared
        return [
            (self._keys[number], count)
            for number, count in zip(texts[enough].tolist(), counts[enough].tolist(), strict=True)
        ]

    def _texts(self, starts: Counts, lengths: Counts) -> NDArray[np.uint64]:
        """Return the numbers of the texts in stretches of the postings, one after the other."""
        positions = np.repeat(starts, lengths) + ranks_within(lengths)
        texts: NDArray[np.uint64] = self._packed[positions] & _NUMBER
        return texts

    def _have(self, entry: np.uint64, texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Check which texts have a shingle."""
        postings = entry | texts
        positions = np.minimum(np.searchsorted(self._packed, postings), len(self._packed) - 1)
        have: NDArray[np.bool_] = self._packed[positions] == postings
        return have


def packed(lists: Sequence[Shingles], numbers: Counts) -> NDArray[np.uint64]:
    """Return each shingle of each list with the number of the list, both in one, ascending.

    Args:
        lists: Shingles.
        numbers: Of the lists; several may have one.
    """
    if not len(lists):
        return np.zeros(0, np.uint64)
    owners = np.repeat(numbers.astype(np.uint64), [len(shingles) for shingles in lists])
    entries: NDArray[np.uint64] = np.concatenate(lists).astype(np.uint64) << _SHIFT | owners
    entries.sort()
    return entries


def paired(one: Counts, other: Counts) -> NDArray[np.uint64]:
    """Return pairs of numbers below 2**32, each as one number, in whose order pairs are sorted."""
    pairs: NDArray[np.uint64] = one.astype(np.uint64) << _SHIFT | other.astype(np.uint64)
    return pairs


def parted(pairs: NDArray[np.uint64]) -> tuple[Counts, Counts]:
    """Return the numbers of pairs that `paired` returned."""
    return (pairs >> _SHIFT).astype(np.int64), (pairs & _NUMBER).astype(np.int64)


def list_counts(entries: NDArray[np.uint64]) -> tuple[Shingles, Counts]:
    """Return the distinct shingles of packed entries, and how many entries each has."""
    shingles, counts = np.unique((entries >> _SHIFT).astype(np.uint32), return_counts=True)
    return shingles, counts
