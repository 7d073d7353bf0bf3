"""What a long run keeps on disk: a journal, and binary files that grow with what is committed.

A run commits how far it is together with what it has: one that was killed goes on from there.
"""

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.journal_file import Job, JournalFile
from es_simhash.maintenance.listed_values import TEXTS, listed_texts
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.rows import batches_of

_PROGRESS = "progress (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
# Documents whose versions are compared together.
_VERSIONS = 5_000

Numbers = NDArray[np.int64]
Files = TypeVar("Files", bound="WorkFiles")


class ReadOnce(Protocol):
    """A document that a run has read."""

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""


Document = TypeVar("Document", bound=ReadOnce, covariant=True)


class DocumentReader(Protocol[Document]):
    """Reads the documents of an index as they are at one moment."""

    def versions(self) -> Iterator[DocumentVersion]:
        """Yield where all documents are, and in which version; each once."""

    def of_ids(self, ids: Sequence[str]) -> Iterator[Document]:
        """Yield the documents that have one of these ids, in whatever index."""


class WorkFiles:
    """The files of one run; a subclass says which.

    Args:
        file: The journal.
        folder: Where the other files are.

    Attributes:
        tables: Statements that create the tables of the journal.
        growing: Names of the binary files.
    """

    tables: ClassVar[tuple[str, ...]]
    growing: ClassVar[tuple[str, ...]]

    def __init__(self, file: JournalFile, folder: Path) -> None:
        self._file = file
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        sizes = self.progress("sizes") or {}
        for name in self.growing:
            committed = sizes.get(name, 0)
            with (folder / name).open("ab") as opened:
                if opened.tell() < committed:
                    raise self.incomplete(name)
                # What was written after the last commit is written again.
                opened.truncate(committed)

    @classmethod
    @contextlib.contextmanager
    def open(cls: type[Files], path: Path, job: Job, *, fresh: bool = False) -> Iterator[Files]:
        """Yield the files of a run, which no other command has meanwhile.

        Args:
            path: The journal; the other files are in a folder of that name.
            job: What the run does.
            fresh: Begin at the start.

        Raises:
            FileInUse: Another command has it.
            InputError: It is of another job, no journal, damaged, or cannot be written, as on a
                full disk.
        """
        with JournalFile.open(path, job, (_PROGRESS, *cls.tables), fresh=fresh) as file:
            try:
                yield cls(file, path.with_name(f"{path.name}.files"))
            except OSError as error:
                raise InputError(
                    f"Cannot write the files of journal {path} ({error.strerror}). Free disk "
                    "space and run the same again, or name another file. Set journal.",
                    parameter="journal",
                ) from error

    def incomplete(self, name: str) -> InputError:
        """Return the error for a binary file that lacks what was committed."""
        return InputError(
            f"File {self.folder / name} is incomplete. Begin at the start. Set fresh.",
            parameter="fresh",
        )

    def remove(self) -> None:
        """Remove all files: the run is complete."""
        self._file.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def progress(self, name: str) -> Any:
        """Return how far something is; None where it has not begun."""
        rows = self.select("SELECT value FROM progress WHERE name = ?", [name])
        return next((json.loads(value) for (value,) in rows), None)

    @contextlib.contextmanager
    def commit(self, **progress: Any) -> Iterator[Connection]:
        """Yield the database, to write to; all is written with how far the run is, or nothing."""
        with self._file.transaction() as database:
            yield database
            sizes = {name: (self.folder / name).stat().st_size for name in self.growing}
            database.executemany(
                "REPLACE INTO progress VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in {**progress, "sizes": sizes}.items()],
            )

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; they fit in memory."""
        with self._file.transaction() as database:
            return database.execute(query, values).fetchall()

    def pages(
        self, query: str, size: int, after: int | str = -1
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query some at a time.

        Args:
            query: It takes rows whose first column is above one value, so many at the most, in
                the order of that column.
            size: How many.
            after: Value of that column after which they begin.
        """
        while rows := self.select(query, [after, size]):
            yield rows
            after = rows[-1][0]

    def append(self, name: str, array: NDArray[Any]) -> None:
        """Append to a binary file; `commit` makes it last."""
        with (self.folder / name).open("ab") as file:
            array.tofile(file)

    def size(self, name: str) -> int:
        """Return the bytes of a binary file."""
        return (self.folder / name).stat().st_size

    def ends(self, name: str) -> Numbers:
        """Return where the entries of a binary file end."""
        return np.fromfile(self.folder / name, np.int64)

    def unread(self, reader: DocumentReader[Document]) -> Iterator[Document]:
        """Yield the documents that the table has not in their version; forget what is gone.

        Args:
            reader: Reads all documents. What is added meanwhile is among those that were yielded.
        """
        with self.commit() as database:
            database.execute("CREATE INDEX IF NOT EXISTS documents_id ON documents (id)")
        (last,) = self.select("SELECT max(number) FROM documents")[0]
        is_there = np.zeros((last or 0) + 1, np.bool_)
        # Numbers begin at 1.
        is_there[0] = True
        for some in batches_of(reader.versions(), _VERSIONS):
            stored = self._stored(some)
            is_there[[stored[version] for version in some if version in stored]] = True
            unread = {version.ref for version in some if version not in stored}
            found = reader.of_ids(sorted({ref.id for ref in unread}))
            yield from (document for document in found if document.ref in unread)
        for gone in batches_of(np.flatnonzero(~is_there).tolist(), _VERSIONS):
            with self.commit() as database:
                database.executemany(
                    "DELETE FROM documents WHERE number = ?", [(number,) for number in gone]
                )

    def _stored(self, versions: Sequence[DocumentVersion]) -> dict[DocumentVersion, int]:
        """Return the numbers of those of these documents that are there in the same version."""
        query = f"SELECT number, home, id, routing, seq_no, term FROM documents WHERE id IN {TEXTS}"
        rows = self.select(query, [listed_texts(version.ref.id for version in versions)])
        return {
            DocumentVersion(DocumentRef(*ref), seq_no, term): number
            for number, *ref, seq_no, term in rows
        }
