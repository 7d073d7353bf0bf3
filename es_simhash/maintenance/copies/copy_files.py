"""What a search for copies keeps on disk: documents, shingles, units, and pairs of texts."""

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.ingestion.bulk.journal_file import Job
from es_simhash.maintenance.listed_values import NUMBERS, TEXTS, listed_numbers, listed_texts
from es_simhash.maintenance.work_files import WorkFiles
from es_simhash.pairs.copy_candidates import CommonShingles, TextPair, UnitValues
from es_simhash.pairs.copy_units import (
    CopyDocument,
    Unit,
    UnitText,
    earliest,
    unit_key,
    why_left_out,
)
from es_simhash.pairs.postings import Shingles
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.rows import batches_of

# Key of the documents of one unit, or of several without a family.
Key = tuple[bytes, str]

_TABLES = (
    # What was aligned, by the versions of both documents.
    "pairs (versions TEXT PRIMARY KEY, record TEXT) WITHOUT ROWID",
    "texts (number INTEGER PRIMARY KEY, hash TEXT UNIQUE)",
    # The number of a document that has gone is not used again.
    "documents (number INTEGER PRIMARY KEY AUTOINCREMENT, home TEXT, id TEXT, routing TEXT,"
    " seq_no INTEGER, term INTEGER, hash TEXT, text INTEGER, family TEXT, owners TEXT, date TEXT,"
    " reason TEXT, key BLOB, kin TEXT)",
    "units (number INTEGER PRIMARY KEY, owners TEXT, members TEXT)",
    "numbered (number INTEGER PRIMARY KEY, value TEXT UNIQUE)",
    # Each text of each unit, with its first document.
    "unit_texts (number INTEGER PRIMARY KEY, unit INTEGER, text INTEGER, document INTEGER,"
    " documents INTEGER, home TEXT, id TEXT, common INTEGER)",
    "most (number INTEGER PRIMARY KEY, document INTEGER)",
    "found (unit INTEGER, home TEXT, id TEXT, other_home TEXT, other_id TEXT, members TEXT)",
    "ordered (number INTEGER PRIMARY KEY, members TEXT)",
)
# What follows from the documents: it is made again where one has changed.
_DERIVED = ("units", "numbered", "unit_texts", "most", "found", "ordered")
_COLUMNS = "number, home, id, routing, seq_no, term, hash, text, family, owners, date, reason"
SHINGLES, ENDS = "shingles", "ends"
UNIT_SHINGLES, UNIT_ENDS, UNIT_LEAST = "unit-shingles", "unit-ends", "unit-least"
VALUES, VALUE_ENDS = "values", "value-ends"
_OF_UNITS = (UNIT_SHINGLES, UNIT_ENDS, UNIT_LEAST, VALUES, VALUE_ENDS)
_COMMON = "common.npz"
# Documents that are read together.
_DOCUMENTS = 2_000


