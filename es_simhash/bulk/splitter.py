"""Streams of JSON lines, and documents of a program, split into batches."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from es_simhash.bulk.batches import LONGEST_LINE, Batch, Checkpoint, Limits, Lines, Unreadable
from es_simhash.engine.connection import json_value
from es_simhash.text.limits import MEBIBYTE

# Stands for the name of the file in locations.
DOCUMENTS = "documents"

# Makes the checkpoint after so many bytes and lines.
Checkpoints = Callable[[int, int], Checkpoint | None]


def split_lines(
    stream: BinaryIO,
    name: str,
    limits: Limits,
    first: int = 1,
    checkpoint: Checkpoints = lambda read, lines: None,
) -> Iterator[Batch]:
    """Yield batches of whole lines.

    Args:
        stream: What to read.
        name: Of the stream in messages.
        limits: How large a batch becomes.
        first: Number of the first line.
        checkpoint: Makes the checkpoint after so many bytes and lines.
    """
    read = count = 0
    while data := stream.read(limits.bytes):
        if not data.endswith(b"\n"):
            data += stream.readline(LONGEST_LINE)
        if len(data) >= LONGEST_LINE and not data.endswith(b"\n"):
            end = data.rfind(b"\n") + 1
            if end:
                lines = data.count(b"\n")
                yield Lines(name, first + count, data[:end], checkpoint(read + end, count + lines))
                read, count = read + end, count + lines
            size = len(data) - end + _skip_line(stream)
            read, count = read + size, count + 1
            yield _too_long(name, first + count - 1, size, checkpoint(read, count))
            continue
        for part in _at_most(data, limits.documents):
            read, lines = read + len(part), part.count(b"\n")
            yield Lines(name, first + count, part, checkpoint(read, count + lines))
            count += lines


def _too_long(name: str, line: int, size: int, checkpoint: Checkpoint | None) -> Unreadable:
    reason = (
        f"The line has {size / MEBIBYTE:.1f} MiB, more than the limit of "
        f"{LONGEST_LINE // MEBIBYTE}. Split the document into parts."
    )
    return Unreadable(name, line, size, reason, checkpoint)


def _skip_line(stream: BinaryIO) -> int:
    """Read to the end of a line and return its bytes."""
    skipped = 0
    while part := stream.readline(1 << 20):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


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


def split_documents(documents: Iterable[Mapping[str, Any]], limits: Limits) -> Iterator[Batch]:
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
