"""Files, folders and standard input as batches of bytes; nothing is parsed here."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from es_simhash.bulk.batches import LONGEST_LINE, Batch, Lines, Mark, Texts, Unreadable
from es_simhash.engine.connection import json_value
from es_simhash.errors import InputError
from es_simhash.text.limits import MEBIBYTE

PATTERNS = ("*.txt", "*.md")
STANDARD_INPUT = "-"
# What documents of a program are called where those of files have the name of the file.
DOCUMENTS = "documents"

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Limits:
    """How large a batch becomes.

    A batch is one bulk request, and all that is held in memory of its documents.

    Attributes:
        documents: Most documents of a batch.
        bytes: Bytes after which a batch is closed.
    """

    documents: int = 1000
    bytes: int = 512 * 1024


class Source(Protocol):
    """Something that batches are read from."""

    @property
    def name(self) -> str:
        """Absolute path, under which the journal keeps how far it was read."""

    def size(self) -> int | None:
        """Bytes in all; None when that cannot be known."""

    def batches(self, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        """Yield batches, from the mark on when the source is still as it was."""


@dataclass(frozen=True)
class _File:
    """What the sources that are one file have in common."""

    path: Path

    @property
    def name(self) -> str:
        """Absolute path."""
        return str(self.path.resolve())

    def size(self) -> int:
        """Bytes of the file."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class JsonLines(_File):
    """A file of JSON objects, one a line."""

    def batches(self, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        """Yield whole lines."""
        try:
            with self.path.open("rb") as stream:
                if stream.read(len(_GZIP)) == _GZIP:
                    raise InputError(
                        f"{self.path} is compressed; unpack it, or use zcat {self.path} | "
                        "es-simhash ingest INDEX -"
                    )
                yield from self._from(stream, limits, start)
        except OSError as error:
            raise InputError(f"{self.path} cannot be read ({error.strerror}).") from error

    def _from(self, stream: BinaryIO, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        state = _look(os.fstat(stream.fileno()))
        done, lines = (start.done, start.lines) if start and start.state == state else (0, 0)
        stream.seek(done)

        def mark(read: int, count: int) -> Mark:
            return Mark(self.name, done + read, lines + count, state)

        yield from cut_lines(stream, str(self.path), limits, lines + 1, mark)


@dataclass(frozen=True)
class StandardInput:
    """JSON objects, one a line, that can be read only once."""

    stream: BinaryIO
    name: str = "standard input"

    def size(self) -> None:
        """Nobody knows."""
        return

    def batches(self, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        """Yield whole lines."""
        return cut_lines(self.stream, self.name, limits, 1, lambda read, count: None)


@dataclass(frozen=True)
class TextFolder:
    """All files of a folder, and those below it, that have a name of a text file."""

    path: Path
    patterns: tuple[str, ...] = PATTERNS

    @property
    def name(self) -> str:
        """Absolute path."""
        return str(self.path.resolve())

    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size, _ in self._files())

    def batches(self, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        """Yield groups of files; the workers read them."""
        done = start.done if start and self._unchanged_until(start) else 0
        digest = hashlib.sha256()
        names: list[str] = []
        size = count = 0
        for count, (name, bytes_of_file, look) in enumerate(self._files(), 1):
            digest.update(_entry(name, look))
            if count <= done:
                continue
            names.append(name)
            size += bytes_of_file
            if len(names) >= limits.documents or size >= limits.bytes:
                mark = Mark(self.name, count, 0, digest.hexdigest())
                yield Texts(str(self.path), tuple(names), size, mark)
                names, size = [], 0
        if names:
            mark = Mark(self.name, count, 0, digest.hexdigest())
            yield Texts(str(self.path), tuple(names), size, mark)

    def _unchanged_until(self, mark: Mark) -> bool:
        """True when the files that are done are the same files as then."""
        digest = hashlib.sha256()
        for name, _, look in islice(self._files(), mark.done):
            digest.update(_entry(name, look))
        return digest.hexdigest() == mark.state

    def _files(self) -> Iterator[tuple[str, int, str]]:
        """Path below the folder, bytes, and look of each file, always in the same order."""
        for folder, folders, files in os.walk(self.path, onerror=_refuse):
            folders.sort()
            for file in sorted(files):
                if any(fnmatch(file, pattern) for pattern in self.patterns):
                    path = Path(folder, file)
                    yield path.relative_to(self.path).as_posix(), *_size_and_look(path)


@dataclass(frozen=True)
class TextFile(_File):
    """One text file; its id is its name."""

    def batches(self, limits: Limits, start: Mark | None) -> Iterator[Batch]:
        """Yield the file, unless it is done."""
        size, look = _size_and_look(self.path)
        if start is None or start.state != look:
            mark = Mark(self.name, 1, 0, look)
            yield Texts(str(self.path.parent), (self.path.name,), size, mark)


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename} cannot be read ({error.strerror}).") from error


def _look(stat: os.stat_result) -> str:
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def _size_and_look(path: Path) -> tuple[int, str]:
    """A file that has gone meanwhile is left to the worker, which says so."""
    try:
        stat = path.stat()
    except OSError:
        return 0, "unreadable"
    return stat.st_size, _look(stat)


def _entry(name: str, look: str) -> bytes:
    return f"{name}\0{look}\n".encode("utf-8", "surrogateescape")


def open_sources(
    paths: Sequence[str | Path], stream: BinaryIO, patterns: tuple[str, ...] = PATTERNS
) -> list[Source]:
    """Return the sources that paths name, each once.

    Args:
        paths: JSONL files, text files, at most one folder of text files, `-`.
        stream: What `-` stands for.
        patterns: Names of the text files of a folder.

    Raises:
        InputError: A path does not exist, or there are two folders, whose ids could collide.
    """
    sources = [_source(each, stream, patterns) for each in dict.fromkeys(map(str, paths))]
    folders = [each for each in sources if isinstance(each, TextFolder)]
    if len(folders) > 1:
        raise InputError(
            f"{folders[0].path} and {folders[1].path} are two folders, and the ids are paths below "
            "a folder; ingest one at a time, or the folder they lie in."
        )
    return sources


def _source(path: str, stream: BinaryIO, patterns: tuple[str, ...]) -> Source:
    if path == STANDARD_INPUT:
        return StandardInput(stream)
    found = Path(path)
    if found.is_dir():
        return TextFolder(found, patterns)
    if not found.exists():
        raise InputError(f"{path} does not exist; give JSONL files, a folder of texts, or -.")
    is_text = any(fnmatch(found.name, pattern) for pattern in patterns)
    return TextFile(found) if is_text else JsonLines(found)


def cut_lines(
    stream: BinaryIO,
    name: str,
    limits: Limits,
    first: int,
    mark: Callable[[int, int], Mark | None],
) -> Iterator[Batch]:
    """Cut a stream into batches of whole lines.

    Args:
        stream: What to read.
        name: How to call it in messages.
        limits: How large a batch becomes.
        first: Number of the first line.
        mark: Gives the mark for bytes and lines read.
    """
    read = count = 0
    while data := stream.read(limits.bytes):
        if not data.endswith(b"\n"):
            data += stream.readline(LONGEST_LINE)
        if len(data) >= LONGEST_LINE and not data.endswith(b"\n"):
            size = len(data) + _skip_line(stream)
            yield from _split_endless(data, size, name, first, (read, count), mark)
            read, count = read + size, count + data.count(b"\n") + 1
            continue
        for part in _at_most(data, limits.documents):
            read, lines = read + len(part), part.count(b"\n")
            yield Lines(name, first + count, part, mark(read, count + lines))
            count += lines


def _split_endless(
    data: bytes,
    size: int,
    name: str,
    first: int,
    before: tuple[int, int],
    mark: Callable[[int, int], Mark | None],
) -> Iterator[Batch]:
    """Whole lines that stand before an endless one, then that one."""
    read, count = before
    end = data.rfind(b"\n") + 1
    lines = data.count(b"\n")
    if end:
        yield Lines(name, first + count, data[:end], mark(read + end, count + lines))
    reason = (
        f"The line has {(size - end) / MEBIBYTE:.1f} MiB, more than the {LONGEST_LINE // MEBIBYTE} "
        "that are read; split the document into parts."
    )
    last = mark(read + size, count + lines + 1)
    yield Unreadable(name, first + count + lines, size - end, reason, last)


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while part := stream.readline(1 << 20):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def _at_most(data: bytes, documents: int) -> Iterator[bytes]:
    if data.count(b"\n") <= documents:
        yield data
        return
    lines = data.splitlines(keepends=True) if b"\r" not in data else _lines(data)
    for start in range(0, len(lines), documents):
        yield b"".join(lines[start : start + documents])


def _lines(data: bytes) -> list[bytes]:
    """Lines that end with a line feed; `splitlines` would end them at a carriage return too."""
    lines = [each + b"\n" for each in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def of_documents(documents: Iterable[Mapping[str, Any]], limits: Limits) -> Iterator[Batch]:
    """Cut documents of a program into batches, as lines of JSON.

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
