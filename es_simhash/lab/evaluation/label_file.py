"""Files of labelled pairs that grow: one line an answer, and the last ones can be taken back.

A `LabelFile` is locked for a session; `SharedLabels` lock it for each label, so that several write
by turns.
"""

import csv
import io
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.bulk.append_files import lock
from es_simhash.lab.evaluation.labelled_pairs import (
    Pair,
    delimiter_of,
    parsed_lines,
    started_pairs,
)

_HEADER = ("id1", "id2", "label")
Value = TypeVar("Value")
# Seconds to wait for others that write a label; a session of `es-simhash lab label` takes longer.
_PATIENCE, _PAUSE = 1.0, 0.02
_FORMATS = {"\t": "TSV", ",": "CSV", "": "JSON"}


@dataclass(frozen=True)
class KnownLabels:
    """Labels of a file at one moment.

    Attributes:
        labels: Whether each pair, its smaller id first, is a version.
        last: The pair of its last line; None where it has no label.
        delimiter: Separator of columns; "" for JSON.
    """

    labels: dict[Pair, bool]
    last: Pair | None
    delimiter: str = field(repr=False)

    @classmethod
    def of_file(cls, path: Path) -> "KnownLabels":
        """Return the labels of a file.

        Raises:
            InputError: The file cannot be read, or a line of it is wrong.
        """
        labels = dict(started_pairs(path).labels)
        content = path.read_text("utf-8-sig")
        delimiter = delimiter_of(path, content)
        last = _last_pair(content, delimiter)
        return cls(labels, last if last in labels else None, delimiter)

    @property
    def format(self) -> str:
        """Name of its format."""
        return _FORMATS[self.delimiter]

    def can_hold(self, pair: Pair) -> bool:
        """Check whether `evaluate` reads the same ids again; TSV has no ids with tabs."""
        line = _line((*pair, 1), self.delimiter)
        rows = [cells for _, cells in parsed_lines(line, self.delimiter)]
        return len(rows) == 1 and not isinstance(rows[0], str) and tuple(rows[0][:2]) == pair


def _last_pair(content: str, delimiter: str) -> Pair | None:
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
            self._known = KnownLabels.of_file(path)
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
        return dict(self._known.labels)

    @property
    def format(self) -> str:
        """Name of its format."""
        return self._known.format

    def can_hold(self, pair: Pair) -> bool:
        """Check whether the file can have the ids of a pair."""
        return self._known.can_hold(pair)

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
        line = _line((*pair, int(is_version)), self._known.delimiter)
        try:
            self._write(f"{self._lead(before)}{line}".encode())
        except OSError as error:
            os.ftruncate(self._stream.fileno(), before)
            raise self._refused(error) from error
        self._known.labels[pair] = is_version
        return before

    def take_back(self, pair: Pair, size: int) -> None:
        """Remove the label that was written last.

        Args:
            pair: The pair.
            size: Size that `add` returned.
        """
        os.ftruncate(self._stream.fileno(), size)
        del self._known.labels[pair]

    def take_back_last(self, pair: Pair) -> bool:
        """Remove the last line of the file, if it is the label of a pair.

        Args:
            pair: Its smaller id first.

        Returns:
            Whether it was; else nothing is removed.
        """
        if KnownLabels.of_file(self.path).last != pair:
            return False
        self.take_back(pair, self.path.read_bytes().rstrip().rfind(b"\n") + 1)
        return True

    def _lead(self, size: int) -> str:
        """Return what is written before a line: column names, or the end of a line without one."""
        if not size:
            # They also keep a first id such as [1] from being taken for JSON.
            return _line(_HEADER, self._known.delimiter) if self._known.delimiter else ""
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


@dataclass(frozen=True)
class SharedLabels:
    """A label file; safe to use from several threads, processes and commands.

    Each method raises `FileInUse` when another command has the file for longer than a second, and
    `InputError` when the file cannot be read or written, or has a wrong line.

    Attributes:
        path: The file; it is created with its first label.
        parameter: Parameter that names it, for errors.
    """

    path: Path
    parameter: str = "labels"

    def require_usable(self) -> None:
        """Check that the file can be written, and that its lines are labelled pairs."""
        try:
            with LabelFile(self.path, self.parameter):
                pass
        except FileInUse:
            # Whoever has it has checked it.
            return

    def known(self) -> KnownLabels:
        """Return what the file has."""
        return _patiently(self._known)

    def add(self, pair: Pair, *, is_version: bool) -> bool:
        """Write the label of a pair.

        Args:
            pair: Its smaller id first.
            is_version: The label.

        Returns:
            The label that the pair has now: another one, when it was labelled before. A pair of
            the file is not written again.
        """

        def write() -> bool:
            with LabelFile(self.path, self.parameter) as file:
                known = file.labels.get(pair)
                if known is None:
                    file.add(pair, is_version=is_version)
                return is_version if known is None else known

        return _patiently(write)

    def take_back(self, pair: Pair) -> bool:
        """Remove the label of a pair.

        Returns:
            Whether it was the last of the file; else nothing is removed.
        """

        def remove() -> bool:
            with LabelFile(self.path, self.parameter) as file:
                return file.take_back_last(pair)

        return _patiently(remove)

    def _known(self) -> KnownLabels:
        try:
            with self.path.open("rb") as stream:
                lock(stream.fileno(), f"File {self.path}", parameter=self.parameter, shared=True)
                return KnownLabels.of_file(self.path)
        except FileNotFoundError:
            return KnownLabels({}, None, delimiter_of(self.path, ""))
        except OSError as error:
            raise InputError(
                f"Cannot read {self.path} ({error.strerror}). Name another file.",
                parameter=self.parameter,
            ) from error


def _patiently(use: Callable[[], Value]) -> Value:
    """Return what using the file returns, once nobody else has it."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return use()
        except FileInUse:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
