"""Chunk fingerprints of one text, with which candidates are rescored."""

from dataclasses import dataclass
from functools import cached_property

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
    def level(self) -> int:
        """Number of the window of texts of its length, from 0 to 3."""
        # Of four numbers, a list is faster than numpy.
        counts = self.shingle_counts.tolist()
        return next((level for level, count in enumerate(counts) if count > 0), 0)

    @cached_property
    def shingles(self) -> int:
        """Number of distinct shingles of the text."""
        return int(self.shingle_counts[self.level])
