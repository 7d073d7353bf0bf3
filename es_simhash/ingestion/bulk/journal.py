"""The journal of an ingest run: how far each source is done, and what is remembered of it."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from es_simhash.ingestion.bulk.document_batches import Checkpoint
from es_simhash.ingestion.bulk.journal_file import Job, JournalFile
from es_simhash.ingestion.bulk.run_documents import RECORD_BYTES

# Names of sources are bytes: those of files need not be Unicode.
_TABLES = (
    "checkpoints (source BLOB PRIMARY KEY, done INTEGER, lines INTEGER, state TEXT)",
    "counts (name TEXT PRIMARY KEY, count INTEGER)",
    "records (number INTEGER PRIMARY KEY, content BLOB)",
)


@contextlib.contextmanager
def open_journal(path: Path, job: Job, *, fresh: bool = False) -> Iterator["Journal"]:
    """Yield the journal of a file, which no other command has meanwhile.

    Args:
        path: The file.
        job: What the run does.
        fresh: Delete what the file has, and begin at the start.

    Raises:
        FileInUse: Another command has it.
        InputError: It is of another job, no journal, damaged, or cannot be written.
    """
    with JournalFile.open(path, job, _TABLES, fresh=fresh) as file:
        journal = Journal(file)
        with file.transaction() as database, file.unreadable():
            for source, done, lines, state in database.execute("SELECT * FROM checkpoints"):
                checkpoint = Checkpoint(os.fsdecode(source), int(done), int(lines), str(state))
                journal.checkpoints[checkpoint.source] = checkpoint
            for name, count in database.execute("SELECT * FROM counts"):
                journal.report[str(name)] = int(count)
        yield journal


class Journal:
    """Checkpoints of the sources of one job, and what the run remembers of their documents.

    Args:
        file: The file; None for a run that saves nothing.

    Attributes:
        checkpoints: How far each source is done.
        report: What became of the documents up to there, as counts.
    """

    def __init__(self, file: JournalFile | None = None) -> None:
        self._file = file
        self.checkpoints: dict[str, Checkpoint] = {}
        self.report: dict[str, int] = {}

    def checkpoint(self, source: str) -> Checkpoint | None:
        """Return how far a source is done."""
        return self.checkpoints.get(source)

    def records(self) -> Iterator[bytes]:
        """Yield what the run remembers of the documents of all sources, in order.

        Raises:
            InputError: The file is damaged.
        """
        if self._file is not None:
            with self._file.transaction() as database:
                rows = database.execute("SELECT content FROM records ORDER BY number")
                while row := self._next(self._file, rows):
                    yield row

    @staticmethod
    def _next(file: JournalFile, rows: Iterator[tuple[object]]) -> bytes | None:
        """Return the next record, which is whole; None after the last.

        Raises:
            InputError: It is not.
        """
        with file.unreadable():
            for (content,) in rows:
                if not isinstance(content, bytes) or len(content) % RECORD_BYTES:
                    raise ValueError("a record of documents is cut off")
                if content:
                    return content
        return None

    def save(
        self, checkpoint: Checkpoint, report: Mapping[str, int] | None = None, records: bytes = b""
    ) -> None:
        """Write that a source is done up to a checkpoint.

        Args:
            checkpoint: How far the source is done.
            report: Counts of its documents since the last checkpoint.
            records: What the run remembers of them.

        Raises:
            InputError: The file cannot be written.
        """
        self.checkpoints[checkpoint.source] = checkpoint
        for name, count in (report or {}).items():
            self.report[name] = self.report.get(name, 0) + count
        if self._file is None:
            return
        source, place = os.fsencode(checkpoint.source), (checkpoint.done, checkpoint.lines)
        with self._file.transaction() as database:
            database.execute(
                "REPLACE INTO checkpoints VALUES (?, ?, ?, ?)", [source, *place, checkpoint.state]
            )
            database.executemany("REPLACE INTO counts VALUES (?, ?)", self.report.items())
            if records:
                database.execute("INSERT INTO records (content) VALUES (?)", [records])

    def remove(self) -> None:
        """Remove the file: the job is complete."""
        if self._file is not None:
            self._file.remove()
