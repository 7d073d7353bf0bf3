"""Everything that is derived from a text, for whole batches."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints import features
from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.scheme import DEFAULT, SHINGLE_BITS, Scheme
from es_simhash.fingerprints.simhash import Fingerprints, group_fingerprints
from es_simhash.text.segmentation import Segmentation, normalise, segment

# Arrays of this many characters stay in the second-level cache (docs/performance.md).
BATCH_CHARACTERS = 80_000
_LEVEL_BITS = 2


@dataclass(frozen=True)
class TextFingerprints:
    """Fingerprints of one text.

    Attributes:
        scheme: Name of the scheme.
        content_hash: 32 hex digits of the SHA-256 of the normalised text, white space collapsed.
        document: Document fingerprint, bits / 8 bytes; None when there is nothing to fingerprint.
        chunks: Chunk fingerprints in the order of the text, shape (chunks, 16).
        chunk_characters: Characters of the tokens of each chunk, with a space before each token.
        passages: Numbers of the picked passages, 24 bits, ascending, each once.
        levels: Of each passage, the number of the largest window that picks it, from 0 to 3.
        tokens: How many tokens the text has.
    """

    scheme: str
    content_hash: str
    document: NDArray[np.uint8] | None
    chunks: Fingerprints
    chunk_characters: NDArray[np.int64]
    shingles: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    tokens: int

    @property
    def is_empty(self) -> bool:
        """True when the text has no token, so that it never matches anything."""
        return self.document is None


@dataclass(frozen=True)
class Batch:
    """Fingerprints of a batch of texts as whole arrays; the bounds say which rows are whose."""

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
            )


def content_hash(normalised: str) -> str:
    """Return 32 hex digits of the SHA-256 of a normalised text, its white space collapsed."""
    collapsed = " ".join(normalised.split())
    return hashlib.sha256(collapsed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def document_fingerprints(texts: Sequence[str], scheme: Scheme = DEFAULT) -> Fingerprints:
    """Return the document fingerprints alone: one row for each text that has a token."""
    normalised = [normalise(each) for each in texts]
    segmentation = segment(normalised, scheme)
    return _documents(token_numbers(segmentation), segmentation, scheme)


def _documents(
    tokens: NDArray[np.uint64], segmentation: Segmentation, scheme: Scheme
) -> Fingerprints:
    pairs = features.word_pairs(tokens, segmentation)
    bounds = np.unique(pairs.bounds)  # texts without tokens have no group
    return group_fingerprints(pairs.features, bounds, scheme.bits)


def fingerprint_batch(texts: Sequence[str], scheme: Scheme = DEFAULT) -> Batch:
    """Fingerprint a batch of texts: documents, chunks and passages together."""
    normalised = [normalise(each) for each in texts]
    segmentation = segment(normalised, scheme)
    tokens = token_numbers(segmentation)
    characters = features.chunk_characters(segmentation)
    picked = features.shingles(tokens, segmentation, scheme.window)
    shingles, levels, shingle_bounds = _distinct_shingles(picked)
    return Batch(
        scheme,
        [content_hash(each) for each in normalised],
        np.diff(segmentation.texts),
        _documents(tokens, segmentation, scheme),
        group_fingerprints(characters.features, characters.bounds, 128),
        np.diff(characters.units),
        segmentation.text_chunks,
        shingles,
        levels,
        shingle_bounds,
    )


def _distinct_shingles(
    picked: features.Picked,
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int64]]:
    """Numbers of the passages, ascending and each once in its text, levels, and text bounds."""
    texts = np.arange(len(picked.bounds), dtype=np.uint64)
    text_of = np.repeat(texts[:-1], np.diff(picked.bounds))
    # Text, passage and level in one number: sorted, the last of equal passages has the top level.
    keys = (text_of << np.uint64(SHINGLE_BITS)) | shingle_numbers(picked.hashes)
    keys = np.sort((keys << np.uint64(_LEVEL_BITS)) | picked.levels)
    shingles = keys >> np.uint64(_LEVEL_BITS)
    last = np.ones(len(keys), bool)
    last[:-1] = shingles[1:] != shingles[:-1]
    shingles, levels = shingles[last], (keys[last] & np.uint64(3)).astype(np.uint8)
    bounds = np.searchsorted(shingles, texts << np.uint64(SHINGLE_BITS))
    return (shingles & np.uint64((1 << SHINGLE_BITS) - 1)).astype(np.uint32), levels, bounds


def shingle_numbers(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the highest 24 bits of passage hashes."""
    numbers: NDArray[np.uint64] = hashes >> np.uint64(64 - SHINGLE_BITS)
    return numbers


def text_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in batches of about the size that is fingerprinted fastest."""
    batch: list[str] = []
    characters = 0
    for each in texts:
        batch.append(each)
        characters += len(each)
        if characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


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
