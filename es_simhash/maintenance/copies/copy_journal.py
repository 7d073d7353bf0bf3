"""The journal of a search for copies: what was aligned, so that an interrupted run resumes.

A line for each pair of texts, under the versions of the two documents: what was changed since is
aligned again, and a run that resumes returns what one without a journal does.
"""

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile, LockFile
from es_simhash.ingestion.bulk.journal_job import Job, difference_of
from es_simhash.relation.references import DocumentVersion

_FORMAT = "es-simhash copies 1"
# How the first line begins.
_HEAD = json.dumps({"format": _FORMAT}).encode()[:-1]
_logger = logging.getLogger(__name__)

Record = dict[str, Any]


class CopyJournal:
    """Aligned pairs by the versions of their documents.

    Args:
        file: The file they are appended to; None to keep none.
        records: What the file has.
    """

    def __init__(
        self, file: AppendOnlyFile | None = None, records: dict[str, Record] | None = None
    ) -> None:
        self._file = file
        self._records = records or {}

    def get(self, one: DocumentVersion, other: DocumentVersion) -> Record | None:
        """Return what was aligned of two documents in these versions; None for nothing."""
        return self._records.get(_key(one, other))

    def add(self, one: DocumentVersion, other: DocumentVersion, record: Record) -> None:
        """Append what was aligned of two documents.

        Raises:
            InputError: The file cannot be written.
        """
        if self._file is not None:
            self._file.write(_line({"pair": _key(one, other), **record}))


def _key(one: DocumentVersion, other: DocumentVersion) -> str:
    parts = [
        (each.ref.index, each.ref.id, each.ref.routing, each.seq_no, each.primary_term)
        for each in (one, other)
    ]
    return json.dumps(parts)


def _line(content: Record) -> bytes:
    return json.dumps(content).encode() + b"\n"


@contextlib.contextmanager
def open_journal(path: Path | None, job: Job, *, fresh: bool = False) -> Iterator[CopyJournal]:
    """Yield the journal of a file, which no other command has meanwhile; deleted in the end.

    A run that ends with an error leaves the file.

    Args:
        path: The file; None for no journal.
        job: What the run is about; a journal of another is not used.
        fresh: Delete what the file has.

    Raises:
        FileInUse: Another command has it.
        InputError: It is of another index, or no journal, or cannot be written.
    """
    if path is None:
        yield CopyJournal()
        return
    lock = LockFile(path.with_name(f"{path.name}.lock"), f"Journal '{path}'", "journal")
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(lock)
            records = _read(path, job, fresh=fresh)
        except OSError as error:
            raise InputError(
                f"Cannot use the journal {path} ({error.strerror}). Name another file.",
                parameter="journal",
            ) from error
        file = stack.enter_context(AppendOnlyFile(path, "journal"))
        if records is None:
            file.write(_line({"format": _FORMAT, "job": dict(job)}))
        yield CopyJournal(file, records)
        path.unlink(missing_ok=True)


def _read(path: Path, job: Job, *, fresh: bool) -> dict[str, Record] | None:
    """Return the pairs of a journal; None when it is to be begun.

    Raises:
        InputError: It is of another index, or no journal.
        OSError: It cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    is_complete = b"\n" in data
    if is_complete or not (data.startswith(_HEAD) or _HEAD.startswith(data)):
        _require_job(path, data.partition(b"\n")[0], job, fresh=fresh)
    # A kill may have left part of the first line.
    if fresh or not is_complete:
        path.unlink()
        return None
    return _records(path, data)


def _require_job(path: Path, head: bytes, job: Job, *, fresh: bool) -> None:
    try:
        content = json.loads(head)
        stored = content["job"] if content["format"] == _FORMAT else None
    except (ValueError, KeyError, TypeError):
        stored = None
    if not isinstance(stored, dict):
        raise InputError(
            f"File '{path}' is no journal of copies and would be overwritten. Name another file, "
            "or delete it.",
            parameter="journal",
        )
    difference = None if fresh else difference_of(stored, job)
    if difference is not None:
        raise InputError(
            f"Journal '{path}' is {difference}. Name another journal, or begin at the start. "
            "Set fresh.",
            parameter="fresh",
        )


def _records(path: Path, data: bytes) -> dict[str, Record]:
    """Return the complete lines; a last one that a kill left incomplete is cut off."""
    end = data.rfind(b"\n") + 1
    if end < len(data):
        with path.open("r+b") as stream:
            stream.truncate(end)
    lines = data[:end].splitlines()[1:]
    records = {}
    for number, line in enumerate(lines, 2):
        try:
            record = json.loads(line)
            records[record.pop("pair")] = record
        except (ValueError, KeyError, AttributeError):
            _logger.warning("Line %d of journal %s is not readable and is ignored.", number, path)
    return records
