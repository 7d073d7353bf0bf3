"""Chunk fingerprints of one text, with which candidates are rescored."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.shingles import shingle_counts
from es_simhash.fingerprints.simhash import Fingerprints
from es_simhash.fingerprints.text_fingerprints import TextFingerprints


@dataclass(frozen=True)
class ChunkFingerprints:
    """What `simhash.chunks` holds: enough to rescore a candidate without its text.

    Attributes:
        fingerprints: Chunk fingerprints in the order of the text, shape (chunks, 16).
        characters: Characters of each chunk.
        shingle_counts: Distinct shingles that each of the four windows selects; 0 for windows that
            are smaller than that of a text of this length.
    """

    fingerprints: Fingerprints
    characters: NDArray[np.int64]
    shingle_counts: NDArray[np.int64]

    @classmethod
    def of(cls, fingerprints: TextFingerprints) -> "ChunkFingerprints":
        """Return what is stored for a fingerprinted text, in decoded form."""
        counts = shingle_counts(fingerprints.levels)
        return cls(fingerprints.chunks, fingerprints.chunk_characters, counts)
