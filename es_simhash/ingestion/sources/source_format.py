"""What a format of files is: a plug-in needs this module alone."""

import codecs
import difflib
import gzip
import io
import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple, Protocol

from es_simhash.errors import InputError, MissingExtra
from es_simhash.text.escaping import one_line

# Bytes of a file that formats are recognised by.
HEAD_BYTES = 1 << 16
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BUFFER_BYTES = 1 << 18
# So few that what they unpack to fits in memory, whatever they are: a block of four bytes may be
# 128 KiB, a frame is that many blocks (https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.2.4).
_PACKED_BYTES = 1 << 10


class Record(NamedTuple):
    """A document of a file, or why it could not be read.

    Attributes:
        place: Number of its line or row in the file, from 1; None for the file itself.
        document: The document as an object, or as the bytes of one in JSON; where it could not be
            read, its bytes as they are, or None.
        reason: Why it could not be read, as one sentence; None for a document.
    """

    place: int | None
    document: Mapping[str, Any] | bytes | None
    reason: str | None = None


class SourceFormat(Protocol):
    """A format of files.

    One of another package is found by an entry point of the group `es_simhash.sources`, whose
    object has these members.

    Attributes:
        name: What `--input-format` calls it.
        suffixes: Endings of names, with the dot and in lower case.
    """

    name: str
    suffixes: tuple[str, ...]

    def recognises(self, head: bytes) -> bool:
        """Check whether the first bytes of a file can only be of this format."""

    def records(self, file: "SourceFile") -> Iterator[Record]:
        """Yield what the file has, in order, always the same for the same bytes.

        What cannot be read is yielded with its reason, and the rest follows.

        Raises:
            InputError: Nothing more of the file can be read.
        """


class _Counted(io.RawIOBase):
    """A stream whose bytes are counted when they are read."""

    def __init__(self, stream: Any, count: Callable[[int], None] = lambda size: None) -> None:
        self._stream, self._count = stream, count
        # What there is, also where the next read would fail.
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Zstd(io.RawIOBase):
    """An unpacked stream; the library's own takes a file that is cut off for one that ends."""

    def __init__(self, stream: Any, library: Any) -> None:
        self._stream, self._library = stream, library
        # One for each frame; None between two.
        self._frame: Any = None
        self._packed = b""
        self._unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._unpacked:
            packed = self._packed or self._stream.read(_PACKED_BYTES)
            self._packed = b""
            if not packed:
                if self._frame is not None:
                    raise EOFError("it ends before the end of its frame")
                return 0
            self._frame = self._frame or self._library.decompressobj()
            self._unpacked = memoryview(self._frame.decompress(packed))
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        data, self._unpacked = self._unpacked[: len(buffer)], self._unpacked[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class SourceFile:
    """A file that documents are read from, unpacked if it is packed with gzip or zstd.

    Args:
        name: Its name in messages.
        opened: Opens its bytes as they are.
        renamed: Field of each column that has another name.

    Attributes:
        done: Bytes that were read since it was opened, as they are in the file.
        is_packed: Whether it is, since it was opened.
    """

    def __init__(
        self, name: str, opened: Callable[[], BinaryIO], renamed: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.renamed = dict(renamed or {})
        self.done = 0
        self.is_packed = False
        self._opened = opened

    def open(self) -> "io.BufferedReader[Any]":
        """Return its unpacked bytes from the start.

        Raises:
            InputError: It cannot be read.
        """
        self.done = 0
        try:
            raw = io.BufferedReader(_Counted(self._opened(), self._count), _BUFFER_BYTES)
            head = raw.peek(len(_ZSTD))
        except OSError as error:
            raise unreadable(self.name, error) from error
        stream = unpacked(raw, head, self.name)
        self.is_packed = stream is not raw
        return stream

    def _count(self, size: int) -> None:
        self.done += size

    def require_columns(self, columns: Collection[str]) -> None:
        """Check that the file has the columns that are renamed, and no two of one name.

        Raises:
            InputError: It has not.
        """
        for column, field in self.renamed.items():
            if column not in columns:
                raise InputError(f"The file has no column {column!r}{nearest(column, columns)}.")
            if field in columns and field not in self.renamed:
                raise InputError(
                    f"The file has a column {field!r} besides {column!r}, which is to be field "
                    f"{field!r}. Map {field!r} to another field."
                )
        if twice := sorted({name for name in columns if list(columns).count(name) > 1}):
            raise InputError(f"The file has two columns {twice[0]!r}. Rename one.")


def is_wide(head: bytes) -> bool:
    """Check whether the first bytes of a file say that it is UTF-16."""
    return head.startswith(_WIDE_MARKS)


def require_narrow(head: bytes) -> None:
    """Check that a file is not UTF-16.

    Raises:
        InputError: Its first bytes say so.
    """
    if is_wide(head):
        raise InputError("The file is UTF-16. Convert it to UTF-8, for example with iconv.")


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the end of a sentence about a missing name: the nearest, or the first that are there.

    >>> nearest("txt", ["id", "text"])
    "; did you mean 'text'"
    """
    names = list(names)
    if close := difflib.get_close_matches(name, names, n=1, cutoff=0.5):
        return f"; did you mean {close[0]!r}"
    return f"; it has {', '.join(map(repr, names[:10]))}" if names else ""


def unreadable(name: str, error: Exception) -> InputError:
    """Return the error for a file that the system, or another host, does not let us read."""
    reason = getattr(error, "strerror", None) or one_line(str(error)) or type(error).__name__
    return InputError(f"{name} cannot be read ({reason}).")


def unpacked(raw: "io.BufferedReader[Any]", head: bytes, name: str) -> "io.BufferedReader[Any]":
    """Return a stream of what a stream has, unpacked if it is packed.

    Args:
        raw: The stream.
        head: Its first bytes, which it still has.
        name: Its name in messages.

    Raises:
        MissingExtra: It is packed with zstd, and the package for that is missing.
    """
    if head.startswith(_GZIP):
        # What could be unpacked is read also where the file is damaged after it.
        return io.BufferedReader(_Counted(gzip.GzipFile(fileobj=raw)), _BUFFER_BYTES)
    if head.startswith(_ZSTD):
        try:
            import zstandard
        except ImportError as error:
            need = f"{name} is packed with zstd, which needs zstandard"
            raise MissingExtra.of("files", need) from error
        return io.BufferedReader(_Zstd(raw, zstandard.ZstdDecompressor()), _BUFFER_BYTES)
    return raw


def damage_errors() -> tuple[type[Exception], ...]:
    """Return what is raised by reading a packed file that is damaged or cut off."""
    kinds = (EOFError, zlib.error, gzip.BadGzipFile)
    try:
        import zstandard
    except ImportError:
        return kinds
    return (*kinds, zstandard.ZstdError)


def without_packing(name: str) -> str:
    """Return a name without the ending that says how the file is packed, in lower case."""
    name = name.lower()
    for suffix in (".gz", ".zst", ".zstd"):
        name = name.removesuffix(suffix)
    return name
