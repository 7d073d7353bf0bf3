"""All fingerprints of texts, computed in batches."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.features import (
    SPACE,
    SpacedCharacters,
    token_numbers,
    word_pairs,
)
from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch, TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import CHUNK_BITS, CHUNK_CHARACTERS, DEFAULT, Scheme
from es_simhash.fingerprints.hashing import GroupedRuns, group_runs
from es_simhash.fingerprints.shingles import (
    distinct_shingles,
    shingle_numbers,
    wide_numbers,
    winnow,
)
from es_simhash.fingerprints.simhash import run_fingerprints
from es_simhash.fingerprints.text_sketches import sketches
from es_simhash.text.normal_forms import normalise_all
from es_simhash.text.segmentation import segment, text_batches
from es_simhash.text.tokens import Segmentation

# glibc gives the memory of a large array back to the system when it is freed, and gets it again
# page by page, which takes as long as the work on a batch. It keeps up to twice the size of the
# largest array that was freed, of 32 MB at most; this one is never touched, so it takes none.
np.empty(31 << 20, np.uint8)
_ASCII_SPACES = bytes(SPACE if chr(code).isspace() and code < 0x80 else code for code in range(256))
# What else `str.isspace` knows and normal forms keep.
_OTHER_SPACES = "\x85\u1680\u2028\u2029"


def content_hash(normalised: str) -> str:
    """Return 32 hex digits of the SHA-256 of a normalised text, its white space collapsed."""
    return content_hashes([normalised])[0]


def content_hashes(normalised: Sequence[str]) -> list[str]:
    """Return the content hash of each text of a batch."""
    encoded = [_evenly_spaced(text).encode("utf-8", "surrogatepass") for text in normalised]
    joined = b" ".join([*encoded, b""]).translate(_ASCII_SPACES)
    characters = np.frombuffer(joined, np.uint8)
    is_space = characters == SPACE
    is_left_out = np.zeros(len(characters), bool)
    np.logical_and(is_space[1:], is_space[:-1], out=is_left_out[1:])
    ends = np.cumsum([len(text) + 1 for text in encoded])
    ends -= np.searchsorted(np.flatnonzero(is_left_out), ends)
    collapsed = characters[~is_left_out].tobytes()
    # Not xxhash: whoever can write documents could forge a collision, and a false exact copy makes
    # de-duplication drop a document. Nor would it be much faster: SHA-256 takes a third of the time
    # of this function. The ingest pipeline computes the same digest (ingest/content_hash.painless).
    return [
        hashlib.sha256(collapsed[begin:end].strip(b" ")).hexdigest()[:32]
        for begin, end in pairwise([0, *ends.tolist()])
    ]


def _evenly_spaced(normalised: str) -> str:
    """Return a text with its white space beyond ASCII as spaces."""
    if not normalised.isascii():
        for space in _OTHER_SPACES:
            normalised = normalised.replace(space, " ")
    return normalised


def fingerprint_batch(texts: Sequence[str], scheme: Scheme = DEFAULT) -> FingerprintBatch:
    """Return the fingerprints, shingles and sketches of a batch of texts."""
    normalised = normalise_all(texts)
    segmentation = segment(normalised, scheme)
    tokens = token_numbers(segmentation)
    spaced = SpacedCharacters.of(segmentation)
    packed = sketches(tokens, segmentation, spaced)
    characters = chunk_characters(segmentation, spaced)
    del spaced  # Arrays that are not needed any more would be carried through the cache.
    runs = characters.followed_by(word_pairs(tokens, segmentation))
    fingerprints = run_fingerprints(runs, CHUNK_BITS)
    chunks = len(characters.bounds) - 1
    shingles = distinct_shingles(winnow(tokens, segmentation, scheme.window))
    return FingerprintBatch(
        scheme,
        content_hashes(normalised),
        np.diff(segmentation.texts),
        # The first half of 128 bits are the 64 bits of the same features.
        fingerprints[chunks:, : scheme.bits // 8],
        fingerprints[:chunks],
        np.diff(characters.units),
        segmentation.text_chunks,
        shingles.numbers,
        shingles.levels,
        shingles.bounds,
        packed,
    )


@dataclass(frozen=True)
class TextShingles:
    """The shingles of a text, without its other fingerprints.

    Attributes:
        content_hash: As in `TextFingerprints`.
        tokens: Number of tokens of the text.
        wide: Wide numbers of the selected shingles, ascending, each once.
        numbers: The numbers that are stored of these, in the same order.
    """

    content_hash: str
    tokens: int
    wide: NDArray[np.uint32]
    numbers: NDArray[np.uint32]


def text_shingles(texts: Iterable[str], scheme: Scheme = DEFAULT) -> Iterator[TextShingles]:
    """Yield the shingles of each text, in order; one batch is in memory at a time."""
    for batch in text_batches(texts):
        normalised = normalise_all(batch)
        segmentation = segment(normalised, scheme)
        winnowed = winnow(token_numbers(segmentation), segmentation, scheme.window)
        counts = np.diff(segmentation.texts).tolist()
        bounds = pairwise(winnowed.bounds.tolist())
        for hash, tokens, (start, end) in zip(
            content_hashes(normalised), counts, bounds, strict=True
        ):
            hashes = winnowed.hashes[start:end]
            wide, places = np.unique(wide_numbers(hashes), return_index=True)
            numbers = shingle_numbers(hashes[places]).astype(np.uint32)
            yield TextShingles(hash, tokens, wide, numbers)


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


def chunk_characters(segmentation: Segmentation, spaced: SpacedCharacters) -> GroupedRuns:
    """Return the features of the chunk fingerprints: runs of four characters of each chunk."""
    return group_runs(spaced.characters, spaced.bounds[segmentation.chunks], CHUNK_CHARACTERS)
