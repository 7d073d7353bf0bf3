"""All fingerprints of texts, computed in batches."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.batches import text_batches
from es_simhash.fingerprints.features import (
    SpacedCharacters,
    chunk_characters,
    token_numbers,
    word_pairs,
)
from es_simhash.fingerprints.scheme import CHUNK_BITS, DEFAULT, Scheme
from es_simhash.fingerprints.shingles import distinct_shingles, winnow
from es_simhash.fingerprints.simhash import Fingerprints, group_fingerprints
from es_simhash.fingerprints.sketch import sketches
from es_simhash.text.segmentation import Segmentation, normalise, segment


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
        levels: Of each shingle, the number of the largest window that selects it, from 0 to 3.
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


def content_hash(normalised: str) -> str:
    """Return 32 hex digits of the SHA-256 of a normalised text, its white space collapsed."""
    # Not xxhash: whoever can write documents could forge a collision, and a false exact copy makes
    # de-duplication drop a document. Nor would it be faster: of the tenth of the fingerprinting
    # time that this function takes (90 news stories, 0.9 KB each), splitting takes nine parts and
    # SHA-256 one. The ingest pipeline computes the same digest (ingest/content_hash.painless).
    collapsed = " ".join(normalised.split())
    return hashlib.sha256(collapsed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def document_fingerprints(texts: Sequence[str], scheme: Scheme = DEFAULT) -> Fingerprints:
    """Return only the document fingerprints: one row for each text that has a token."""
    normalised = [normalise(text) for text in texts]
    segmentation = segment(normalised, scheme)
    return _documents(token_numbers(segmentation), segmentation, scheme)


def _documents(
    tokens: NDArray[np.uint64], segmentation: Segmentation, scheme: Scheme
) -> Fingerprints:
    pairs = word_pairs(tokens, segmentation)
    bounds = np.unique(pairs.bounds)  # texts without tokens have no group
    return group_fingerprints(pairs.features, bounds, scheme.bits)


def fingerprint_batch(texts: Sequence[str], scheme: Scheme = DEFAULT) -> FingerprintBatch:
    """Return the fingerprints, shingles and sketches of a batch of texts."""
    normalised = [normalise(text) for text in texts]
    segmentation = segment(normalised, scheme)
    tokens = token_numbers(segmentation)
    spaced = SpacedCharacters.of(segmentation)
    packed = sketches(tokens, segmentation, spaced)
    characters = chunk_characters(segmentation, spaced)
    del spaced  # Arrays that are not needed any more would be carried through the cache.
    shingles = distinct_shingles(winnow(tokens, segmentation, scheme.window))
    return FingerprintBatch(
        scheme,
        [content_hash(text) for text in normalised],
        np.diff(segmentation.texts),
        _documents(tokens, segmentation, scheme),
        group_fingerprints(characters.features, characters.bounds, CHUNK_BITS),
        np.diff(characters.units),
        segmentation.text_chunks,
        shingles.numbers,
        shingles.levels,
        shingles.bounds,
        packed,
    )


def fingerprint_texts(texts: Iterable[str], scheme: Scheme = DEFAULT) -> Iterator[TextFingerprints]:
    """Yield the fingerprints of each text, in order; one batch is in memory at a time."""
    for batch in text_batches(texts):
        yield from fingerprint_batch(batch, scheme)


def fingerprint(content: str, scheme: Scheme = DEFAULT) -> TextFingerprints:
    """Return the fingerprints of one text.

    >>> fingerprint("A text.").content_hash
    '61f710c3711356566d9782e8b3da25d9'
    """
    return next(iter(fingerprint_batch([content], scheme)))
