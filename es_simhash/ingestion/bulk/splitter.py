"""Streams of JSON lines, and documents of a program, split into batches."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO
from zlib import crc32

from es_simhash.ingestion.bulk.document_batches import (
    Batch,
    BatchLimits,
    Checkpoint,
    Lines,
    Unreadable,
)
from es_simhash.ingestion.sources.lines_of_file import LONGEST_LINE, too_long
from es_simhash.store.elasticsearch.client import json_value

# Stands for the name of the file in locations.
DOCUMENTS = "documents"


@dataclass
class Position:
    """How far a stream was read.

    Attributes:
        source: Name of its checkpoints; None for a stream that can be read only once.
        done: Bytes.
        lines: Lines.
        checksum: CRC-32 of these bytes, which can be continued from a checkpoint.
    """

    source: str | None = None
    done: int = 0
    lines: int = 0
    checksum: int = 0

    @classmethod
    def of_checkpoint(cls, checkpoint: Checkpoint) -> "Position":
        """Return the position that `checkpoint` returned."""
        checksum = int(checkpoint.state, 16)
        return cls(checkpoint.source, checkpoint.done, checkpoint.lines, checksum)

    def advance(self, data: bytes) -> None:
        """Take in what was read."""
        self.done += len(data)
        self.lines += data.count(b"\n")
        if self.source is not None:
            self.checksum = crc32(data, self.checksum)

    def checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint; None for a stream that can be read only once."""
        if self.source is None:
            return None
        return Checkpoint(self.source, self.done, self.lines, f"{self.checksum:08x}")


def split_lines(
    stream: BinaryIO, name: str, limits: BatchLimits, position: Position | None = None
) -> Iterator[Batch]:
    """Yield batches of whole lines.

    Args:
        stream: What to read.
        name: Name of the stream in messages.
        limits: How large a batch becomes.
        position: Where the stream is; by default at its start, and it can be read only once.
    """
    position = position or Position()
    while data := stream.read(limits.bytes):
        if not data.endswith(b"\n"):
            data += stream.readline(LONGEST_LINE)
        if len(data) >= LONGEST_LINE and not data.endswith(b"\n"):
            end = data.rfind(b"\n") + 1
            if end:
                yield _lines_of(name, data[:end], position)
            line, start = position.lines + 1, position.done
            position.advance(data[end:])
            _skip_line(stream, position)
            position.lines = line  # also when the end of the stream ends it
            size = position.done - start
            yield _too_long(name, line, size, position.checkpoint())
            continue
        for part in _at_most(data, limits.documents):
            yield _lines_of(name, part, position)


def _lines_of(name: str, data: bytes, position: Position) -> Lines:
    """Return a batch of lines, after which the stream is."""
    first = position.lines + 1
    position.advance(data)
    return Lines(name, first, data, position.checkpoint())


def _too_long(name: str, line: int, size: int, checkpoint: Checkpoint | None) -> Unreadable:
    return Unreadable(name, line, size, too_long(size), checkpoint)


def _skip_line(stream: BinaryIO, position: Position) -> None:
    """Read to the end of a line."""
    while part := stream.readline(1 << 20):
        position.advance(part)
        if part.endswith(b"\n"):
            break


def _at_most(data: bytes, documents: int) -> Iterator[bytes]:
    """Yield parts of at most so many lines."""
    if data.count(b"\n") <= documents:
        yield data
        return
    lines = data.splitlines(keepends=True) if b"\r" not in data else _lines(data)
    for start in range(0, len(lines), documents):
        yield b"".join(lines[start : start + documents])


def _lines(data: bytes) -> list[bytes]:
    """Lines that end with a line feed; `splitlines` would end them at a carriage return too."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def split_documents(documents: Iterable[Mapping[str, Any]], limits: BatchLimits) -> Iterator[Batch]:
    """Yield batches of documents of a program, as lines of JSON.

    They are written in ASCII, in which an unpaired surrogate is an escape like any other.
    """
    lines: list[bytes] = []
    size, first = 0, 1
    for document in documents:
        line = _line(document)
        if isinstance(line, bytes):
            lines.append(line)
            size += len(line)
        if lines and (
            isinstance(line, str) or len(lines) >= limits.documents or size >= limits.bytes
        ):
            yield Lines(DOCUMENTS, first, b"\n".join(lines))
            first, size, lines = first + len(lines), 0, []
        if isinstance(line, str):
            yield Unreadable(DOCUMENTS, first, 0, line)
            first += 1
    if lines:
        yield Lines(DOCUMENTS, first, b"\n".join(lines))


def _line(document: Mapping[str, Any]) -> bytes | str:
    """Return the JSON of a document, or the reason why it has none."""
    try:
        return json.dumps(document, default=_default, separators=(",", ":")).encode("ascii")
    except Exception as error:  # whatever the methods of the caller's objects raise
        return f"The document cannot be written as JSON ({error})."


def _default(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return json_value(value)
