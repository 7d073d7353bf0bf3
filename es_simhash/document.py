"""The form fingerprints have in an Elasticsearch document; field names are spelled only here."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.blocking import block_terms
from es_simhash.errors import InputError
from es_simhash.fingerprints import Batch, TextFingerprints
from es_simhash.scheme import CHUNK_BITS, Scheme
from es_simhash.simhash import Fingerprints

DEFAULT_FIELD = "simhash"

SCHEME = "scheme"
STATUS = "status"
CONTENT_HASH = "content_hash"
FINGERPRINT = "fingerprint"
BLOCKS = "blocks"
PASSAGES = "passages"
CHUNKS = "chunks"
MEANING_SCHEME = "meaning_scheme"
CONCEPTS = "concepts"
ENTITIES = "entities"
VECTOR = "vector"
VECTOR_FINGERPRINT = "vector_fingerprint"
FAMILY = "family"
DUPLICATE_OF = "duplicate_of"
DUPLICATE_SCORE = "duplicate_score"
# What nobody wants to read, and what makes a document large.
LARGE_MEMBERS = (FINGERPRINT, BLOCKS, PASSAGES, CHUNKS, CONCEPTS, VECTOR, VECTOR_FINGERPRINT)

STATUS_EMPTY = "empty"

_CHUNK_BYTES = CHUNK_BITS // 8
# How many passages each of the four windows picks, 32 bits each.
_HEADER = np.dtype("<u4")
_HEADER_BYTES = 16
# Lengths are kept in 16 bits; a chunk has at most a few hundred characters but for endless words.
_LONGEST = 0xFFFF
_BASE64 = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8
)


@dataclass(frozen=True)
class StoredChunks:
    """What `simhash.chunks` holds: enough to verify a candidate without its text.

    Attributes:
        fingerprints: Chunk fingerprints in the order of the text, shape (chunks, 16).
        characters: Characters of each chunk.
        passage_counts: Distinct passages that each of the four windows picks; 0 for windows that
            are smaller than the one of a text of this length.
    """

    fingerprints: Fingerprints
    characters: NDArray[np.int64]
    passage_counts: NDArray[np.int64]

    @classmethod
    def of(cls, fingerprints: TextFingerprints) -> "StoredChunks":
        """Give what is stored for a fingerprinted text, without packing it."""
        counts = passage_counts(fingerprints.levels)
        return cls(fingerprints.chunks, fingerprints.chunk_characters, counts)


def passage_counts(levels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the passages that each of the four windows picks.

    A text's own window picks all of them; smaller ones are counted as 0.
    """
    exactly = np.bincount(levels, minlength=4)
    reaching = np.cumsum(exactly[::-1])[::-1]
    reaching[: int(levels.min(initial=3))] = 0
    return reaching


def pack_chunks(
    fingerprints: Fingerprints, characters: NDArray[np.int64], levels: NDArray[np.uint8]
) -> str:
    """Pack chunk fingerprints for a `binary` field: base64 of counts, fingerprints, lengths."""
    lengths = np.minimum(characters, _LONGEST).astype("<u2")
    packed = passage_counts(levels).astype(_HEADER).tobytes() + fingerprints.tobytes()
    return base64.b64encode(packed + lengths.tobytes()).decode("ascii")


def unpack_chunks(packed: str) -> StoredChunks:
    """Read what `pack_chunks` wrote.

    Raises:
        InputError: The value was not written by it.
    """
    try:
        raw = base64.b64decode(packed, validate=True)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The chunk field holds {str(packed)[:20]!r}, which is no base64; "
            "fingerprint the document again."
        ) from error
    count, rest = divmod(len(raw) - _HEADER_BYTES, _CHUNK_BYTES + 2)
    if rest or count < 0:
        raise InputError(f"The chunk field has {len(raw)} bytes, which is no number of chunks.")
    end = _HEADER_BYTES + count * _CHUNK_BYTES
    fingerprints = np.frombuffer(raw, np.uint8, count * _CHUNK_BYTES, _HEADER_BYTES)
    characters = np.frombuffer(raw, "<u2", count, end).astype(np.int64)
    counts = np.frombuffer(raw, _HEADER, 4).astype(np.int64)
    return StoredChunks(fingerprints.reshape(count, _CHUNK_BYTES), characters, counts)


