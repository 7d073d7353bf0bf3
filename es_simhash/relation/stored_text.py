"""A text as the parts that an index stores of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import MAX_CHUNK_CHARACTERS, ChunkFingerprints, WindowCounts
from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch, TextFingerprints
from es_simhash.fingerprints.shingles import counts_of_texts, shingle_counts
from es_simhash.fingerprints.sketch import Sketch
from es_simhash.relation.shared_shingles import DerivedParts


def stored_chunks(fingerprints: TextFingerprints) -> ChunkFingerprints:
    """Return what is stored of the chunks of a fingerprinted text, in decoded form."""
    lengths = np.minimum(fingerprints.chunk_characters, MAX_CHUNK_CHARACTERS)
    return ChunkFingerprints(fingerprints.chunks, lengths, shingle_counts(fingerprints.levels))


class _Fingerprinted(Protocol):
    @property
    def fingerprints(self) -> TextFingerprints:
        """Fingerprints of the text."""

    @property
    def chunks(self) -> ChunkFingerprints:
        """Its chunk fingerprints."""


class FingerprintedParts(DerivedParts):
    """The parts that are stored of a text, from its fingerprints, each when it is first needed."""

    @property
    def content_hash(self: _Fingerprinted) -> str:
        """Hash of the normalised text."""
        return self.fingerprints.content_hash

    @property
    def shingles(self: _Fingerprinted) -> NDArray[np.uint32]:
        """Shingles, ascending."""
        return self.fingerprints.shingles

    @cached_property
    def chunks(self: _Fingerprinted) -> ChunkFingerprints:
        """Chunk fingerprints, and how many shingles each window picks."""
        return stored_chunks(self.fingerprints)

    @property
    def windows(self: _Fingerprinted) -> WindowCounts:
        """How many shingles each window picks."""
        return self.chunks.windows

    @cached_property
    def sketch(self: _Fingerprinted) -> Sketch:
        """Head, words and numbers."""
        return Sketch(self.fingerprints.sketch)


@dataclass(frozen=True, eq=False)
class FingerprintedText(FingerprintedParts):
    """A text with words, of which only the fingerprints are known; a `StoredText`.

    Attributes:
        fingerprints: Its fingerprints.
    """

    fingerprints: TextFingerprints


@dataclass(frozen=True, eq=False)
class StoredParts(DerivedParts):
    """The stored parts of a text, without the text itself; a `StoredText`.

    Attributes:
        content_hash: Hash of the normalised text.
        shingles: Shingles, ascending.
        chunks: Chunk fingerprints, and how many shingles each window picks.
        sketch: Head, words and numbers.
    """

    content_hash: str
    shingles: NDArray[np.uint32]
    chunks: ChunkFingerprints
    sketch: Sketch

    @classmethod
    def of_each(cls, batch: FingerprintBatch) -> "Iterator[StoredParts | None]":
        """Yield the parts that are stored of each text of a batch; None for one without words."""
        counts = counts_of_texts(batch.levels, batch.shingle_bounds)
        lengths = np.minimum(batch.chunk_characters, MAX_CHUNK_CHARACTERS)
        bounds = zip(
            pairwise(batch.shingle_bounds.tolist()),
            pairwise(batch.chunk_bounds.tolist()),
            strict=True,
        )
        for number, ((start, end), (first, last)) in enumerate(bounds):
            if not batch.sketches[number]:
                yield None
                continue
            chunks = ChunkFingerprints(
                batch.chunks[first:last], lengths[first:last], counts[number]
            )
            sketch = Sketch(batch.sketches[number])
            yield cls(batch.content_hashes[number], batch.shingles[start:end], chunks, sketch)

    @property
    def windows(self) -> WindowCounts:
        """How many shingles each window picks."""
        return self.chunks.windows
