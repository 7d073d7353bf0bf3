"""Files that only grow: appended lines, the dead-letter file, and locks against two writers."""

import errno
import fcntl
import json
import logging
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.bulk.document_batches import Batch
from es_simhash.ingestion.bulk.json_documents import decode, loads
from es_simhash.ingestion.bulk.outcomes import Failure

# What a file system answers that has no locks, such as some network folders.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
_logger = logging.getLogger(__name__)


def lock(descriptor: int, name: str, *, parameter: str, shared: bool = False) -> None:
    """Lock an open file until it is closed, or the process ends.

    Where the file system has no locks, a warning says so, and the command goes on without.

    Args:
        descriptor: Of the file.
        name: Of the file, for the error: what it is, and where.
        parameter: Parameter that names the file, for the error.
        shared: True to read: others may read it at the same time, and none may write it.

    Raises:
        FileInUse: Another command has it.
        OSError: The file cannot be locked for another reason.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileInUse(
            f"{name} is in use by another command. Wait until that ends, or give another file. "
            f"Set {parameter}.",
            parameter=parameter,
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        _logger.warning(
            "%s cannot be locked on this file system (%s): run no two commands with it at once.",
            name,
            error.strerror,
        )


class LockFile:
    """A file next to another that is replaced as a whole, and so cannot be locked itself.

    Args:
        path: Of the lock file; it is created, and deleted in the end.
        name: Of the other file, for the error.
        parameter: Parameter that names that file.
    """

    def __init__(self, path: Path, name: str, parameter: str) -> None:
        self._path = path
        self._name = name
        self._parameter = parameter

    def __enter__(self) -> "LockFile":
        """Lock it.

        Raises:
            FileInUse: Another command has it.
            OSError: The file cannot be created.
        """
        while True:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                lock(self._descriptor, self._name, parameter=self._parameter)
                if self._is_current():
                    return self
            except BaseException:
                os.close(self._descriptor)
                raise
            # The command that had it has deleted the file since it was opened.
            os.close(self._descriptor)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def __exit__(self, *error: object) -> None:
        # Deleted before it is released, so that nobody waits for a file that is gone.
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


File = TypeVar("File", bound="AppendOnlyFile")


class AppendOnlyFile:
    """A file that is created when the first line is written; use it as a context manager.

    Args:
        path: The file; None to write nothing.
        parameter: Parameter that named the file, for the error.
    """

    def __init__(self, path: Path | None, parameter: str) -> None:
        self.path = path
        self._parameter = parameter
        self._stream: BinaryIO | None = None

    def __enter__(self: File) -> File:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    def write(self, line: bytes) -> None:
        """Write a line, which has reached the file when this returns.

        Raises:
            InputError: The file cannot be written.
        """
        if self.path is None:
            return
        try:
            if self._stream is None:
                self._stream = self.path.open("ab")
            self._stream.write(line)
            self._stream.flush()
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.path} ({error.strerror}). Name another file.",
                parameter=self._parameter,
            ) from error


class DeadLetter(AppendOnlyFile):
    """A JSONL file; each line has `id`, `reason`, `file`, `line`, and the document.

    The document is as it was read: `document` when it is JSON, else `raw`, in which bytes that
    are not UTF-8 are lone surrogates (Python's `surrogateescape`). A document too large to be
    held, or a text file, is named only.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, "dead_letter")
        self.count = 0

    def add(self, batch: Batch, failure: Failure) -> None:
        """Append a document of a batch.

        Raises:
            InputError: The file cannot be written.
        """
        if self.path is None:
            return
        file, line = batch.location(failure.position)
        head = json.dumps({"id": failure.id, "reason": failure.reason, "file": file, "line": line})
        record = head[:-1].encode("ascii") + _document(batch.original(failure.position)) + b"}\n"
        self.write(record)
        self.count += 1


def _document(original: bytes | None) -> bytes:
    if original is None:
        return b""
    try:
        # An object that spans its line, or it would end the record early.
        loads(decode(original))
        return b', "document": ' + original.strip().removeprefix(b"\xef\xbb\xbf")
    except (InputError, ValueError, RecursionError):
        raw = json.dumps(original.decode("utf-8", "surrogateescape"))
        return b', "raw": ' + raw.encode("ascii")
