"""A file of any format as a source: batches of its records, from which an ended run resumes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any
from zlib import crc32

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Checkpoint, Records
from es_simhash.ingestion.bulk.json_documents import decode, loads
from es_simhash.ingestion.sources.source_format import (
    Record,
    SourceFile,
    SourceFormat,
    damage_errors,
    unreadable,
)
from es_simhash.store.elasticsearch.client import json_value


@dataclass(frozen=True)
class RecordFile:
    """A file of a format.

    Attributes:
        name: Absolute path or address.
        file: The file.
        format: Its format.
        file_bytes: Its size; None where that is not known.
        can_resume: Whether it can be read again.
    """

    name: str
    file: SourceFile
    format: SourceFormat
    file_bytes: int | None
    can_resume: bool = True

    def size(self) -> int | None:
        """Bytes of the file."""
        return self.file_bytes

    def batches(self, limits: BatchLimits, start: Checkpoint | None) -> Iterator[Batch]:
        """Yield records; those up to a checkpoint are read, and left out."""
        collected = _Collected(self, 0 if start is None else start.lines, _checksum(start))
        for line, record in islice(self._records(), collected.count, None):
            collected.add(line, record)
            if len(collected.lines) >= limits.documents or collected.bytes >= limits.bytes:
                yield collected.batch()
        if collected.lines:
            yield collected.batch()

    def is_unchanged(self, checkpoint: Checkpoint) -> bool:
        """Check whether the records up to a checkpoint are the same; the file may have grown."""
        count, checksum = 0, 0
        for line, _ in islice(self._records(), checkpoint.lines):
            count, checksum = count + 1, crc32(line, checksum)
        return count == checkpoint.lines and checksum == _checksum(checkpoint)

    def _records(self) -> Iterator[tuple[bytes, Record]]:
        """Yield the JSON of each record; of one that could not be read, its bytes as they are."""
        last = None
        try:
            for record in self.format.records(self.file):
                last = record.place
                yield self._written(record)
        except InputError as error:
            yield b"", Record(None, None, str(error))
        except damage_errors() as error:
            after = "" if last is None else f" after line {last}"
            yield b"", Record(None, None, f"The packed file is damaged{after} ({error}).")
        except OSError as error:
            raise unreadable(self.file.name, error) from error

    def _written(self, record: Record) -> tuple[bytes, Record]:
        document = record.document
        if record.reason is not None:
            return document if isinstance(document, bytes) else b"", record
        try:
            if isinstance(document, bytes):
                if not self.file.renamed:
                    return document, record
                document = _object(document)
            return json_of(self._renamed(document or {})), record
        except (InputError, TypeError, ValueError, RecursionError) as error:
            raw = record.document if isinstance(record.document, bytes) else b""
            reason = _without_json(document) or f"The record cannot be read ({error})."
            return raw, record._replace(reason=reason)

    def _renamed(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        renamed = self.file.renamed
        if not renamed:
            return document
        fields = {renamed.get(name, name): value for name, value in document.items()}
        if len(fields) < len(document):
            twice = next(name for name in renamed.values() if name in document)
            raise InputError(f"field {twice!r} is there besides the column that is mapped to it")
        return fields


def _object(line: bytes) -> Mapping[str, Any]:
    value = loads(decode(line))
    if not isinstance(value, dict):
        raise InputError(f"it holds a {type(value).__name__}, not an object")
    return value


def json_of(document: Mapping[str, Any]) -> bytes:
    """Return a document as JSON in one line; dates and the like as the client writes them.

    Raises:
        TypeError: It has a value that JSON has no form for.
        ValueError: It refers to itself.
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=json_value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # An unpaired surrogate is an escape like any other.
        return json.dumps(document, separators=(",", ":"), default=json_value).encode("ascii")


def _without_json(document: object) -> str | None:
    """Return the sentence that names a column with a value that JSON has no form for."""
    for name, value in document.items() if isinstance(document, Mapping) else ():
        try:
            json_of({"value": value})
        except TypeError:
            kind = type(value).__name__
            return f"Column {name!r} holds {kind}, which JSON has no form for. Leave it out."
        except (ValueError, RecursionError):
            return None
    return None


def _checksum(checkpoint: Checkpoint | None) -> int:
    return 0 if checkpoint is None else int(checkpoint.state, 16)


class _Collected:
    """Records that become a batch, and how far the file is read.

    Args:
        source: The file.
        count: Records of it that were read before.
        checksum: Checksum of these.
    """

    def __init__(self, source: RecordFile, count: int, checksum: int) -> None:
        self.count = count
        self._source, self._checksum, self._done = source, checksum, 0
        self._begin()

    def _begin(self) -> None:
        self.lines: list[bytes] = []
        self.bytes = 0
        self._places: list[int | None] = []
        self._reasons: dict[int, str] = {}

    def add(self, line: bytes, record: Record) -> None:
        if record.reason is not None:
            self._reasons[len(self.lines)] = record.reason
        self.lines.append(line)
        self._places.append(record.place)
        self.bytes += len(line)
        self.count += 1
        self._checksum = crc32(line, self._checksum)

    def batch(self) -> Records:
        """Return what was added since the last batch."""
        source, done = self._source, self._source.file.done
        size, self._done = done - self._done, done
        checkpoint = None
        if source.can_resume:
            checkpoint = Checkpoint(source.name, done, self.count, f"{self._checksum:08x}")
        places, lines = tuple(self._places), tuple(self.lines)
        batch = Records(source.file.name, places, lines, self._reasons, size, checkpoint)
        self._begin()
        return batch
