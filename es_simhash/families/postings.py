"""Which texts have which passages, in memory: a run over a whole index asks for every text.

Searches would answer the same, some fifty times slower for each text.
"""

import numpy as np
from numpy.typing import NDArray

# Texts whose passages are held in memory, each by about a kilobyte.
MOST_TEXTS = 2_000_000
_SHIFT = np.uint64(32)
_TEXT = np.uint64(0xFFFFFFFF)


class Postings:
    """The passages by which texts are found; texts are added first, and then looked up.

    Passages and numbers of texts are packed into one sorted array, so that nothing but it is held.
    """

    def __init__(self) -> None:
        self._hashes: list[str] = []
        self._parts: list[NDArray[np.uint64]] = []
        self._packed: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, content_hash: str, asked: NDArray[np.uint32]) -> None:
        """Take in a text that was not added before.

        Args:
            content_hash: Of the text.
            asked: The passages by which it is found, each once.
        """
        number = np.uint64(len(self._hashes))
        self._hashes.append(content_hash)
        self._parts.append(asked.astype(np.uint64) << _SHIFT | number)

    def sharing(self, asked: NDArray[np.uint32], least: int, most: int) -> tuple[list[str], bool]:
        """Give the texts that share passages with one, those that share most first.

        Of a passage that more than `most` texts have, only the first of these count as found by
        it, the same for whoever asks: so the texts of one template, or many copies of one, hang
        together through the first of them, and none takes the time of all.

        Args:
            asked: The passages by which it is found, each once.
            least: How many of them another text must have, from 1.
            most: How many texts to give.

        Returns:
            Hashes of the texts, the text itself among them, and whether there may be more.
        """
        self._pack()
        firsts = asked.astype(np.uint64) << _SHIFT
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
        return names, len(chosen) > most or int(heavy.sum()) >= least

    def _have(self, first: np.uint64, texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell which texts have a passage."""
        wanted = first | texts
        found = np.minimum(np.searchsorted(self._packed, wanted), len(self._packed) - 1)
        have: NDArray[np.bool_] = self._packed[found] == wanted
        return have

    def _pack(self) -> None:
        if self._parts:
            self._packed = np.concatenate([self._packed, *self._parts])
            self._parts.clear()
            self._packed.sort()
