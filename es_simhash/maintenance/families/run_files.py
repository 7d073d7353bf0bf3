"""What a run over all documents keeps on disk: documents, shingles, texts, links and families.

A run reads, compares and writes some documents at a time, and commits how far it is with what it
has (`work_files`).
"""

import json
import struct
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.sketch import Sketch
from es_simhash.maintenance.families.family_reader import FamilyDocument, ReadDocument
from es_simhash.maintenance.listed_values import NUMBERS, listed_numbers
from es_simhash.maintenance.work_files import WorkFiles
from es_simhash.pairs.version_bounds import TEXT, compared_parts
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.stored_text import StoredParts

_TABLES = (
    "texts (number INTEGER PRIMARY KEY, hash TEXT UNIQUE, characters INTEGER, least INTEGER)",
    # `text` is the number of the text; none of a document without words, or one that is skipped.
    "documents (number INTEGER PRIMARY KEY, home TEXT, id TEXT, routing TEXT, seq_no INTEGER,"
    " term INTEGER, hash TEXT, text INTEGER, is_current INTEGER, family TEXT, represents INTEGER,"
    " date TEXT, part TEXT)",
    "truncated (text INTEGER PRIMARY KEY)",
    # Of a family its documents, the representative first, the names of its texts, and a number that
    # it has in common with those whose texts are linked with its texts.
    "families (number INTEGER PRIMARY KEY, least TEXT, members TEXT, names TEXT, component INTEGER,"
    " name TEXT)",
    "claims (count INTEGER, name TEXT, least TEXT, family INTEGER)",
    "names (name TEXT PRIMARY KEY, family INTEGER) WITHOUT ROWID",
    "conflicts (document INTEGER PRIMARY KEY)",
)
_COLUMNS = (
    "number, home, id, routing, seq_no, term, hash, text, family, represents, date, part,"
    " is_current"
)
# Binary files that grow with what is committed, and the bytes of one entry of their index.
SHINGLES, SHINGLE_ENDS, PARTS, PART_ENDS, LINKS = "shingles", "ends", "texts", "text-ends", "links"
_COMPARED = "compared"
_GROWING = (SHINGLES, SHINGLE_ENDS, PARTS, PART_ENDS, _COMPARED, LINKS)
# Of a packed text the length of its hash, and the numbers of its shingles, chunks and bytes of the
# sketch; the first two are read alone as well.
_HEAD_BYTES, _HEAD = 16, struct.Struct("<II")
LINK = np.dtype([("one", "<u4"), ("other", "<u4"), ("score", "<f8")])


@dataclass(frozen=True)
class StoredDocument:
    """A document of a run.

    Attributes:
        number: Its number in the run.
        text: Number of its text; None for a document without words, or one that is skipped.
        document: The document.
        is_current: False when its text is missing, or is not the one that was fingerprinted.
    """

    number: int
    text: int | None
    document: FamilyDocument
    is_current: bool


class RunFiles(WorkFiles):
    """The files of one run over all documents that finds their families."""

    tables = _TABLES
    growing = _GROWING

    def links(self) -> NDArray[Any]:
        """Return the pairs of texts that are linked, with their scores."""
        return np.fromfile(self.folder / LINKS, LINK)

    def compared(self) -> NDArray[Any]:
        """Return what is compared of all texts first, a part of the file at a time in memory."""
        if self.size(_COMPARED) // TEXT.itemsize != self.size(SHINGLE_ENDS) // 8:
            # As after a run that an earlier version of the package began.
            raise self.incomplete(_COMPARED)
        path = self.folder / _COMPARED
        return np.memmap(path, TEXT, "r") if self.size(_COMPARED) else np.zeros(0, TEXT)

    def add(self, documents: Sequence[ReadDocument], least: Any) -> None:
        """Store documents that were read, and the texts among them that are new.

        Args:
            documents: The documents.
            least: Returns of a text how many shingles a candidate must share with it.
        """
        new: list[StoredText] = []
        with self.commit() as database:
            for read in documents:
                text = read.text if read.is_current else None
                number = None if text is None else _text_number(database, text, least, new)
                database.execute(
                    f"INSERT INTO documents ({_COLUMNS}) VALUES "
                    "(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _row(read.document, number, read.is_current),
                )
            self._append_texts(new)

    def _append_texts(self, texts: Sequence[StoredText]) -> None:
        if not texts:
            return
        shingles = [text.queried_shingles for text in texts]
        end = self.size(SHINGLES) // 4
        self.append(SHINGLES, np.concatenate(shingles).astype(np.uint32))
        self.append(SHINGLE_ENDS, end + np.cumsum([len(some) for some in shingles]))
        packed = [pack(text) for text in texts]
        end = self.size(PARTS)
        self.append(PARTS, np.frombuffer(b"".join(packed), np.uint8))
        self.append(PART_ENDS, end + np.cumsum([len(part) for part in packed]))
        self.append(_COMPARED, compared_parts(texts))

    def documents(
        self, where: str, values: Sequence[Any] = (), *, end: str = ""
    ) -> list[StoredDocument]:
        """Return documents by a condition on the table, in the order in which they were read."""
        query = f"SELECT {_COLUMNS} FROM documents WHERE {where} ORDER BY number {end}"
        return [_document(row) for row in self.select(query, values)]

    def documents_by_number(self, numbers: Iterable[int]) -> dict[int, StoredDocument]:
        """Return documents by their numbers."""
        found = self.documents(f"number IN {NUMBERS}", [listed_numbers(numbers)])
        return {stored.number: stored for stored in found}

    def documents_of_texts(self, texts: Iterable[int]) -> list[StoredDocument]:
        """Return the documents of texts, by the numbers of these."""
        return self.documents(f"text IN {NUMBERS}", [listed_numbers(texts)])


