"""An audit log that is a file."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from es_simhash.deduplication.audit_records import Audit, Record
from es_simhash.errors import InputError


class FileAudit(Audit):
    """A JSONL file that only grows.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._descriptor: int | None = None

    def open(self) -> None:
        """Open it for writing, so that a run finds out before it decides anything.

        Raises:
            InputError: The file cannot be written.
        """
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            size = os.fstat(self._descriptor).st_size
            if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
                self._append(b"\n")  # a kill has cut the last line off
        except OSError as error:
            raise self._refused(error) from error

    def write(self, records: Sequence[Record]) -> None:
        """Write records down; after it they outlast a power cut.

        Raises:
            InputError: The file cannot be written.
        """
        if not records:
            return
        try:
            if self._descriptor is None:
                self.open()
            self._append(b"".join(each.line() + b"\n" for each in records))
            assert self._descriptor is not None
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._refused(error) from error

    def _append(self, data: bytes) -> None:
        assert self._descriptor is not None
        while data:
            data = data[os.write(self._descriptor, data) :]

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first; lines that a kill cut off are passed over.

        Raises:
            InputError: The file cannot be read.
        """
        try:
            with self._path.open("rb") as stream:
                for line in stream:
                    try:
                        yield Record.of_line(line)
                    except ValueError:
                        continue
        except OSError as error:
            raise InputError(f"{self._path} cannot be read ({error.strerror}).") from error

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"The audit log {self._path} cannot be written ({error.strerror}); "
            "name another with --audit."
        )
