"""The journal: a file of checkpoints, from which a run that was ended resumes."""

import contextlib
import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import LockFile
from es_simhash.ingestion.bulk.document_batches import Checkpoint
from es_simhash.ingestion.bulk.journal_job import Job, difference_of

_VERSION = 2
_logger = logging.getLogger(__name__)


@contextlib.contextmanager
def open_journal(path: Path, job: Job, *, fresh: bool = False) -> Iterator["Journal"]:
    """Yield the journal of a file, which no other command has meanwhile; see `Journal.open`.

    Raises:
        FileInUse: Another command has it.
        InputError: It is of another job, or cannot be written.
    """
    lock_file = LockFile(path.with_name(f"{path.name}.lock"), f"Journal '{path}'", "journal")
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(lock_file)
        except OSError as error:
            raise _write_error(path, error) from error
        yield Journal.open(path, job, fresh=fresh)


@dataclass
class Journal:
    """Checkpoints of the sources of one job, and what the run remembers of their documents.

    The latter is a second file next to it, which only grows: 16 bytes a document.

    Attributes:
        path: The file.
        job: What the run does; a journal of another job is not used.
        checkpoints: How far each source is done.
        report: What became of the documents up to there, as counts.
        recorded: Bytes of the second file that count; what is behind them was not finished.
    """

    path: Path
    job: Job
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    report: dict[str, int] = field(default_factory=dict)
    recorded: int = 0

    @classmethod
    def open(cls, path: Path, job: Job, *, fresh: bool = False) -> "Journal":
        """Return the journal of a file; one of another release is ignored with a warning.

        Args:
            path: The file.
            job: What the run does.
            fresh: Delete what the file has, and begin at the start.

        Raises:
            InputError: The journal is of another job or not complete, or the file is none.
        """
        journal = cls(path, job)
        content = _read(path)
        if content is None:
            return journal
        if fresh:
            journal.remove()
            return journal
        if content.get("version") != _VERSION:
            _logger.warning("The journal %s is of another release and is ignored.", path)
            return journal
        try:
            stored = dict(content["job"])
            checkpoints = list(map(_checkpoint, content["checkpoints"]))
            journal.report = {str(name): int(count) for name, count in content["report"].items()}
            journal.recorded = _length(content["recorded"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _not_a_journal(path) from error
        if difference := difference_of(stored, job):
            raise InputError(
                f"Journal '{path}' is {difference}. Name another journal, or begin at the start. "
                "Set fresh.",
                parameter="fresh",
            )
        journal.checkpoints = {entry.source: entry for entry in checkpoints}
        journal.require_records()
        return journal

    @property
    def records_path(self) -> Path:
        """The second file."""
        return self.path.with_name(f"{self.path.name}.ids")

    def require_records(self) -> None:
        """Check that the second file has what the journal knows of.

        Raises:
            InputError: It is shorter, or gone.
        """
        try:
            size = self.records_path.stat().st_size
        except OSError:
            size = 0
        if size < self.recorded:
            raise InputError(
                f"Journal '{self.path}' lacks ids of documents: '{self.records_path}' has {size} "
                f"of {self.recorded} bytes. Begin at the start. Set fresh.",
                parameter="fresh",
            )

    def checkpoint(self, source: str) -> Checkpoint | None:
        """Return how far a source is done."""
        return self.checkpoints.get(source)

    def source_changed(self, source: str) -> InputError:
        """Return the error of a source that is not what an earlier run read."""
        return InputError(
            f"Input '{source}' has changed in the part that an earlier run read, as journal "
            f"'{self.path}' has it. Restore the input, or begin at the start. Set fresh.",
            parameter="fresh",
        )

    def records(self) -> bytes:
        """Return what the run remembers of the documents of all sources, in order.

        Raises:
            InputError: The file cannot be read.
        """
        if not self.recorded:
            return b""
        try:
            with self.records_path.open("rb") as stream:
                return stream.read(self.recorded)
        except OSError as error:
            raise _read_error(self.records_path, error) from error

    def save(
        self, checkpoint: Checkpoint, report: Mapping[str, int] | None = None, records: bytes = b""
    ) -> None:
        """Write that a source is done up to a checkpoint.

        Args:
            checkpoint: How far the source is done.
            report: Counts of its documents since the last checkpoint.
            records: What the run remembers of them.

        Raises:
            InputError: The file cannot be written.
        """
        self.checkpoints[checkpoint.source] = checkpoint
        for name, count in (report or {}).items():
            self.report[name] = self.report.get(name, 0) + count
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(records)
            # Written aside and renamed: a kill leaves the old journal or the new one.
            aside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            aside.write_text(json.dumps(self._content()), "utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise _write_error(self.path, error) from error

    def _append(self, records: bytes) -> None:
        """Append records where the last ones end that the journal knows of."""
        if not records:
            return
        with self.records_path.open("r+b" if self.recorded else "wb") as stream:
            stream.seek(self.recorded)
            stream.write(records)
            stream.truncate()
        self.recorded += len(records)

    def _content(self) -> dict[str, Any]:
        return {
            "version": _VERSION,
            "job": dict(self.job),
            "checkpoints": [asdict(entry) for entry in self.checkpoints.values()],
            "report": self.report,
            "recorded": self.recorded,
        }

    def remove(self) -> None:
        """Remove the files: the job is complete."""
        for path in (self.path, self.records_path):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any] | None:
    """Return the content of a journal; None when there is none, or an empty file.

    Raises:
        InputError: The file is something else, which would be overwritten.
    """
    try:
        data = path.read_bytes()
        content = json.loads(data) if data else None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _read_error(path, error) from error
    except ValueError as error:
        raise _not_a_journal(path) from error
    if content is None and not data:
        return None
    if not isinstance(content, dict) or not {"version", "job"} <= content.keys():
        raise _not_a_journal(path)
    return content


def _not_a_journal(path: Path) -> InputError:
    return InputError(
        f"File '{path}' is no journal and would be overwritten. Name another file, or delete it.",
        parameter="journal",
    )


def _read_error(path: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot read the journal {path} ({error.strerror}). Name another file.",
        parameter="journal",
    )


def _write_error(path: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot write to the journal {path} ({error.strerror}). Name another file.",
        parameter="journal",
    )


def _length(value: Any) -> int:
    length = int(value)
    if length < 0:
        raise ValueError("negative")
    return length


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    done, lines = int(entry["done"]), int(entry["lines"])
    if done < 0 or lines < 0:
        raise ValueError("negative")
    return Checkpoint(str(entry["source"]), done, lines, str(entry["state"]))