def _text_number(database: Connection, text: StoredText, least: Any, new: list[StoredText]) -> int:
    """Return the number of a text, from 0; one that is not there yet is added, and to `new`."""
    row = database.execute(
        "SELECT number FROM texts WHERE hash = ?", [text.content_hash]
    ).fetchone()
    if row is not None:
        return int(row[0])
    (last,) = database.execute("SELECT max(number) FROM texts").fetchone()
    number = 0 if last is None else int(last) + 1
    values = number, text.content_hash, text.characters, least(text)
    database.execute("INSERT INTO texts VALUES (?, ?, ?, ?)", values)
    new.append(text)
    return number


def _row(document: FamilyDocument, text: int | None, is_current: bool) -> tuple[Any, ...]:
    ref, version = document.ref, document.version
    date = None if document.date is None else json.dumps(document.date)
    part = json.dumps(document.values) if document.values else None
    return (
        ref.index, ref.id, ref.routing, version.seq_no, version.primary_term,
        document.content_hash, text, document.family, document.represents, date, part, is_current,
    )  # fmt: skip


def _document(row: Sequence[Any]) -> StoredDocument:
    (number, index, id, routing, seq_no, term, hash, text, family, represents, date, part,
     is_current) = row  # fmt: skip
    document = FamilyDocument(
        DocumentVersion(DocumentRef(index, id, routing), seq_no, term),
        hash,
        family,
        None if represents is None else bool(represents),
        None if date is None else json.loads(date),
        () if part is None else tuple(json.loads(part)),
    )
    return StoredDocument(number, text, document, bool(is_current))


def pack(text: StoredText) -> bytes:
    """Return the stored parts of a text as bytes."""
    chunks, sketch, hash = text.chunks, text.sketch.packed, text.content_hash.encode()
    head = [len(hash), len(text.shingles), len(chunks.fingerprints), len(sketch)]
    return b"".join(
        (
            np.array(head, "<u4").tobytes(),
            hash,
            text.shingles.astype("<u4").tobytes(),
            np.ascontiguousarray(chunks.fingerprints, np.uint8).tobytes(),
            chunks.characters.astype("<i8").tobytes(),
            chunks.shingle_counts.astype("<i8").tobytes(),
            sketch,
        )
    )


def _shingles(packed: bytes) -> NDArray[np.uint32]:
    """Return the shingles of a text from the bytes that `pack` returns."""
    hashed, count = _HEAD.unpack_from(packed)
    shingles: NDArray[np.uint32] = np.frombuffer(packed, "<u4", count, _HEAD_BYTES + hashed)
    return shingles


def unpack(packed: bytes) -> StoredParts:
    """Return a text from the bytes that `pack` returns."""
    hashed, shingles, chunks, sketch = np.frombuffer(packed, "<u4", 4).tolist()
    place = _HEAD_BYTES
    hash = packed[place : place + hashed].decode()
    place += hashed
    shingle_numbers = np.frombuffer(packed, "<u4", shingles, place)
    place += 4 * shingles
    width = 16
    fingerprints = np.frombuffer(packed, np.uint8, width * chunks, place).reshape(chunks, width)
    place += width * chunks
    characters = np.frombuffer(packed, "<i8", chunks, place)
    place += 8 * chunks
    counts = np.frombuffer(packed, "<i8", (len(packed) - place - sketch) // 8, place)
    place += counts.nbytes
    stored = ChunkFingerprints(fingerprints, characters, counts)
    return StoredParts(hash, shingle_numbers, stored, Sketch(packed[place:]))


class SpilledTexts:
    """Texts by their numbers, read when they are needed; the last ones used stay in memory.

    Args:
        files: Of the run.
        memory: Bytes that they may take.
    """

    def __init__(self, files: RunFiles, memory: int) -> None:
        self._file = (files.folder / PARTS).open("rb")
        self._ends = files.ends(PART_ENDS)
        self._room = memory
        self._texts: OrderedDict[int, tuple[StoredParts, int]] = OrderedDict()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def shingles(self, number: int) -> NDArray[np.uint32]:
        """Return the shingles of a text, which is not read besides."""
        known = self._texts.get(number)
        return known[0].shingles if known else _shingles(self._packed(number))

    def _packed(self, number: int) -> bytes:
        start = int(self._ends[number - 1]) if number else 0
        self._file.seek(start)
        return self._file.read(int(self._ends[number]) - start)

    def __getitem__(self, number: int) -> StoredParts:
        """Return a text by its number."""
        known = self._texts.get(number)
        if known is None:
            packed = self._packed(number)
            # What Python and numpy add to the bytes of a text, and what is computed of it.
            known = unpack(packed), 2 * len(packed) + 2_000
            self._texts[number] = known
            self._room -= known[1]
            while self._room < 0 and len(self._texts) > 1:
                self._room += self._texts.popitem(last=False)[1][1]
        else:
            self._texts.move_to_end(number)
        return known[0]
