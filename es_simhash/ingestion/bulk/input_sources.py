"""Files, folders and standard input as batches; nothing is parsed here."""

import hashlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import (
    Batch,
    BatchLimits,
    Checkpoint,
    Source,
    Texts,
)
from es_simhash.ingestion.bulk.splitter import Position, split_lines
from es_simhash.ingestion.sources.file_texts import kind_of
from es_simhash.ingestion.sources.formats import JSON_LINES, format_called, recognised
from es_simhash.ingestion.sources.record_file import RecordFile
from es_simhash.ingestion.sources.remote_files import RemoteFile, is_remote
from es_simhash.ingestion.sources.source_format import (
    HEAD_BYTES,
    SourceFile,
    SourceFormat,
    damage_errors,
    nearest,
    unpacked,
    unreadable,
)

PATTERNS = ("*.txt", "*.md", "*.html", "*.htm", "*.pdf", "*.docx")
STANDARD_INPUT = "-"

_READ_BYTES = 1 << 20


@dataclass(frozen=True)
class SourceOptions:
    """How sources are read.

    Attributes:
        patterns: Glob pattern of the text files of a folder.
        input_format: Format of the files; None for what name and content of each say.
        renamed: Field of each column that has another name.
    """

    patterns: tuple[str, ...] = PATTERNS
    input_format: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


DEFAULT_OPTIONS = SourceOptions()


def parsed_map(maps: Sequence[str]) -> dict[str, str]:
    """Return the field of each column, of pairs such as `text=Content`.

    Raises:
        InputError: A pair is none, or two name one column or one field.
    """
    renamed: dict[str, str] = {}
    for pair in maps:
        name, equals, column = pair.partition("=")
        if not name or not equals or not column:
            raise InputError(
                f"maps must be FIELD=COLUMN, got {pair!r}. Write text=Content, for example.",
                parameter="maps",
            )
        if column in renamed or name in renamed.values():
            twice = column if column in renamed else name
            raise InputError(f"maps names {twice!r} twice. Name it once.", parameter="maps")
        renamed[column] = name
    return renamed


@dataclass(frozen=True)
class _File:
    """A source that is one file."""

    path: Path
    can_resume: ClassVar[bool] = True

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

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield whole lines."""
        try:
            with self.path.open("rb") as stream:
                yield from self._from(stream, limits, start)
        except OSError as error:
            raise InputError(f"{self.path} cannot be read ({error.strerror}).") from error

    def _from(
        self, stream: BinaryIO, limits: BatchLimits, start: Checkpoint | None
    ) -> Iterator[Batch]:
        position = Position(self.name) if start is None else Position.of_checkpoint(start)
        stream.seek(position.done)
        yield from split_lines(stream, str(self.path), limits, position)

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Check whether the bytes up to a checkpoint are the same; the file may have grown.

        A last line that had no end then, and goes on now, has changed.
        """
        position, last = Position(self.name), b"\n"
        try:
            with self.path.open("rb") as stream:
                while position.done < checkpoint.done:
                    data = stream.read(min(_READ_BYTES, checkpoint.done - position.done))
                    if not data:
                        return False
                    position.advance(data)
                    last = data[-1:]
                goes_on = last != b"\n" and stream.read(1) not in (b"", b"\n")
        except OSError as error:
            raise InputError(f"{self.path} cannot be read ({error.strerror}).") from error
        current = position.checkpoint()
        return not goes_on and current is not None and current.state == checkpoint.state


@dataclass(frozen=True)
class StandardInput:
    """Documents that can be read only once, of any format that can be read from its start on.

    Attributes:
        stream: What is read.
        name: Its name in messages.
        options: How it is read.
        begun: Its batches, where somebody has begun to read; None where nobody has.
    """

    stream: BinaryIO
    name: str = "standard input"
    options: SourceOptions = DEFAULT_OPTIONS
    begun: Iterator[Batch] | None = None
    can_resume: ClassVar[bool] = False

    def size(self) -> None:
        """Return None: it is not known."""
        return

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Return False: what was read is gone."""
        return False

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield whole lines, or the records of another format."""
        if self.begun is not None:
            yield from self.begun
            return
        first = self.stream.read(limits.bytes)
        raw = io.BufferedReader(_Continued(first, self.stream), _READ_BYTES)
        text = unpacked(raw, first, self.name)
        options = self.options
        file_format = _format_of(options, "", text.peek(HEAD_BYTES) if first else b"")
        if text is raw and file_format is JSON_LINES and not options.renamed:
            yield from split_lines(raw, self.name, limits)
            return
        file = SourceFile(self.name, lambda: text, options.renamed)
        source = RecordFile(self.name, file, file_format, None, can_resume=False)
        yield from source.batches(limits, start)


