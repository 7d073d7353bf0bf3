"""Batches of documents as they were read; the worker that gets one parses it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from es_simhash.bulk.documents import Document, Refused, checked_id, decode, parse_line
from es_simhash.errors import InputError
from es_simhash.storage.config import IndexConfig
from es_simhash.text.limits import MAX_TEXT_BYTES, MEBIBYTE, require_text_size

# Longer lines are passed over without being held in memory. Escapes make JSON up to six times
# as long as its text.
LONGEST_LINE = 6 * MAX_TEXT_BYTES + MEBIBYTE


@dataclass(frozen=True)
class Mark:
    """How far a source was read.

    Attributes:
        source: Absolute path of the file or folder.
        done: Bytes of a file, files of a folder.
        lines: Lines of a file.
        state: What the source looked like; with another look it is read from the start.
    """

    source: str
    done: int
    lines: int
    state: str


class Batch(Protocol):
    """Some documents of one source, in order."""

    @property
    def mark(self) -> Mark | None:
        """How far the source is read after this batch; None when it cannot be resumed."""

    @property
    def size(self) -> int:
        """Bytes read."""

    def documents(self, config: IndexConfig) -> Iterator[Document | Refused]:
        """Yield the documents, parsed."""

    def where(self, place: int) -> tuple[str, int | None]:
        """Return file and line of a document."""

    def original(self, place: int) -> bytes | None:
        """Return a document as it was read; None when it is only to be found in its file."""


@dataclass(frozen=True)
class Lines:
    """Whole lines of JSON."""

    name: str
    first: int
    data: bytes
    mark: Mark | None = None

    @property
    def size(self) -> int:
        """Bytes read."""
        return len(self.data)

    def documents(self, config: IndexConfig) -> Iterator[Document | Refused]:
        """Yield the document of each line that is not blank."""
        for place, line in enumerate(self.data.split(b"\n")):
            if line and not line.isspace():
                yield parse_line(line, place, config)

    def where(self, place: int) -> tuple[str, int | None]:
        """Return file and line of a document."""
        return self.name, self.first + place

    def original(self, place: int) -> bytes | None:
        """Return the line."""
        return self.data.split(b"\n")[place]


@dataclass(frozen=True)
class Unreadable:
    """One document that is no line of JSON: too long for the memory, or of other objects."""

    name: str
    first: int
    size: int
    reason: str
    mark: Mark | None = None

    def documents(self, config: IndexConfig) -> Iterator[Document | Refused]:
        """Yield the refusal."""
        yield Refused(0, None, self.reason)

    def where(self, place: int) -> tuple[str, int | None]:
        """Return file and line."""
        return self.name, self.first

    def original(self, place: int) -> bytes | None:
        """Return nothing: the document was not kept."""
        return None


@dataclass(frozen=True)
class Texts:
    """Text files of one folder; the id is the path below it."""

    folder: str
    names: tuple[str, ...]
    size: int
    mark: Mark | None = None

    def documents(self, config: IndexConfig) -> Iterator[Document | Refused]:
        """Yield the document of each file."""
        for place, name in enumerate(self.names):
            try:
                id = checked_id(name, "name of the file")
            except InputError as error:
                yield Refused(place, None, str(error))
                continue
            yield self._document(place, id, config)

    def _document(self, place: int, id: str, config: IndexConfig) -> Document | Refused:
        try:
            text = _text_of_file(Path(self.folder, id))
        except InputError as error:
            return Refused(place, id, str(error))
        content = json.dumps({config.text_field: text})
        return Document(place, id, text, content.encode(), content)

    def where(self, place: int) -> tuple[str, int | None]:
        """Return the file."""
        return str(Path(self.folder, self.names[place])), None

    def original(self, place: int) -> bytes | None:
        """Return nothing: the document is the file."""
        return None


def _text_of_file(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_TEXT_BYTES:
            size = path.stat().st_size / MEBIBYTE
            raise InputError(
                f"The file has {size:.1f} MiB, more than the {MAX_TEXT_BYTES // MEBIBYTE} "
                "that are fingerprinted; split it into parts."
            )
        return require_text_size(decode(path.read_bytes()))
    except OSError as error:
        raise InputError(f"The file cannot be read ({error.strerror}).") from error
