"""Files, folders and standard input as batches; nothing is parsed here."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import BinaryIO, ClassVar

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Checkpoint, Texts
from es_simhash.ingestion.bulk.splitter import Position, split_lines

PATTERNS = ("*.txt", "*.md")
STANDARD_INPUT = "-"

_READ_BYTES = 1 << 20
_GZIP = b"\x1f\x8b"


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
                if stream.read(len(_GZIP)) == _GZIP:
                    raise InputError(
                        f"{self.path} is compressed. Unpack it, or use zcat {self.path} | "
                        "es-simhash ingest INDEX -"
                    )
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
    """JSON objects, one a line, that can be read only once.

    Attributes:
        stream: What is read.
        name: Its name in messages.
        begun: Its batches, where somebody has begun to read; None where nobody has.
    """

    stream: BinaryIO
    name: str = "standard input"
    begun: Iterator[Batch] | None = None
    can_resume: ClassVar[bool] = False

    def size(self) -> None:
        """Return None: it is not known."""
        return

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Return False: what was read is gone."""
        return False

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield whole lines."""
        return self.begun or split_lines(self.stream, self.name, limits)


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


# What batches are read from; those that cannot resume have no checkpoints.
Source = JsonLines | StandardInput | TextFolder | TextFile


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
    paths: Sequence[str | Path], stream: BinaryIO, patterns: tuple[str, ...] = PATTERNS
) -> list[Source]:
    """Return the sources that paths name, each once.

    Args:
        paths: JSONL files, text files, at most one folder of text files, `-`.
        stream: Standard input, which `-` names.
        patterns: Names of the text files of a folder.

    Raises:
        InputError: A path does not exist, or there are two folders, whose ids could collide.
    """
    sources = [_source(path, stream, patterns) for path in dict.fromkeys(map(str, paths))]
    folders = [source for source in sources if isinstance(source, TextFolder)]
    if len(folders) > 1:
        raise InputError(
            f"{folders[0].path} and {folders[1].path} are two folders, whose ids could collide. "
            "Ingest one at a time, or the folder above both."
        )
    return sources


def _source(path: str, stream: BinaryIO, patterns: tuple[str, ...]) -> Source:
    if path == STANDARD_INPUT:
        return StandardInput(stream)
    file = Path(path)
    if file.is_dir():
        return TextFolder(file, patterns)
    if not file.exists():
        raise InputError(f"{path} does not exist. Name JSONL files, a folder of texts, or -.")
    is_text = any(fnmatch(file.name, pattern) for pattern in patterns)
    return TextFile(file) if is_text else JsonLines(file)
