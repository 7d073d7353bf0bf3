"""A file of labelled pairs that grows: one line an answer, and the last ones can be taken back."""

import csv
import io
import json
import os
from pathlib import Path
from typing import BinaryIO

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import lock
from es_simhash.lab.evaluation.labelled_pairs import (
    Pair,
    delimiter_of,
    parsed_lines,
    started_pairs,
)

_HEADER = ("id1", "id2", "label")
_FORMATS = {"\t": "TSV", ",": "CSV", "": "JSON"}


def format_of(delimiter: str) -> str:
    """Return the name of a format."""
    return _FORMATS[delimiter]


def can_hold(pair: Pair, delimiter: str) -> bool:
    """Check whether the ids of a pair are the same after they were written and read."""
    rows = [cells for _, cells in parsed_lines(_line((*pair, 1), delimiter), delimiter)]
    return len(rows) == 1 and not isinstance(rows[0], str) and tuple(rows[0][:2]) == pair


def last_pair(content: str, delimiter: str) -> Pair | None:
    """Return the pair of the last line of a file without wrong lines; None without a line."""
    lines = content.rstrip().split("\n")
    # The first line names columns, where there are any.
    rows = parsed_lines(lines[-1], delimiter) if len(lines) > 1 or not delimiter else []
    if not rows or isinstance(rows[-1][1], str):
        return None
    one, other = sorted(map(str, rows[-1][1][:2]))
    return one, other


def _line(cells: tuple[object, ...], delimiter: str) -> str:
    if not delimiter:
        value = dict(zip(_HEADER, cells, strict=True))
        return f"{json.dumps(value, ensure_ascii=False)}\n"
    if delimiter == "\t":
        return "\t".join(map(str, cells)) + "\n"
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()


class LabelFile:
    """A file that labelled pairs are appended to; use it in a `with` statement.

    It is created, and locked until it is closed. One that has got no line is deleted then if it was
    not there before.

    Args:
        path: The file: `.csv` is written with commas, `.jsonl` as JSON, any other with tabs, unless
            it has lines of another format.
        parameter: Parameter that names the file, for errors.

    Raises:
        InputError: It cannot be written, or a line of it is wrong.
        FileInUse: Another command writes it.
    """

    def __init__(self, path: Path, parameter: str = "output") -> None:
        self.path = path
        self._parameter = parameter
        if path.exists() and not path.is_file():
            raise InputError(
                f"Cannot write to {path}, which is not a regular file. Name another file.",
                parameter=parameter,
            )
        self._is_new = not path.exists()
        self._stream = self._locked()
        try:
            self._labels = dict(started_pairs(path).labels)
            self._delimiter = delimiter_of(path, path.read_text("utf-8-sig"))
        except BaseException:
            self._stream.close()
            raise

    def _locked(self) -> BinaryIO:
        """Open and lock the file: the one that has this path once it is locked."""
        while True:
            stream = self._opened()
            try:
                lock(stream.fileno(), f"File {self.path}", parameter=self._parameter)
                if os.path.samestat(os.stat(self.path), os.fstat(stream.fileno())):
                    return stream
            except FileNotFoundError:
                pass
            except BaseException:
                stream.close()
                raise
            # A command that wrote nothing deleted it after it was opened here.
            stream.close()
            self._is_new = True

    def _opened(self) -> BinaryIO:
        try:
            return self.path.open("a+b", buffering=0)
        except OSError as error:
            raise self._refused(error) from error

    def __enter__(self) -> "LabelFile":
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_new and not self._size():
            self.path.unlink(missing_ok=True)
        self._stream.close()

    @property
    def labels(self) -> dict[Pair, bool]:
        """Whether each pair of the file, its smaller id first, is a version."""
        return dict(self._labels)

    @property
    def format(self) -> str:
        """Name of its format."""
        return format_of(self._delimiter)

    def can_hold(self, pair: Pair) -> bool:
        """Check whether `evaluate` reads the same ids again; TSV has no ids with tabs."""
        return can_hold(pair, self._delimiter)

    def add(self, pair: Pair, *, is_version: bool) -> int:
        """Write the label of a pair, which is in the file when this returns.

        Args:
            pair: Its smaller id first.
            is_version: The label.

        Returns:
            The size of the file before, for `take_back`.

        Raises:
            InputError: It cannot be written.
        """
        before = self._size()
        line = _line((*pair, int(is_version)), self._delimiter)
        try:
            self._write(f"{self._lead(before)}{line}".encode())
        except OSError as error:
            os.ftruncate(self._stream.fileno(), before)
            raise self._refused(error) from error
        self._labels[pair] = is_version
        return before

    def take_back(self, pair: Pair, size: int) -> None:
        """Remove the label that was written last.

        Args:
            pair: The pair.
            size: Size that `add` returned.
        """
        os.ftruncate(self._stream.fileno(), size)
        del self._labels[pair]

    def take_back_last(self, pair: Pair) -> bool:
        """Remove the last line of the file, if it is the label of a pair.

        Args:
            pair: Its smaller id first.

        Returns:
            Whether it was; else nothing is removed.
        """
        self._stream.seek(0)
        content = self._stream.read()
        if last_pair(content.decode("utf-8-sig"), self._delimiter) != pair:
            return False
        self.take_back(pair, content.rstrip().rfind(b"\n") + 1)
        return True

    def _lead(self, size: int) -> str:
        """Return what is written before a line: column names, or the end of a line without one."""
        if not size:
            # They also keep a first id such as [1] from being taken for JSON.
            return _line(_HEADER, self._delimiter) if self._delimiter else ""
        self._stream.seek(size - 1)
        return "" if self._stream.read(1) == b"\n" else "\n"

    def _write(self, line: bytes) -> None:
        while line:
            line = line[self._stream.write(line) :]

    def _size(self) -> int:
        return os.fstat(self._stream.fileno()).st_size

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"Cannot write to {self.path} ({error.strerror}). Name another file.",
            parameter=self._parameter,
        )
