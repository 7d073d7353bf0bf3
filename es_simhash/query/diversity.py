"""Copies among the neighbours, shown once: ten papers print one wire story."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.model import Relation
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
    samples = [_sample(text) for text in chunks]
    left = list(range(len(relations)))
    shown: list[Relation] = []
    while left and len(shown) < size:
        first, *others = left
        alike = _alike(samples[first], [samples[number] for number in others])
        family = families[first]
        left = [
            number
            for number, is_alike in zip(others, alike, strict=True)
            if not is_alike and not (family and families[number] == family)
        ]
        shown.append(replace(relations[first], copies=len(others) - len(left)))
    return [*shown, *(relations[number] for number in left)]


def _sample(chunks: ChunkFingerprints | None) -> ChunkFingerprints | None:
    if chunks is None or not len(chunks.fingerprints):
        return None
    if len(chunks.fingerprints) <= _MAX_CHUNKS:
        return chunks
    picked = np.linspace(0, len(chunks.fingerprints) - 1, _MAX_CHUNKS).astype(int)
    return replace(
        chunks, fingerprints=chunks.fingerprints[picked], characters=chunks.characters[picked]
    )


def _alike(
    one: ChunkFingerprints | None, others: Sequence[ChunkFingerprints | None]
) -> NDArray[np.bool_]:
    """Which texts have half of their chunks, by characters, in common with one text."""
    alike = np.zeros(len(others), bool)
    texts = [other for other in others if other is not None]
    if one is None or not texts:
        return alike
    lengths = np.concatenate([text.characters for text in texts]).astype(float)
    starts = np.cumsum([0, *(len(text.fingerprints) for text in texts[:-1])])
    everything = np.concatenate([text.fingerprints for text in texts])
    distances = hamming_distances(one.fingerprints, everything)
    bits = everything.shape[1] * 8
    of_others = np.add.reduceat(similarity(distances.min(axis=0), bits) * lengths, starts)
    of_others /= np.add.reduceat(lengths, starts)
    nearest = similarity(np.minimum.reduceat(distances, starts, axis=1), bits)
    of_one = one.characters @ nearest / one.characters.sum()
    known = [other is not None for other in others]
    alike[known] = np.maximum(of_others, of_one) >= COPY_RESEMBLANCE
    return alike
