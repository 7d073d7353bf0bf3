"""Posting lists of queried shingles in memory: a full run retrieves the candidates of every text.

Searches would return the same candidates, but take more than ten times as long for each text.
"""

import numpy as np
from numpy.typing import NDArray

# Texts whose shingles are held in memory, each by about two kilobytes.
MAX_TEXTS = 1_000_000
_SHIFT = np.uint64(32)
_TEXT = np.uint64(0xFFFFFFFF)


class Postings:
    """The texts that have a shingle, for each shingle; add all texts before the first look-up."""

    def __init__(self) -> None:
        self._hashes: list[str] = []
        self._shingles: dict[str, NDArray[np.uint32]] = {}
        # Shingles and numbers of texts, both in one number, ascending.
        self._packed: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def __contains__(self, content_hash: str) -> bool:
        return content_hash in self._shingles

    def add(self, content_hash: str, queried_shingles: NDArray[np.uint32]) -> None:
        """Add a text that was not added before.

        Args:
            content_hash: Of the text.
            queried_shingles: The shingles by which it is found, each once.
        """
        self._hashes.append(content_hash)
        # A copy, or the slice would keep the shingles of its whole batch.
        self._shingles[content_hash] = queried_shingles.copy()

    def sharing(self, content_hash: str, min_shared: int, max_texts: int) -> tuple[list[str], bool]:
        """Return the texts that share shingles with one, those that share most first.

        Of a posting list of more than `max_texts` texts, only the first of these count as found by
        it, the same for every query: so the texts of one template, or many copies of one, are
        linked through the first of them, and no query takes the time of all.

        Args:
            content_hash: Of a text that was added.
            min_shared: Shingles another text must share, from 1; of a text with fewer, all.
            max_texts: Texts to return at the most.

        Returns:
            Hashes of the texts without the text itself, and whether there may be more.
        """
        self._pack()
        keys = self._shingles[content_hash].astype(np.uint64) << _SHIFT
        min_shared = max(1, min(min_shared, len(keys)))
        starts = np.searchsorted(self._packed, keys)
        counts = np.searchsorted(self._packed, keys + (np.uint64(1) << _SHIFT)) - starts
        is_long = counts > max_texts
        lengths = np.minimum(counts, max_texts)
        # The positions of all postings: runs that begin at the starts.
        positions = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        positions += np.arange(lengths.sum())
        of_short_list = np.repeat(~is_long, lengths)
        texts, inverse = np.unique(self._packed[positions] & _TEXT, return_inverse=True)
        shared = np.bincount(inverse[of_short_list], minlength=len(texts))
        for key in keys[is_long]:
            shared += self._have(key, texts)
        chosen = np.flatnonzero(shared >= min_shared)
        order = chosen[np.argsort(-shared[chosen], kind="stable")[:max_texts]]
        hashes = [self._hashes[number] for number in texts[order].tolist()]
        others = [candidate for candidate in hashes if candidate != content_hash]
        return others, len(chosen) > max_texts or int(is_long.sum()) >= min_shared

    def _have(self, key: np.uint64, texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Check which texts have a shingle."""
        postings = key | texts
        positions = np.minimum(np.searchsorted(self._packed, postings), len(self._packed) - 1)
        have: NDArray[np.bool_] = self._packed[positions] == postings
        return have

    def _pack(self) -> None:
        if len(self._packed) == 0 and self._shingles:
            lists = [self._shingles[content_hash] for content_hash in self._hashes]
            counts = [len(shingles) for shingles in lists]
            numbers = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
            self._packed = np.concatenate(lists).astype(np.uint64) << _SHIFT | numbers
            self._packed.sort()
