"""A file that lines are appended to: created when it is needed, and never truncated."""

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar

from es_simhash.errors import InputError

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
