"""Chunk fingerprints of one text, as candidates are verified by."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.simhash import Fingerprints
from es_simhash.fingerprints.text_fingerprints import TextFingerprints


@dataclass(frozen=True)
class ChunkFingerprints:
    """What `simhash.chunks` holds: enough to verify a candidate without its text.

    Attributes:
        fingerprints: Chunk fingerprints in the order of the text, shape (chunks, 16).
        characters: Characters of each chunk.
        passage_counts: Distinct passages that each of the four windows picks; 0 for windows that
            are smaller than the one of a text of this length.
    """

    fingerprints: Fingerprints
    characters: NDArray[np.int64]
    shingle_counts: NDArray[np.int64]

    @classmethod
    def of(cls, fingerprints: TextFingerprints) -> "ChunkFingerprints":
        """Return what is stored for a fingerprinted text, without packing it."""
        counts = shingle_counts(fingerprints.levels)
        return cls(fingerprints.chunks, fingerprints.chunk_characters, counts)


def shingle_counts(levels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the passages that each of the four windows picks.

    A text's own window picks all of them; smaller ones are counted as 0.
    """
    exactly = np.bincount(levels, minlength=4)
    reaching = np.cumsum(exactly[::-1])[::-1]
    reaching[: int(levels.min(initial=3))] = 0
    return reaching
