"""The fingerprints of one text, and those of a batch of texts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.hashing import Fingerprints


@dataclass(frozen=True)
class TextFingerprints:
    """Fingerprints of one text.

    Attributes:
        scheme: Name of the scheme.
        content_hash: 32 hex digits of the SHA-256 of the normalised text, white space collapsed.
        document: Document fingerprint, bits / 8 bytes; None when there is nothing to fingerprint.
        chunks: Chunk fingerprints in the order of the text, shape (chunks, 16).
        chunk_characters: Characters of the tokens of each chunk, with a space before each token.
        shingles: Numbers of the selected shingles, 24 bits, ascending, each once.
        levels: Number of the largest window that selects each shingle, from 0 to 3.
        tokens: Number of tokens of the text.
        sketch: Packed sketch (`sketch.Sketch`); empty when there is nothing to fingerprint.
    """

    scheme: str
    content_hash: str
    document: NDArray[np.uint8] | None
    chunks: Fingerprints
    chunk_characters: NDArray[np.int64]
    shingles: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    tokens: int
    sketch: bytes = b""

    @property
    def is_empty(self) -> bool:
        """True when the text has no token, so that it never matches anything."""
        return self.document is None


@dataclass(frozen=True)
class FingerprintBatch:
    """Fingerprints of a batch of texts as whole arrays; the bounds give the rows of each text."""

    scheme: Scheme
    content_hashes: list[str]
    tokens: NDArray[np.int64]
    documents: Fingerprints
    chunks: Fingerprints
    chunk_characters: NDArray[np.int64]
    chunk_bounds: NDArray[np.int64]
    shingles: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    shingle_bounds: NDArray[np.int64]
    sketches: list[bytes]

    def __len__(self) -> int:
        return len(self.content_hashes)

    def __iter__(self) -> Iterator[TextFingerprints]:
        """Yield the fingerprints of each text."""
        row = 0
        for index, content_hash in enumerate(self.content_hashes):
            chunks = slice(self.chunk_bounds[index], self.chunk_bounds[index + 1])
            shingles = slice(self.shingle_bounds[index], self.shingle_bounds[index + 1])
            tokens = int(self.tokens[index])
            document = self.documents[row] if tokens else None
            row += document is not None
            yield TextFingerprints(
                self.scheme.name,
                content_hash,
                document,
                self.chunks[chunks],
                self.chunk_characters[chunks],
                self.shingles[shingles],
                self.levels[shingles],
                tokens,
                self.sketches[index],
            )
