"""The form fingerprints have in an Elasticsearch document; field names are spelled only here."""

import base64
import binascii
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import UnreadableParts
from es_simhash.fingerprints.blocks import block_terms
from es_simhash.fingerprints.chunks import (
    MAX_CHUNK_CHARACTERS,
    ChunkFingerprints,
    WindowCounts,
)
from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch, TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import CHUNK_BITS, Scheme
from es_simhash.fingerprints.hashing import Fingerprints, ranks_within
from es_simhash.fingerprints.shingles import counts_of_texts, shingle_counts
from es_simhash.fingerprints.sketch import JoinedSketches, Sketch
from es_simhash.relation.candidate import TextColumns
from es_simhash.relation.shared_shingles import DerivedParts
from es_simhash.store.fields import (
    BLOCKS,
    CHUNKS,
    CONTENT_HASH,
    FINGERPRINT,
    SCHEME,
    SHINGLES,
    SKETCH,
    STATUS,
    STATUS_EMPTY,
    field_path,
)

# What makes damaged fingerprints anew; `ingest` passes over a document whose text is unchanged.
REPAIR = "Run `es-simhash backfill --check`."
_CHUNK_BYTES = CHUNK_BITS // 8
# How many shingles each of the four windows picks, 32 bits each.
_HEADER = np.dtype("<u4")
_HEADER_BYTES = 16
_HEADER_LETTERS, _HEADER_NUMBERS = 24, struct.Struct("<4I")
_LENGTH = np.dtype("<u2")
_BASE64 = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8
)
_VALUES = np.full(256, 255, np.uint8)
_VALUES[_BASE64] = np.arange(64)
_SHIFTS = np.array([18, 12, 6, 0], np.uint32)


def pack_chunks(
    fingerprints: Fingerprints, characters: NDArray[np.int64], levels: NDArray[np.uint8]
) -> str:
    """Pack chunk fingerprints for a `binary` field: base64 of counts, fingerprints, lengths."""
    return _packed_chunks(
        fingerprints,
        characters,
        np.array([0, len(characters)]),
        shingle_counts(levels)[None],
    )[0]