class CopyFiles(WorkFiles):
    """The files of one search for copies."""

    tables = _TABLES
    growing = (SHINGLES, ENDS, *_OF_UNITS)

    @classmethod
    @contextlib.contextmanager
    def of(cls, path: Path | None, job: Job, *, fresh: bool = False) -> Iterator["CopyFiles"]:
        """Yield the files of a search; those without a journal are deleted in the end.

        Args:
            path: The journal; None for none.
            job: What the run does.
            fresh: Begin at the start.

        Raises:
            FileInUse: Another command has it.
            InputError: It is of another job, no journal, damaged, or cannot be written.
        """
        if path is not None:
            with cls.open(path, job, fresh=fresh) as files:
                yield files
            return
        with (
            tempfile.TemporaryDirectory(prefix="es-simhash-") as folder,
            cls.open(Path(folder) / "copies", job) as files,
        ):
            yield files

    def forget_derived(self) -> None:
        """Forget what follows from the documents; what was aligned stays."""
        for name in _OF_UNITS:
            (self.folder / name).write_bytes(b"")
        with self.commit() as database:
            for table in _DERIVED:
                database.execute(f"DELETE FROM {table}")
            database.execute("DELETE FROM progress WHERE name NOT IN ('sizes', 'began')")

    def add(self, documents: Sequence[CopyDocument], *, by_values: bool) -> None:
        """Store documents that were read, and the texts among them that are new.

        Args:
            documents: The documents.
            by_values: Whether a field tells documents apart; otherwise their families do.
        """
        new: list[Shingles] = []
        with self.commit() as database:
            for document in documents:
                reason = why_left_out(document, by_values=by_values)
                number = _text_number(database, document, new) if reason is None else None
                database.execute(
                    "INSERT INTO documents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _row(document, number, reason, by_values=by_values),
                )
            self._append(SHINGLES, ENDS, new)

    def _append(self, name: str, ends: str, arrays: Sequence[NDArray[Any]]) -> None:
        if arrays:
            array = np.concatenate(arrays)
            end = self.size(name) // array.itemsize
            self.append(name, array)
            self.append(ends, end + np.cumsum([len(some) for some in arrays]))

    def shingles(self) -> "StoredLists":
        """Return the shingles of all texts."""
        return StoredLists(self.folder / SHINGLES, self.ends(ENDS))

    def unit_shingles(self) -> "StoredLists":
        """Return the shingles of all units."""
        return StoredLists(self.folder / UNIT_SHINGLES, self.ends(UNIT_ENDS))

    def least(self) -> NDArray[np.uint8]:
        """Return how many shingles must be shared with a text of each unit."""
        return np.fromfile(self.folder / UNIT_LEAST, np.uint8)

    def values(self) -> UnitValues:
        """Return the values of all units."""
        return UnitValues(
            self.ends(VALUE_ENDS), np.fromfile(self.folder / VALUES, np.uint32).astype(np.int64)
        )

    def keys(self, after: Key, size: int) -> list[Key]:
        """Return the keys of compared documents that come after one, so many at the most."""
        query = (
            "SELECT DISTINCT key, kin FROM documents WHERE key IS NOT NULL AND (key, kin) > (?, ?)"
            " ORDER BY key, kin LIMIT ?"
        )
        return [(key, kin) for key, kin in self.select(query, [*after, size])]

    def documents(
        self, where: str, values: Sequence[Any], shingles: "StoredLists | None" = None
    ) -> dict[int, CopyDocument]:
        """Return documents by their numbers, in that order.

        Args:
            where: A condition on the table.
            values: Those of the condition.
            shingles: Those of all texts; without them documents have none.
        """
        rows = self.select(
            f"SELECT {_COLUMNS} FROM documents WHERE {where} ORDER BY number", values
        )
        return {row[0]: _document(row, shingles) for row in rows}

    def documents_by_number(
        self, numbers: Iterable[int], shingles: "StoredLists"
    ) -> dict[int, CopyDocument]:
        """Return documents by their numbers."""
        listed = listed_numbers(sorted(set(numbers)))
        return self.documents(f"number IN {NUMBERS}", [listed], shingles)

    def add_units(
        self, units: Sequence[Unit], numbers: Mapping[DocumentRef, int], after: Key
    ) -> None:
        """Store units, and up to which key they were made.

        Args:
            units: The units.
            numbers: Numbers of their documents.
            after: The last key.
        """
        with self.commit(key=[after[0].hex(), after[1]]) as database:
            names = listed_texts(sorted({value for unit in units for value in unit.values}))
            database.execute(
                f"INSERT OR IGNORE INTO numbered (value) SELECT value FROM {TEXTS}", [names]
            )
            query = f"SELECT value, number FROM numbered WHERE value IN {TEXTS}"
            places = dict(database.execute(query, [names]).fetchall())
            for unit in units:
                _add_unit(database, unit, numbers)
            own = [np.array([places[value] for value in unit.values], np.uint32) for unit in units]
            self._append(VALUES, VALUE_ENDS, own)
            self._append(UNIT_SHINGLES, UNIT_ENDS, [unit.shingles for unit in units])
            least = [min(unit.least_shared, 255) for unit in units]
            self.append(UNIT_LEAST, np.array(least, np.uint8))

    def units(self, numbers: Sequence[int], shingles: "StoredLists") -> dict[int, "StoredUnit"]:
        """Return units by their numbers.

        Args:
            numbers: The numbers, from 0.
            shingles: Those of all texts.
        """
        query = f"SELECT number, owners, members FROM units WHERE number IN {NUMBERS}"
        rows = [
            (number, tuple(json.loads(owners)), json.loads(members))
            for number, owners, members in self.select(query, [listed_numbers(numbers)])
        ]
        wanted = (number for _, _, texts in rows for text in texts for number in text)
        documents = self.documents_by_number(wanted, shingles)
        return {
            number: StoredUnit(
                Unit(
                    owners,
                    tuple(UnitText(tuple(documents[place] for place in text)) for text in texts),
                ),
                {documents[place].ref: place for text in texts for place in text},
            )
            for number, owners, texts in rows
        }

    def store_common(self, common: CommonShingles) -> None:
        """Store the shingles that many have."""
        np.savez(self.folder / _COMMON, shingles=common.shingles, groups=common.groups)

    def common(self) -> CommonShingles:
        """Return the shingles that many have."""
        with np.load(self.folder / _COMMON) as stored:
            return CommonShingles(stored["shingles"], stored["groups"])

    def add_pairs(
        self, pairs: Iterable[tuple[TextPair, Mapping[DocumentRef, int]]], first: int, stop: int
    ) -> None:
        """Store pairs of texts that were found for some units.

        Args:
            pairs: The pairs, each with the numbers of their documents.
            first: First of the units.
            stop: First unit after these.
        """
        with self.commit() as database:
            # Those of a run that was killed before it had all of these units.
            database.execute("DELETE FROM found WHERE unit >= ?", [first])
        for some in batches_of(pairs, _DOCUMENTS):
            with self.commit() as database:
                for pair, numbers in some:
                    one, other = pair.one.first, pair.other.first
                    shown = one, other, earliest(pair.ones), earliest(pair.others)
                    members = [*(numbers[document.ref] for document in shown), pair.documents]
                    refs = one.ref.index, one.ref.id, other.ref.index, other.ref.id
                    row = first, *refs, json.dumps(members)
                    database.execute("INSERT INTO found VALUES (?, ?, ?, ?, ?, ?)", row)
        with self.commit(block=stop):
            pass

    def order_pairs(self) -> None:
        """Put the pairs of texts into the order in which they are aligned."""
        with self.commit(paired=True) as database:
            database.execute(
                "INSERT INTO ordered (members) SELECT members FROM found"
                " ORDER BY home, id, other_home, other_id"
            )
            database.execute("DELETE FROM found")

    def text_pairs(self) -> Iterator[TextPair]:
        """Yield the pairs of texts in the order in which they are aligned."""
        shingles = self.shingles()
        query = "SELECT number, members FROM ordered WHERE number > ? ORDER BY number LIMIT ?"
        for rows in self.pages(query, _DOCUMENTS):
            members = [json.loads(row[1]) for row in rows]
            wanted = (number for *numbers, _ in members for number in numbers)
            documents = self.documents_by_number(wanted, shingles)
            texts = {number: UnitText((document,)) for number, document in documents.items()}
            for one, other, first, other_first, count in members:
                yield TextPair(
                    texts[one], texts[other], (texts[first],), (texts[other_first],), count
                )


