"""Journal files: SQLite databases from which a run that was ended resumes.

A journal is of one job, and one command has it at a time. What was committed outlasts a kill.
"""

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import xxhash

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import lock
from es_simhash.store.home_folder import home_folder

# What a run does: the name and the UUIDs of its index, the names of its sources, and all settings
# that change what is written. JSON: strings, lists of strings, booleans, None.
Job = Mapping[str, Any]
INDEX, UUIDS, SOURCES = "index", "uuids", "sources"

# Header of a SQLite file (https://sqlite.org/fileformat.html): where it says whose it is.
_MAGIC, _HEADER_BYTES = b"SQLite format 3\0", 100
_RELEASE_AT, _APPLICATION_AT = slice(60, 64), slice(68, 72)
_APPLICATION, _RELEASE = 0x65_73_73_68, 4
_logger = logging.getLogger(__name__)


def default_path(job: Job) -> Path:
    """Return the file for one job; an index is known by its UUIDs, whatever it is called."""
    parts = json.dumps({name: job[name] for name in sorted(job) if name != INDEX})
    return home_folder() / "journals" / f"{xxhash.xxh3_128_hexdigest(parts.encode())}.sqlite"


class JournalFile:
    """The database of one job.

    Args:
        path: The file.
        database: A connection to it.
    """

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path = path
        self._database = database
        # Changes of the database when it was opened, if it had nothing then.
        self._empty_at: int | None = None

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, path: Path, job: Job, tables: Sequence[str], *, fresh: bool = False
    ) -> Iterator["JournalFile"]:
        """Yield the journal of a file, which no other command has meanwhile.

        A file to which nothing was written is deleted in the end; one of another release is
        begun anew with a warning.

        Args:
            path: The file.
            job: What the run does.
            tables: Statements that create the tables of the journal.
            fresh: Delete what the file has, and begin at the start.

        Raises:
            FileInUse: Another command has it.
            InputError: It is of another job, no journal, damaged, or cannot be written.
        """
        with contextlib.ExitStack() as stack:
            with _failures(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = _locked(path)
                stack.callback(os.close, descriptor)
                _require_journal(path, descriptor, fresh=fresh)
                # Locked above: SQLite's own locks do not work on every file system.
                uri = f"file:{quote(os.fsencode(path.absolute()))}?nolock=1"
                database = sqlite3.connect(uri, uri=True, check_same_thread=False)
                stack.enter_context(contextlib.closing(database))
                journal = cls(path, database)
                journal._begin(job, tables)
            try:
                yield journal
            finally:
                if database.total_changes == journal._empty_at:
                    journal.remove()

    def _begin(self, job: Job, tables: Sequence[str]) -> None:
        # A kill takes nothing from the system, which writes what is committed.
        with self.unreadable():
            # The words of SQLite may have bytes of a damaged file, which are no text.
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        with self.transaction() as database, self.unreadable():
            if database.execute("PRAGMA schema_version").fetchone() == (0,):
                self._create(database, job, tables)
                return
            ((stored,),) = database.execute("SELECT content FROM job")
            difference = difference_of(dict(json.loads(stored)), job)
        if difference:
            raise InputError(
                f"Journal '{self.path}' is {difference}. Name another journal, or begin at the "
                "start. Set fresh.",
                parameter="fresh",
            )

    def _create(self, database: sqlite3.Connection, job: Job, tables: Sequence[str]) -> None:
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_RELEASE}")
        for table in ("job (content TEXT NOT NULL)", *tables):
            database.execute(f"CREATE TABLE {table}")
        database.execute("INSERT INTO job VALUES (?)", [json.dumps(dict(job))])
        self._empty_at = database.total_changes

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the database, to read or to write; all is written, or nothing.

        Raises:
            InputError: The file is damaged, or cannot be written.
        """
        with _failures(self.path), self._database:
            self._database.execute("BEGIN")
            yield self._database

    @contextlib.contextmanager
    def unreadable(self) -> Iterator[None]:
        """Raise what reading values raises that nobody wrote as an error of the file.

        Raises:
            InputError: The file is damaged.
        """
        try:
            yield
        except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise _damaged(self.path, error) from error

    def remove(self) -> None:
        """Remove the file: the job is complete."""
        with contextlib.suppress(OSError):
            self.path.unlink()


@contextlib.contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Raise the errors of the system and of SQLite as ours."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"Cannot use the journal {path} ({reason}). Name another file.", parameter="journal"
        ) from error
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(
        f"Journal '{path}' is damaged ({error}). Begin at the start. Set fresh.",
        parameter="fresh",
    )


def _locked(path: Path) -> int:
    """Return the descriptor of a file that this command alone has until it is closed."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock(descriptor, f"Journal '{path}'", parameter="journal")
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # The command that had it has deleted the file since it was opened.
        os.close(descriptor)


def _require_journal(path: Path, descriptor: int, *, fresh: bool) -> None:
    """Check that a file is a journal, or empty; empty it when it is to be begun.

    Raises:
        InputError: The file is something else, which would be overwritten.
        OSError: It cannot be read.
    """
    header = os.pread(descriptor, _HEADER_BYTES, 0)
    if not header:
        return
    application = int.from_bytes(header[_APPLICATION_AT], "big")
    if not header.startswith(_MAGIC) or application != _APPLICATION:
        raise InputError(
            f"File '{path}' is no journal and would be overwritten. Name another file, or delete "
            "it.",
            parameter="journal",
        )
    is_current = int.from_bytes(header[_RELEASE_AT], "big") == _RELEASE
    if not is_current:
        _logger.warning("The journal %s is of another release and is ignored.", path)
    if fresh or not is_current:
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
        os.ftruncate(descriptor, 0)


def difference_of(stored: Job, job: Job) -> str | None:
    """Say in what a journal is of another job; None when it is of this one."""
    if stored.get(UUIDS) != job[UUIDS]:
        if stored.get(INDEX) != job[INDEX]:
            return f"of index {stored.get(INDEX)!r}, and this run writes to {job[INDEX]!r}"
        return (
            f"of index {job[INDEX]!r} with UUID {_shown(stored.get(UUIDS))}, and the one here has "
            f"UUID {_shown(job[UUIDS])}: it was created anew, or is of another cluster"
        )
    for name in sorted(job.keys() - {INDEX, UUIDS}):
        if stored.get(name) != job[name]:
            return (
                f"of a run with {name} {_shown(stored.get(name))}, and this one has "
                f"{_shown(job[name])}"
            )
    return None


def _shown(value: object) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list) else repr(value)