class _Continued(io.RawIOBase):
    """A stream of which the first bytes were read already."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._first, self._stream = first, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._first[: len(buffer)] or self._stream.read(len(buffer))
        self._first = self._first[len(data) :]
        buffer[: len(data)] = data
        return len(data)


def _format_of(options: SourceOptions, name: str, head: bytes) -> SourceFormat:
    if options.input_format is not None:
        return format_called(options.input_format)
    return recognised(name, head)


@dataclass(frozen=True)
class TextFolder:
    """The text files of a folder and of the folders below it, known by their names."""

    path: Path
    patterns: tuple[str, ...] = PATTERNS
    can_resume: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Absolute path."""
        return str(self.path.resolve())

    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size, _ in self._files())

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield groups of files; the workers read them."""
        done = 0 if start is None else start.done
        digest = hashlib.sha256()
        names: list[str] = []
        size = count = 0
        for count, (name, bytes_of_file, state) in enumerate(self._files(), 1):
            digest.update(_entry(name, state))
            if count <= done:
                continue
            names.append(name)
            size += bytes_of_file
            if len(names) >= limits.documents or size >= limits.bytes:
                checkpoint = Checkpoint(self.name, count, 0, digest.hexdigest())
                yield Texts(str(self.path), tuple(names), size, checkpoint)
                names, size = [], 0
        if names:
            checkpoint = Checkpoint(self.name, count, 0, digest.hexdigest())
            yield Texts(str(self.path), tuple(names), size, checkpoint)

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Check whether the files that are done are the same as then."""
        digest = hashlib.sha256()
        for name, _, state in islice(self._files(), checkpoint.done):
            digest.update(_entry(name, state))
        return digest.hexdigest() == checkpoint.state

    def _files(self) -> Iterator[tuple[str, int, str]]:
        """Yield path below the folder, bytes and state of each file, always in the same order."""
        for folder, folders, files in os.walk(self.path, onerror=_raise):
            folders.sort()
            for file in sorted(files):
                if any(fnmatch(file, pattern) for pattern in self.patterns):
                    path = Path(folder, file)
                    yield path.relative_to(self.path).as_posix(), *_size_and_state(path)


@dataclass(frozen=True)
class TextFile(_File):
    """One text file; its id is its name."""

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield the file, unless it is done already."""
        size, state = _size_and_state(self.path)
        if start is None:
            checkpoint = Checkpoint(self.name, 1, 0, state)
            yield Texts(str(self.path.parent), (self.path.name,), size, checkpoint)

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Check whether size and modification time are the same."""
        return _size_and_state(self.path)[1] == checkpoint.state


def _raise(error: OSError) -> None:
    raise InputError(f"{error.filename} cannot be read ({error.strerror}).") from error


def _state(stat: os.stat_result) -> str:
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def _size_and_state(path: Path) -> tuple[int, str]:
    """Return size and state of a file; one that is gone meanwhile is left to the worker."""
    try:
        stat = path.stat()
    except OSError:
        return 0, "unreadable"
    return stat.st_size, _state(stat)


def _entry(name: str, state: str) -> bytes:
    return f"{name}\0{state}\n".encode("utf-8", "surrogateescape")


def open_sources(
    paths: Sequence[str | Path], stream: BinaryIO, options: SourceOptions = DEFAULT_OPTIONS
) -> list[Source]:
    """Return the sources that paths name, each once.

    Args:
        paths: Files of any format, text files, at most one folder of text files, `-`.
        stream: Standard input, which `-` names.
        options: How they are read.

    Raises:
        InputError: A path does not exist, a format is unknown, or there are two folders, whose ids
            could collide.
    """
    sources = [_source(path, stream, options) for path in dict.fromkeys(map(str, paths))]
    folders = [source for source in sources if isinstance(source, TextFolder)]
    if len(folders) > 1:
        raise InputError(
            f"{folders[0].path} and {folders[1].path} are two folders, whose ids could collide. "
            "Ingest one at a time, or the folder above both."
        )
    return sources


def _source(path: str, stream: BinaryIO, options: SourceOptions) -> Source:
    if path == STANDARD_INPUT:
        return StandardInput(stream, options=options)
    if is_remote(path):
        remote = RemoteFile(path)
        file_at = SourceFile(path, remote.open, options.renamed)
        return RecordFile(path, file_at, _format_of(options, path, _head(file_at)), remote.size)
    file = Path(path)
    if file.is_dir():
        return TextFolder(file, options.patterns)
    if not file.exists():
        raise InputError(
            f"{path} does not exist{nearest(path, _siblings(file))}. Name files, a folder of "
            "texts, or -."
        )
    if options.input_format is None and any(fnmatch(file.name, each) for each in options.patterns):
        return TextFile(file)
    return _file_source(file, options)


def _siblings(file: Path) -> list[str]:
    try:
        return [str(file.with_name(each.name)) for each in islice(file.parent.iterdir(), 1000)]
    except OSError:
        return []


def _file_source(path: Path, options: SourceOptions) -> Source:
    """Return the source of a file; JSON lines that need no change are read by whole batches."""
    name = str(path)
    file = SourceFile(name, lambda: path.open("rb"), options.renamed)
    head = _head(file)
    is_plain = not file.is_packed
    if options.input_format is None and is_plain and kind_of(name, head) is not None:
        return TextFile(path)
    file_format = _format_of(options, name, head)
    if file_format is JSON_LINES and is_plain and not options.renamed:
        return JsonLines(path)
    return RecordFile(str(path.resolve()), file, file_format, path.stat().st_size)


def _head(file: SourceFile) -> bytes:
    """Return the first unpacked bytes of a file; none where it is damaged, which reading it says.

    Raises:
        InputError: It cannot be read.
    """
    with file.open() as stream:
        try:
            return stream.read(HEAD_BYTES)
        except damage_errors():
            return b""
        except OSError as error:
            raise unreadable(file.name, error) from error
