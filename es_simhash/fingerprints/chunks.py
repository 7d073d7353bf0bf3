"""Chunk fingerprints of one text, with which candidates are rescored."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Lengths are stored in 16 bits; a chunk has at most a few hundred characters but for endless words.
MAX_CHUNK_CHARACTERS = 0xFFFF


@dataclass(frozen=True)
class ChunkFingerprints:
    """The content of `simhash.chunks`: enough to rescore a candidate without its text.

    Attributes:
        fingerprints: Chunk fingerprints in the order of the text, shape (chunks, 16).
        characters: Characters of each chunk.
        shingle_counts: Distinct shingles that each of the four windows selects; 0 for windows that
            are smaller than that of a text of this length.
    """

    fingerprints: NDArray[np.uint8]
    characters: NDArray[np.int64]
    shingle_counts: NDArray[np.int64]

    @cached_property
    def windows(self) -> "WindowCounts":
        """The shingle counts as numbers of Python: of four, they take a tenth of numpy's time."""
        return WindowCounts(*self.shingle_counts.tolist())

    @cached_property
    def level(self) -> int:
        """Number of the window of texts of its length, from 0 to 3."""
        return self.windows.level

    @cached_property
    def shingles(self) -> int:
        """Number of distinct shingles of the text."""
        return self.windows.shingles


class WindowCounts(NamedTuple):
    """Distinct shingles that each of the four windows selects, as `ChunkFingerprints` has them."""

    first: int
    second: int
    third: int
    fourth: int

    @property
    def level(self) -> int:
        """Number of the window of texts of this length, from 0 to 3."""
        # Read for hundreds of candidates: a generator takes twice as long.
        for level, count in enumerate(self):
            if count > 0:
                return level
        return 0

    @property
    def shingles(self) -> int:
        """Number of distinct shingles of the text."""
        return self[self.level]
