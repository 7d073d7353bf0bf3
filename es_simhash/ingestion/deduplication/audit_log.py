"""Audit logs: records of decisions, in a file or in an index."""

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from es_simhash.errors import FileInUse, IndexMissing, InputError
from es_simhash.ingestion.bulk.append_files import lock
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.record_index import RecordIndex
from es_simhash.text.escaping import file_name

# Of the records; the first ones named none. What a reader of an earlier one would misread is a new
# one.
FORMAT = 1
_DOCUMENT = b',"document":'
_CUT_OFF = "Line %d of the audit log %s cannot be read, as if it was cut off, and is passed over."
_UNREADABLE = (
    "%d lines of the audit log %s cannot be read, the first is line %d, and are passed over."
)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Record:
    """One decision, with all that is needed to undo it.

    Attributes:
        head: What was decided, and why.
        document: JSON of the document that the index does not have, or may soon not have; None
            when it has all.
    """

    head: Mapping[str, Any]
    document: bytes | None = None

    def line(self) -> bytes:
        """Return the record as one line of JSON; the document stays as it was written."""
        head = json.dumps(self.head).encode("ascii")
        if self.document is None:
            return head
        # Only between tokens can a document have line ends.
        document = self.document.replace(b"\r", b" ").replace(b"\n", b" ")
        return b"%b%b%b}" % (head[:-1], _DOCUMENT, document)

    @classmethod
    def of_line(cls, line: bytes) -> "Record":
        """Read what `line` returned.

        Raises:
            ValueError: It is something else, such as a line that a kill cut off.
            InputError: It is of a later format.
        """
        try:
            head = json.loads(line)
        except RecursionError as error:
            raise ValueError("no record") from error
        if not isinstance(head, dict):
            raise ValueError("no record")
        _require_known(head.get("format", FORMAT))
        if not _is_head(head):
            raise ValueError("no record")
        head.pop("document", None)
        # Inside of strings the quotes would be escaped.
        _, separator, document = line.strip().partition(_DOCUMENT)
        return cls(head, document[:-1] if separator else None)


def _require_known(format: object) -> None:
    """Reject a record that a later version wrote: what it left out may be needed to undo it."""
    if isinstance(format, int) and format > FORMAT:
        raise InputError(
            f"The audit log has records of format {format}, and this version reads {FORMAT}. Use "
            "the version of es-simhash that wrote it."
        )
    if format != FORMAT:
        raise ValueError("no record")


# What each record has, by type.
_TEXTS = ("run", "index", "id", "other", "action")
_FLAGGED = ("flag", "link", "retain")


def _is_head(head: Mapping[str, Any]) -> bool:
    """Check whether a decision can be undone by what is there of its record."""
    is_whole = all(isinstance(head.get(name), str) for name in _TEXTS)
    has_numbers = isinstance(head.get("number"), int) and isinstance(head.get("time"), int)
    has_family = "family" not in head or "gave_family" in head
    has_score = head.get("action") not in _FLAGGED or isinstance(head.get("score"), int | float)
    return is_whole and has_numbers and has_family and has_score and _has_place(head)


def _has_place(head: Mapping[str, Any]) -> bool:
    """Check where the documents of a record are: routings, and the state that was replaced."""
    routings = (head.get("routing"), head.get("other_routing"), head.get("in"))
    if not all(isinstance(each, str | None) for each in routings):
        return False
    match head.get("replaced"), head.get("successor"):
        case (None | [str(), int(), int()], None | [str(), str(), str() | None]):
            return True
        case _:
            return False


