"""Files that lines are appended to, and locks against two commands that write one file."""

import errno
import fcntl
import logging
import os
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from es_simhash.errors import FileInUse, InputError

File = TypeVar("File", bound="AppendOnlyFile")

# What a file system answers that has no locks, such as some network folders.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
_logger = logging.getLogger(__name__)


def lock(descriptor: int, name: str, *, parameter: str, shared: bool = False) -> None:
    """Lock an open file until it is closed, or the process ends.

    Where the file system has no locks, a warning says so, and the command goes on without.

    Args:
        descriptor: Descriptor of the file.
        name: The file as the error names it: what it is, and where.
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


class AppendOnlyFile:
    """A file that is created when the first line is written; use it as a context manager.

    Args:
        path: The file; None to write nothing.
        parameter: Parameter that named the file, for the error.
    """

    def __init__(self, path: Path | None, parameter: str) -> None:
        self.path = path
        self._parameter = parameter
        self._stream: FileIO | None = None

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
                self._stream = _open_at_line(self.path)
            # Unbuffered: what a full disk has no room for is not written again at the end.
            rest = memoryview(line)
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.path} ({error.strerror}). Name another file.",
                parameter=self._parameter,
            ) from error


def _open_at_line(path: Path) -> FileIO:
    """Open a file to append lines; one that a kill or a full disk cut off is ended first."""
    is_cut = _is_cut(path)
    stream = FileIO(path, "ab")
    if is_cut:
        stream.write(b"\n")
    return stream


def _is_cut(path: Path) -> bool:
    """Check whether the last line of a file has no end; no device or pipe is looked at."""
    if not path.is_file() or not path.stat().st_size or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) != b"\n"
