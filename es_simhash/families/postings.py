"""Which texts have which passages, in memory: a run over a whole index asks for every text.

Searches would answer the same, but take more than ten times as long for each text.
"""

import numpy as np
from numpy.typing import NDArray

# Texts whose passages are held in memory, each by about two kilobytes.
MOST_TEXTS = 1_000_000
_SHIFT = np.uint64(32)
_TEXT = np.uint64(0xFFFFFFFF)


class Postings:
    """The passages by which texts are found; texts are added first, and then looked up."""

    def __init__(self) -> None:
        self._hashes: list[str] = []
        self._asked: dict[str, NDArray[np.uint32]] = {}
        # Passages and numbers of texts, both in one number, ascending.
        self._packed: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def __contains__(self, content_hash: str) -> bool:
        return content_hash in self._asked

    def add(self, content_hash: str, asked: NDArray[np.uint32]) -> None:
        """Take in a text that was not added before, before any is looked up.

        Args:
            content_hash: Of the text.
            asked: The passages by which it is found, each once.
        """
        self._hashes.append(content_hash)
        # A copy, or the slice would keep the passages of its whole batch.
        self._asked[content_hash] = asked.copy()

    def sharing(self, content_hash: str, least: int, most: int) -> tuple[list[str], bool]:
        """Return the texts that share passages with one, those that share most first.

        Of a passage that more than `most` texts have, only the first of these count as found by
        it, the same for whoever asks: so the texts of one template, or many copies of one, hang
        together through the first of them, and none takes the time of all.

        Args:
            content_hash: Of a text that was added.
            least: How many passages another text must share, from 1; of a text that has fewer, all.
            most: How many texts to give.

        Returns:
            Hashes of the texts, the text itself not among them, and whether there may be more.
        """
        self._pack()
        firsts = self._asked[content_hash].astype(np.uint64) << _SHIFT
        least = max(1, min(least, len(firsts)))
        starts = np.searchsorted(self._packed, firsts)
        counts = np.searchsorted(self._packed, firsts + (np.uint64(1) << _SHIFT)) - starts
        heavy = counts > most
        taken = np.minimum(counts, most)
        # The places of all postings: runs that begin at the starts.
        places = np.repeat(starts - np.cumsum(taken) + taken, taken) + np.arange(taken.sum())
        by_light = np.repeat(~heavy, taken)
        texts, place = np.unique(self._packed[places] & _TEXT, return_inverse=True)
        shared = np.bincount(place[by_light], minlength=len(texts))
        for first in firsts[heavy]:
            shared += self._have(first, texts)
        chosen = np.flatnonzero(shared >= least)
        order = chosen[np.argsort(-shared[chosen], kind="stable")[:most]]
        names = [self._hashes[number] for number in texts[order].tolist()]
        others = [each for each in names if each != content_hash]
        return others, len(chosen) > most or int(heavy.sum()) >= least

    def _have(self, first: np.uint64, texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell which texts have a passage."""
        wanted = first | texts
        found = np.minimum(np.searchsorted(self._packed, wanted), len(self._packed) - 1)
        have: NDArray[np.bool_] = self._packed[found] == wanted
        return have

    def _pack(self) -> None:
        if len(self._packed) == 0 and self._asked:
            counts = [len(self._asked[each]) for each in self._hashes]
            numbers = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
            shingles = np.concatenate([self._asked[each] for each in self._hashes])
            self._packed = shingles.astype(np.uint64) << _SHIFT | numbers
            self._packed.sort()
