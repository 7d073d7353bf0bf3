"""Batches of documents as they were read, and the file of those that could not be written."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from es_simhash.errors import InputError, MissingExtra
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile
from es_simhash.ingestion.bulk.json_documents import Document, checked_id, decode, loads, parse_line
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.sources.file_texts import MAX_FILE_BYTES, FileText, extracted, kind_of
from es_simhash.ingestion.sources.source_format import HEAD_BYTES
from es_simhash.store.config import IndexConfig
from es_simhash.text.limits import MAX_TEXT_BYTES, MEBIBYTE, require_text_size


@dataclass(frozen=True)
class BatchLimits:
    """How large a batch becomes.

    A batch is one bulk request, and all that is held in memory of its documents.

    Attributes:
        documents: Most documents of a batch.
        bytes: Bytes after which a batch is closed.
    """

    documents: int = 1000
    bytes: int = 512 * 1024


@dataclass(frozen=True)
class Checkpoint:
    """How far a source was read.

    Attributes:
        source: Absolute path of the file or folder.
        done: Bytes of a file, files of a folder.
        lines: Lines of a file, or records of one of another format.
        state: Checksum of what was read: of the bytes of a file of lines, of the records, of the
            names, sizes and modification times of text files. When it differs, the source has
            changed.
    """

    source: str
    done: int
    lines: int
    state: str


@dataclass(frozen=True)
class Lines:
    """Whole lines of JSON.

    Attributes:
        name: Name of the source.
        first: Number of the first line.
        data: The lines.
        checkpoint: How far the source is read after them; None when it cannot be resumed.
    """

    name: str
    first: int
    data: bytes
    checkpoint: Checkpoint | None = None

    @property
    def size(self) -> int:
        """Bytes read."""
        return len(self.data)

    def documents(self, config: IndexConfig) -> Iterator[Document | Failure]:
        """Yield the document of each line that is not blank."""
        for position, line in self.json():
            yield parse_line(line, position, config)

    def json(self) -> Iterator[tuple[int, bytes]]:
        """Yield position and content of each line that is not blank."""
        for position, line in enumerate(self.data.split(b"\n")):
            if line and not line.isspace():
                yield position, line

    def location(self, position: int) -> tuple[str, int | None]:
        """Return file and line of a document."""
        return self.name, self.first + position

    def original(self, position: int) -> bytes | None:
        """Return the line."""
        return self.data.split(b"\n")[position]


@dataclass(frozen=True)
class Records:
    """Records of a file, each as JSON.

    Attributes:
        name: Name of the file.
        places: Number of the line or row of each; None for the file itself.
        lines: JSON of each; of one that could not be read, its bytes as they are.
        reasons: Why those could not be read, by their positions.
        size: Bytes of the file that were read since the batch before.
        checkpoint: How far the file is read after them; None when it cannot be resumed.
    """

    name: str
    places: tuple[int | None, ...]
    lines: tuple[bytes, ...]
    reasons: Mapping[int, str]
    size: int
    checkpoint: Checkpoint | None = None

    def documents(self, config: IndexConfig) -> Iterator[Document | Failure]:
        """Yield the document of each."""
        for position, line in enumerate(self.lines):
            if position in self.reasons:
                yield Failure(position, None, self.reasons[position])
            else:
                yield parse_line(line, position, config)

    def json(self) -> Iterator[tuple[int, bytes]]:
        """Yield position and content of each that could be read."""
        for position, line in enumerate(self.lines):
            if position not in self.reasons:
                yield position, line

    def location(self, position: int) -> tuple[str, int | None]:
        """Return file and line or row."""
        return self.name, self.places[position]

    def original(self, position: int) -> bytes | None:
        """Return what was read."""
        return self.lines[position] or None


@dataclass(frozen=True)
class Unreadable:
    """One document that is no line of JSON: too long for the memory, or of other objects."""

    name: str
    first: int
    size: int
    reason: str
    checkpoint: Checkpoint | None = None

    def documents(self, config: IndexConfig) -> Iterator[Document | Failure]:
        """Yield the failure."""
        yield Failure(0, None, self.reason)

    def location(self, position: int) -> tuple[str, int | None]:
        """Return file and line."""
        return self.name, self.first

    def original(self, position: int) -> bytes | None:
        """Return None: the document is not held."""
        return None


@dataclass(frozen=True)
class Texts:
    """Text files of one folder; the id is the path below it."""

    folder: str
    names: tuple[str, ...]
    size: int
    checkpoint: Checkpoint | None = None

    def documents(self, config: IndexConfig) -> Iterator[Document | Failure]:
        """Yield the document of each file."""
        for position, name in enumerate(self.names):
            try:
                id = checked_id(name, "name of the file")
            except InputError as error:
                yield Failure(position, None, str(error))
                continue
            yield self._document(position, id, config)

    def _document(self, position: int, id: str, config: IndexConfig) -> Document | Failure:
        try:
            found = _text_of_file(Path(self.folder, id))
        except (InputError, MissingExtra) as error:
            return Failure(position, id, str(error))
        # Of several fields the last is the text itself, after a title.
        fields: dict[str, object] = {config.text_fields[-1]: found.text}
        if found.pages is not None:
            fields["pages"] = found.pages
        content = json.dumps(fields)
        return Document(position, id, found.text, content.encode(), content)

    def location(self, position: int) -> tuple[str, int | None]:
        """Return the file."""
        return str(Path(self.folder, self.names[position])), None

    def original(self, position: int) -> bytes | None:
        """Return None: the document is the file."""
        return None


def _text_of_file(path: Path) -> FileText:
    try:
        with path.open("rb") as stream:
            kind = kind_of(path.name, stream.read(HEAD_BYTES))
            limit = MAX_TEXT_BYTES if kind is None else MAX_FILE_BYTES
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise InputError(
                    f"The file has {size / MEBIBYTE:.1f} MiB, more than the limit of "
                    f"{limit // MEBIBYTE}. Split it into parts."
                )
            stream.seek(0)
            content = stream.read()
    except OSError as error:
        raise InputError(f"The file cannot be read ({error.strerror}).") from error
    found = FileText(decode(content)) if kind is None else extracted(kind, content)
    require_text_size(found.text)
    return found


# Some documents of one source, in order.
Batch = Lines | Records | Unreadable | Texts


class Source(Protocol):
    """What batches are read from; one that cannot resume has no checkpoints."""

    @property
    def name(self) -> str:
        """Its name, which checkpoints have."""

    @property
    def can_resume(self) -> bool:
        """Whether it can be read again."""

    def size(self) -> int | None:
        """Return its bytes; None where they are not known."""

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield its documents, those after a checkpoint alone."""

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Check whether what was read up to a checkpoint is the same."""


def location_text(batch: Batch, position: int) -> str:
    """Return where a document was read, as file:line or file."""
    file, line = batch.location(position)
    return file if line is None else f"{file}:{line}"


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