def passage_terms(passages: NDArray[np.uint32]) -> list[str]:
    """Give the index terms of passages: 24 bits as four characters of URL-safe base64."""
    if not len(passages):
        return []
    terms: list[str] = _passage_letters(passages).view("S4").ravel().astype("U4").tolist()
    return terms


def _passage_letters(passages: NDArray[np.uint32]) -> NDArray[np.uint8]:
    shifts = np.array([18, 12, 6, 0], np.uint32)
    letters: NDArray[np.uint8] = _BASE64[(passages[:, None] >> shifts) & np.uint32(63)]
    return np.ascontiguousarray(letters)


def simhash_object(fingerprints: TextFingerprints) -> dict[str, Any]:
    """Give the object to store under the field for one text."""
    if fingerprints.document is None:
        return {
            SCHEME: fingerprints.scheme,
            STATUS: STATUS_EMPTY,
            CONTENT_HASH: fingerprints.content_hash,
        }
    blocks = Scheme.parse(fingerprints.scheme).blocks
    return {
        SCHEME: fingerprints.scheme,
        CONTENT_HASH: fingerprints.content_hash,
        FINGERPRINT: fingerprints.document.tobytes().hex(),
        BLOCKS: block_terms(fingerprints.document[None], blocks)[0],
        PASSAGES: passage_terms(fingerprints.passages),
        CHUNKS: pack_chunks(
            fingerprints.chunks, fingerprints.chunk_characters, fingerprints.levels
        ),
    }


def simhash_json(batch: Batch) -> list[bytes]:
    """Give the JSON of `simhash_object` for every text of a batch, several times as fast."""
    scheme = json.dumps(batch.scheme.name)
    letters = _json_passages(batch.passages)
    blocks = iter(block_terms(batch.documents, batch.scheme.blocks))
    documents = iter(batch.documents)
    objects = []
    for index, content_hash in enumerate(batch.content_hashes):
        head = f'{{"{SCHEME}":{scheme},"{CONTENT_HASH}":"{content_hash}",'
        if not batch.tokens[index]:
            objects.append(f'{head}"{STATUS}":"{STATUS_EMPTY}"}}'.encode())
            continue
        chunks = slice(batch.chunk_bounds[index], batch.chunk_bounds[index + 1])
        begin, end = int(batch.passage_bounds[index]), int(batch.passage_bounds[index + 1])
        packed = pack_chunks(
            batch.chunks[chunks], batch.chunk_characters[chunks], batch.levels[begin:end]
        )
        terms = '","'.join(next(blocks))
        head += (
            f'"{FINGERPRINT}":"{next(documents).tobytes().hex()}","{BLOCKS}":["{terms}"],'
            f'"{CHUNKS}":"{packed}","{PASSAGES}":['
        )
        objects.append(head.encode() + letters[begin * 7 : end * 7 - 1] + b"]}")
    return objects


def _json_passages(passages: NDArray[np.uint32]) -> bytes:
    """All terms as JSON strings of seven bytes, `"abcd",`, so that any run of them is a slice."""
    rows = np.empty((len(passages), 7), np.uint8)
    rows[:, [0, 5]] = ord('"')
    rows[:, 6] = ord(",")
    rows[:, 1:5] = _passage_letters(passages)
    return rows.tobytes()


@lru_cache(maxsize=64)
def field_path(field: str, member: str) -> str:
    """Give the full name of a member of the object, as queries spell it."""
    return f"{field}.{member}"


def text_of(source: Mapping[str, Any], text_field: str) -> str | None:
    """Give the text of a document: a string, or strings joined by a blank line.

    Args:
        source: The document.
        text_field: Name of the field; dots lead into objects.

    Returns:
        None when the document has no such field or it holds null.

    Raises:
        InputError: The field holds something else than text.
    """
    value: Any = source
    if text_field in source:
        value = source[text_field]
    else:
        for part in text_field.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n\n".join(value)
    kind = type(value).__name__
    raise InputError(f"Field {text_field!r} holds {kind}, not text; name another with --field.")


def stored_text(source: Mapping[str, Any], text_field: str) -> str | None:
    """Give the text of a document as `text_of` does; None too where something else is.

    For documents that were read before: somebody may have written anything there since.
    """
    try:
        return text_of(source, text_field)
    except InputError:
        return None