class IndexAudit:
    """An audit log that is an index.

    Args:
        name: Name of the log.
        index: The index.
    """

    def __init__(self, name: str, index: RecordIndex) -> None:
        self.name = name
        self._index = index

    def open(self) -> None:
        """Create the index when there is none.

        Raises:
            ClusterError: It may not be created.
        """
        self._index.create()

    def write(self, records: Sequence[Record]) -> None:
        """Append records; the cluster answers when they are on its disk.

        Raises:
            ClusterError: A record is rejected.
        """
        self._index.append(
            {
                f"{record.head['run']}-{record.head['number']}": (record.head, record.line())
                for record in records
            }
        )

    def close(self) -> None:
        """Nothing is held open."""

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first.

        Raises:
            IndexMissing: There is no such index.
        """
        try:
            yield from map(Record.of_line, self._index.lines())
        except IndexMissing as error:
            raise IndexMissing(
                f"Audit log {self.name!r} does not exist. Check its name.", parameter="audit"
            ) from error


class FileAudit:
    """A JSONL file that only grows.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._descriptor: int | None = None
        # Number of unreadable lines in the last warning, and the first of them.
        self._warned = (0, 0)

    def open(self) -> None:
        """Open it for writing, so that a run fails before it decides anything.

        Until it is closed no other command writes it.

        Raises:
            FileInUse: Another command has it.
            InputError: The file cannot be written.
        """
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            lock(self._descriptor, _file_name(self._path), parameter="audit")
            size = os.fstat(self._descriptor).st_size
            if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
                self._append(self._descriptor, b"\n")  # a kill has cut the last line off
        except FileInUse:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise self._failure("written", error) from error

    def write(self, records: Sequence[Record]) -> None:
        """Append records; when this returns they outlast a power cut.

        Raises:
            InputError: The file cannot be written.
        """
        if not records:
            return
        if self._descriptor is None:
            self.open()
        assert self._descriptor is not None
        try:
            self._append(self._descriptor, b"".join(record.line() + b"\n" for record in records))
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._failure("written", error) from error

    def _append(self, descriptor: int, data: bytes) -> None:
        while data:
            data = data[os.write(descriptor, data) :]

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first.

        Lines that cannot be read, such as one that a kill cut off, are passed over; a warning says
        how many, once for whoever reads the log several times.

        Raises:
            InputError: The file cannot be read.
        """
        count, first = 0, 0
        try:
            with self._path.open("rb") as stream:
                for number, line in enumerate(stream, 1):
                    try:
                        record = Record.of_line(line)
                    except ValueError:
                        if not line.isspace():
                            count, first = count + 1, first or number
                        continue
                    yield record
        except OSError as error:
            raise self._failure("read", error) from error
        self._warn(count, first)

    def _warn(self, count: int, first: int) -> None:
        if count and (count, first) != self._warned:
            self._warned = count, first
            if count == 1:
                _logger.warning(_CUT_OFF, first, self.name)
            else:
                _logger.warning(_UNREADABLE, count, self.name, first)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _failure(self, done: str, error: OSError) -> InputError:
        return _failure(self._path, done, error)


# Records are written before their actions run, and outlast a power cut.
Audit = FileAudit | IndexAudit


class AuditLog(Protocol):
    """What a run writes its decisions to."""

    @property
    def name(self) -> str:
        """Name of the log; empty for none."""

    def write(self, records: Sequence[Record]) -> None:
        """Append records."""

    def read(self) -> Iterable[Record]:
        """Return all records, the oldest first."""

    def close(self) -> None:
        """End writing."""


_INDEX_PREFIX = "index:"


def audit_of(target: str | Path, client: Client) -> Audit:
    """Return an audit log, which is not opened: a file, or `index:NAME`."""
    if _is_index(target):
        index = RecordIndex(Gateway.of(client), target.removeprefix(_INDEX_PREFIX))
        return IndexAudit(target, index)
    return FileAudit(Path(target))


def open_audit(target: str | Path, client: Client) -> Audit:
    """Open an audit log for writing, so that a run fails before it decides anything.

    Raises:
        FileInUse: Another command has the file.
        InputError: The file cannot be written.
        ClusterError: The index may not be created.
    """
    audit = audit_of(target, client)
    audit.open()
    return audit


@contextmanager
def unchanging_audit(target: str | Path) -> Iterator[None]:
    """Keep other commands from writing an audit log that is read; one that is an index may grow.

    Raises:
        FileInUse: A command writes it.
        InputError: The file cannot be read.
    """
    if _is_index(target):
        yield
        return
    path = Path(target)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(path.open("rb"))
            lock(stream.fileno(), _file_name(path), parameter="audit", shared=True)
        except OSError as error:
            raise _failure(path, "read", error) from error
        yield


def _is_index(target: str | Path) -> TypeGuard[str]:
    return isinstance(target, str) and target.startswith(_INDEX_PREFIX)


def _file_name(path: Path) -> str:
    return f"Audit log {str(path)!r}"


def _failure(path: Path, done: str, error: OSError) -> InputError:
    # `undo` has it as an argument, and no option to set.
    printed = " Name the log that the run printed." if done == "read" else ""
    message = f"{_file_name(path)} cannot be {done} ({error.strerror}).{printed} Set audit."
    return InputError(message, parameter="audit")


def default_audit(index: str) -> Path:
    """Return the file decisions about an index go to by default, in the working directory."""
    return Path(f"{file_name(index)}.audit.jsonl")