def _packed_chunks(
    fingerprints: Fingerprints,
    characters: NDArray[np.int64],
    bounds: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> list[str]:
    """Pack the chunks of each text of a batch; `bounds` are those of the texts in chunks."""
    rows = np.ascontiguousarray(fingerprints).tobytes()
    lengths = np.minimum(characters, MAX_CHUNK_CHARACTERS).astype("<u2").tobytes()
    headers = counts.astype(_HEADER).tobytes()
    return [
        _base64(
            headers[text * _HEADER_BYTES : (text + 1) * _HEADER_BYTES]
            + rows[begin * _CHUNK_BYTES : end * _CHUNK_BYTES]
            + lengths[begin * 2 : end * 2]
        )
        for text, (begin, end) in enumerate(pairwise(bounds.tolist()))
    ]


def unpack_chunks(packed: str, document: str = "a document") -> ChunkFingerprints:
    """Read what `pack_chunks` wrote.

    Args:
        packed: The value.
        document: How an error names the document that has it.

    Raises:
        UnreadableParts: The value was not written by it.
    """
    raw = _decoded(packed, f"Stored chunks of {document} are")
    count, rest = divmod(len(raw) - _HEADER_BYTES, _CHUNK_BYTES + 2)
    if rest or count < 0:
        raise UnreadableParts(
            f"Stored chunks of {document} have an invalid length of {len(raw)} bytes. {REPAIR}"
        )
    end = _HEADER_BYTES + count * _CHUNK_BYTES
    fingerprints = np.frombuffer(raw, np.uint8, count * _CHUNK_BYTES, _HEADER_BYTES)
    characters = np.frombuffer(raw, _LENGTH, count, end).astype(np.int64)
    counts = np.frombuffer(raw, _HEADER, 4).astype(np.int64)
    return ChunkFingerprints(fingerprints.reshape(count, _CHUNK_BYTES), characters, counts)


def pack_sketch(sketch: bytes) -> str:
    """Return a sketch as a `binary` field takes it."""
    return _base64(sketch)


def _base64(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


def unpack_sketch(packed: str, document: str = "a document") -> Sketch:
    """Read what `pack_sketch` wrote.

    Args:
        packed: The value.
        document: How an error names the document that has it.

    Raises:
        UnreadableParts: The value was not written by it.
    """
    sketch = Sketch(_decoded(packed, f"The stored sketch of {document} is"))
    if not sketch.is_whole:
        raise UnreadableParts(
            f"The stored sketch of {document} has an invalid length of {len(sketch.packed)} bytes. "
            f"{REPAIR}"
        )
    return sketch


def _decoded(packed: str, subject: str) -> bytes:
    try:
        return base64.b64decode(packed, validate=True)
    except (TypeError, ValueError) as error:
        raise UnreadableParts(
            f"{subject} not valid base64, got {str(packed)[:20]!r}. {REPAIR}"
        ) from error


@dataclass(frozen=True)
class PackedText:
    """Chunk fingerprints and sketch of a hit as they are stored; read when they are needed.

    Of most neighbours they never are, and reading them takes longer than all else of a hit.

    Attributes:
        index: Index of the document.
        id: Id of the document; empty where a search returned none.
        packed_chunks: What `pack_chunks` wrote.
        packed_sketch: What `pack_sketch` wrote.
    """

    index: str
    id: str
    packed_chunks: str
    packed_sketch: str

    @classmethod
    def of(cls, hit: Mapping[str, Any], simhash_field: str) -> "PackedText | None":
        """Return what the doc values of a hit have; None when it lacks one of them."""
        values = hit.get("fields", {})
        chunks = values.get(field_path(simhash_field, CHUNKS))
        sketch = values.get(field_path(simhash_field, SKETCH))
        if not chunks or not sketch:
            return None
        return cls(hit["_index"], hit.get("_id", ""), chunks[0], sketch[0])

    @cached_property
    def windows(self) -> WindowCounts:
        """How many shingles each window picks: the chunks begin with it, and are not read.

        Raises:
            UnreadableParts: They were not written by this package.
        """
        try:
            # Whole groups of base64, four letters for three bytes.
            header = binascii.a2b_base64(self.packed_chunks[:_HEADER_LETTERS])
            return WindowCounts(*_HEADER_NUMBERS.unpack_from(header))
        except (TypeError, ValueError, struct.error):
            return self.chunks.windows

    @cached_property
    def chunks(self) -> ChunkFingerprints:
        """Chunk fingerprints.

        Raises:
            UnreadableParts: They were not written by this package.
        """
        return unpack_chunks(self.packed_chunks, document_name(self.index, self.id))

    @cached_property
    def sketch(self) -> Sketch:
        """Sketch of the text.

        Raises:
            UnreadableParts: It was not written by this package.
        """
        return unpack_sketch(self.packed_sketch, document_name(self.index, self.id))

    def read(self) -> None:
        """Read all parts that it has.

        Raises:
            UnreadableParts: One of them was not written by this package.
        """
        _ = self.chunks, self.sketch


@dataclass(frozen=True)
class PackedParts(DerivedParts, PackedText):
    """All parts of a text as they are stored; read when they are needed.

    Attributes:
        content_hash: Hash of the normalised text.
        terms: Index terms of its shingles.
    """

    content_hash: str
    terms: Sequence[str]

    @cached_property
    def shingles(self) -> NDArray[np.uint32]:
        """Shingles, ascending.

        Raises:
            UnreadableParts: They were not written by this package.
        """
        return shingles_of(self.terms, document_name(self.index, self.id))

    def read(self) -> None:
        """Read all parts that it has; see `PackedText.read`."""
        super().read()
        _ = self.shingles


def unpacked_columns(texts: Sequence[PackedText]) -> TextColumns:
    """Return what is stored of texts in arrays, in a third of the time that each alone takes.

    Raises:
        UnreadableParts: One of them was not written by this package.
    """
    raws = [_decoded(text.packed_chunks, "Stored chunks are") for text in texts]
    sketches = JoinedSketches.of(
        [_decoded(text.packed_sketch, "The stored sketch is") for text in texts]
    )
    if not sketches.are_whole:
        raise UnreadableParts(f"A stored sketch has an invalid length. {REPAIR}")
    sizes = np.array([len(raw) for raw in raws], np.int64)
    counts, rest = np.divmod(sizes - _HEADER_BYTES, _CHUNK_BYTES + 2)
    if rest.any() or (counts < 0).any():
        raise UnreadableParts(f"Stored chunks have an invalid length. {REPAIR}")
    joined = np.frombuffer(b"".join(raws), np.uint8)
    starts = np.cumsum(sizes) - sizes
    headers = joined[starts[:, None] + np.arange(_HEADER_BYTES)].view(_HEADER)
    ranks, firsts = ranks_within(counts), np.repeat(starts + _HEADER_BYTES, counts)
    fingerprints = joined[(firsts + ranks * _CHUNK_BYTES)[:, None] + np.arange(_CHUNK_BYTES)]
    ends = np.repeat(starts + _HEADER_BYTES + counts * _CHUNK_BYTES, counts)
    characters = joined[(ends + 2 * ranks)[:, None] + np.arange(2)].view(_LENGTH)[:, 0]
    return TextColumns(
        sketches,
        headers.astype(np.int64),
        counts,
        fingerprints,
        characters.astype(np.int64),
    )


def document_name(index: str, id: str) -> str:
    """Return how errors name a document."""
    return f"document {id!r} of index {index!r}"


def is_readable(stored: Mapping[str, Any]) -> bool:
    """Check whether fingerprints can be read, which another program may have damaged.

    Args:
        stored: A `simhash` object with `fields.PACKED_MEMBERS`.
    """
    if stored.get(STATUS) == STATUS_EMPTY:
        return True
    shingles = stored.get(SHINGLES) or []
    terms = shingles if isinstance(shingles, list) else [shingles]
    if not all(isinstance(term, str) for term in terms):
        return False
    try:
        unpack_chunks(stored.get(CHUNKS, ""))
        unpack_sketch(stored.get(SKETCH, ""))
        shingles_of(terms)
    except UnreadableParts:
        return False
    return True


def shingle_terms(shingles: NDArray[np.uint32]) -> list[str]:
    """Return the index terms of shingles: 24 bits as four characters of URL-safe base64."""
    if not len(shingles):
        return []
    terms: list[str] = _shingle_letters(shingles).view("S4").ravel().astype("U4").tolist()
    return terms


def shingles_of(terms: Sequence[str], document: str = "a document") -> NDArray[np.uint32]:
    """Return the shingles that index terms stand for, ascending.

    Args:
        terms: The terms.
        document: How an error names the document that has them.

    Raises:
        UnreadableParts: These are not such terms.
    """
    try:
        joined = "".join(terms).encode("utf-8", "surrogatepass")
    except TypeError:
        # A keyword field takes numbers as well.
        joined = b""
    values = _VALUES[np.frombuffer(joined, np.uint8)].astype(np.uint32)
    if len(joined) != 4 * len(terms) or (values > 63).any():
        raise UnreadableParts(
            f"The stored shingles of {document} are not terms of this scheme. {REPAIR}"
        )
    numbers: NDArray[np.uint32] = (values.reshape(-1, 4) << _SHIFTS).sum(axis=1, dtype=np.uint32)
    return np.sort(numbers)


def bytes_of(vector: str | Sequence[int]) -> bytes:
    """Return the bytes of a vector of bits; servers before 9 return them as signed numbers."""
    if isinstance(vector, str):
        return base64.b64decode(vector)
    return np.asarray(vector, np.int8).tobytes()


def _shingle_letters(shingles: NDArray[np.uint32]) -> NDArray[np.uint8]:
    letters: NDArray[np.uint8] = _BASE64[(shingles[:, None] >> _SHIFTS) & np.uint32(63)]
    return np.ascontiguousarray(letters)


def simhash_object(fingerprints: TextFingerprints) -> dict[str, Any]:
    """Return the object to store under the field for one text."""
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
        SHINGLES: shingle_terms(fingerprints.shingles),
        CHUNKS: pack_chunks(
            fingerprints.chunks, fingerprints.chunk_characters, fingerprints.levels
        ),
        SKETCH: pack_sketch(fingerprints.sketch),
    }


def simhash_json(batch: FingerprintBatch) -> list[bytes]:
    """Return the JSON of `simhash_object` for every text of a batch, several times as fast."""
    scheme = json.dumps(batch.scheme.name)
    letters = _json_shingles(batch.shingles)
    blocks = iter(block_terms(batch.documents, batch.scheme.blocks))
    documents = iter(_hex_digits(batch.documents))
    counts = counts_of_texts(batch.levels, batch.shingle_bounds)
    chunks = _packed_chunks(batch.chunks, batch.chunk_characters, batch.chunk_bounds, counts)
    bounds = pairwise(batch.shingle_bounds.tolist())
    texts = zip(
        batch.content_hashes, batch.tokens.tolist(), chunks, batch.sketches, bounds, strict=True
    )
    objects = []
    for content_hash, tokens, packed, sketch, (begin, end) in texts:
        head = f'{{"{SCHEME}":{scheme},"{CONTENT_HASH}":"{content_hash}",'
        if not tokens:
            objects.append(f'{head}"{STATUS}":"{STATUS_EMPTY}"}}'.encode())
            continue
        terms = '","'.join(next(blocks))
        head += (
            f'"{FINGERPRINT}":"{next(documents)}","{BLOCKS}":["{terms}"],'
            f'"{CHUNKS}":"{packed}","{SKETCH}":"{pack_sketch(sketch)}","{SHINGLES}":['
        )
        objects.append(head.encode() + letters[begin * 7 : end * 7 - 1] + b"]}")
    return objects


def _hex_digits(fingerprints: Fingerprints) -> list[str]:
    digits, width = fingerprints.tobytes().hex(), 2 * fingerprints.shape[1]
    return [digits[start : start + width] for start in range(0, len(digits), width)]


def _json_shingles(shingles: NDArray[np.uint32]) -> bytes:
    """All terms as JSON strings of seven bytes, `"abcd",`, so that any run of them is a slice."""
    rows = np.empty((len(shingles), 7), np.uint8)
    rows[:, [0, 5]] = ord('"')
    rows[:, 6] = ord(",")
    rows[:, 1:5] = _shingle_letters(shingles)
    return rows.tobytes()
