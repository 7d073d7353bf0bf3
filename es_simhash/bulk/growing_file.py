"""A file of what failed: made when it is needed, and never cut."""

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar

from es_simhash.errors import InputError

File = TypeVar("File", bound="GrowingFile")


class GrowingFile:
    """A file that is made when the first line is written; use it as a context manager.

    Args:
        path: The file; None for none, and nothing is written.
        advice: What the error says when it cannot be written.
    """

    def __init__(self, path: Path | None, advice: str) -> None:
        self.path = path
        self._advice = advice
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
                f"{self.path} cannot be written ({error.strerror}){self._advice}"
            ) from error
