"""Copies among the neighbours, shown once: ten papers print one wire story."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.relation import Relation
from es_simhash.relation.resemblance import similarity
from es_simhash.relation.thresholds import COPY_RESEMBLANCE

# Chunks of one text that are compared, spread over it; enough to know a copy by.
_MAX_CHUNKS = 16


def without_copies(
    relations: Sequence[Relation],
    chunks: Sequence[ChunkFingerprints | None],
    families: Sequence[str],
    size: int,
) -> list[Relation]:
    """Leave out relations that are versions of one before them, and count them there.

    Args:
        relations: Best first.
        chunks: Chunk fingerprints of each; None where they are not known.
        families: Version family of each; empty where it has none.
        size: How many will be shown; those behind them are left as they are.
    """
    samples = _Samples.of([_sample(text) for text in chunks])
    left = list(range(len(relations)))
    shown: list[Relation] = []
    while left and len(shown) < size:
        first, *others = left
        alike = samples.alike(first)
        family = families[first]
        left = [
            number
            for number in others
            if not alike[number] and not (family and families[number] == family)
        ]
        copies, relation = len(others) - len(left), relations[first]
        shown.append(replace(relation, copies=copies) if copies else relation)
    return [*shown, *(relations[number] for number in left)]


@dataclass(frozen=True)
class _Samples:
    """Chunks of several texts in one row, so that one text is compared with all at once.

    Attributes:
        fingerprints: Of the chunks of all texts.
        characters: Of each chunk.
        bounds: First chunk of each text, and the end of the last; a text without chunks has none.
    """

    fingerprints: Fingerprints
    characters: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[ChunkFingerprints | None]) -> "_Samples":
        """Return the chunks of texts; of those whose chunks are not known, none."""
        known = [text for text in texts if text is not None]
        counts = [0 if text is None else len(text.fingerprints) for text in texts]
        return cls(
            np.concatenate([text.fingerprints for text in known] or [np.zeros((0, 0), np.uint8)]),
            np.concatenate([text.characters for text in known] or [np.zeros(0, np.int64)]),
            np.cumsum([0, *counts]),
        )

    def alike(self, number: int) -> NDArray[np.bool_]:
        """Return which texts have half of their chunks, by characters, in common with one."""
        alike = np.zeros(len(self.bounds) - 1, bool)
        start, end = self.bounds[number : number + 2]
        if start == end:
            return alike
        known = np.flatnonzero(np.diff(self.bounds))
        starts = self.bounds[known]
        distances = hamming_distances(self.fingerprints[start:end], self.fingerprints)
        bits = self.fingerprints.shape[1] * 8
        of_others = similarity(distances.min(axis=0), bits) * self.characters
        shares = np.add.reduceat(of_others, starts) / np.add.reduceat(self.characters, starts)
        nearest = similarity(np.minimum.reduceat(distances, starts, axis=1), bits)
        own = self.characters[start:end]
        alike[known] = np.maximum(shares, own @ nearest / own.sum()) >= COPY_RESEMBLANCE
        return alike


def _sample(chunks: ChunkFingerprints | None) -> ChunkFingerprints | None:
    if chunks is None or not len(chunks.fingerprints):
        return None
    if len(chunks.fingerprints) <= _MAX_CHUNKS:
        return chunks
    picked = np.linspace(0, len(chunks.fingerprints) - 1, _MAX_CHUNKS).astype(int)
    return replace(
        chunks, fingerprints=chunks.fingerprints[picked], characters=chunks.characters[picked]
    )