@dataclass(frozen=True)
class StoredUnit:
    """A unit that was read again.

    Attributes:
        unit: The unit.
        numbers: Numbers of its documents.
    """

    unit: Unit
    numbers: Mapping[DocumentRef, int]


class StoredLists:
    """Lists of numbers in a file, read one at a time.

    Args:
        path: The file.
        ends: Where each list ends.
    """

    def __init__(self, path: Path, ends: NDArray[np.int64]) -> None:
        self._path = path
        self.ends = ends

    def __getitem__(self, number: int) -> Shingles:
        """Return a list."""
        start = int(self.ends[number - 1]) if number else 0
        count = int(self.ends[number]) - start
        return np.fromfile(self._path, np.uint32, count, offset=4 * start)


def _text_number(database: Connection, document: CopyDocument, new: list[Shingles]) -> int:
    """Return the number of a text, from 0; the shingles of one that is new are added to `new`."""
    query = "SELECT number FROM texts WHERE hash = ?"
    row = database.execute(query, [document.content_hash]).fetchone()
    if row is not None:
        return int(row[0])
    (last,) = database.execute("SELECT max(number) FROM texts").fetchone()
    number = 0 if last is None else int(last) + 1
    database.execute("INSERT INTO texts VALUES (?, ?)", [number, document.content_hash])
    new.append(document.shingles)
    return number


def _add_unit(database: Connection, unit: Unit, numbers: Mapping[DocumentRef, int]) -> None:
    (last,) = database.execute("SELECT max(number) FROM units").fetchone()
    number = 0 if last is None else int(last) + 1
    members = [[numbers[document.ref] for document in text.documents] for text in unit.texts]
    row = number, json.dumps(unit.values), json.dumps(members)
    database.execute("INSERT INTO units VALUES (?, ?, ?)", row)
    database.executemany(
        "INSERT INTO unit_texts SELECT NULL, ?, text, number, ?, home, id, 0 FROM documents"
        " WHERE number = ?",
        [(number, len(text), text[0]) for text in members],
    )


def _row(
    document: CopyDocument, text: int | None, reason: str | None, *, by_values: bool
) -> tuple[Any, ...]:
    ref, version = document.ref, document.version
    values, family = unit_key(document, by_values=by_values)
    # Bytes that sort as the values do; none of a document that is not compared.
    key = b"\0".join(value.encode("utf-8", "surrogatepass") for value in values)
    return (
        ref.index, ref.id, ref.routing, version.seq_no, version.primary_term,
        document.content_hash, text, document.family, json.dumps(document.values),
        None if document.date is None else json.dumps(document.date), reason,
        None if text is None else key, family,
    )  # fmt: skip


def _document(row: Sequence[Any], shingles: StoredLists | None) -> CopyDocument:
    _, index, id, routing, seq_no, term, hash, text, family, owners, date, reason = row
    is_read = shingles is not None and text is not None
    return CopyDocument(
        DocumentVersion(DocumentRef(index, id, routing), seq_no, term),
        hash,
        family,
        tuple(json.loads(owners)),
        None if date is None else json.loads(date),
        shingles[text] if shingles is not None and is_read else np.zeros(0, np.uint32),
        reason == "empty",
        reason != "changed",
    )
