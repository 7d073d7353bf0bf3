"""A label file that several write by turns: it is locked for each label, not for a session."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.bulk.append_files import lock
from es_simhash.lab.evaluation.label_file import LabelFile, can_hold, format_of, last_pair
from es_simhash.lab.evaluation.labelled_pairs import Pair, delimiter_of, started_pairs

Value = TypeVar("Value")
# Seconds to wait for others that write a label; a session of `es-simhash lab label` takes longer.
_PATIENCE, _PAUSE = 1.0, 0.02


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

    @property
    def format(self) -> str:
        """Name of its format."""
        return format_of(self.delimiter)

    def can_hold(self, pair: Pair) -> bool:
        """Check whether the file can have the ids of a pair."""
        return can_hold(pair, self.delimiter)


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
                labels = dict(started_pairs(self.path).labels)
                content = stream.read().decode("utf-8-sig")
        except FileNotFoundError:
            return KnownLabels({}, None, delimiter_of(self.path, ""))
        except OSError as error:
            raise InputError(
                f"Cannot read {self.path} ({error.strerror}). Name another file.",
                parameter=self.parameter,
            ) from error
        delimiter = delimiter_of(self.path, content)
        last = last_pair(content, delimiter)
        return KnownLabels(labels, last if last in labels else None, delimiter)


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
