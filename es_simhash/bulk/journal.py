"""The journal: a file of checkpoints, from which a run that was ended resumes."""

import contextlib
import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from es_simhash.bulk.batches import Checkpoint
from es_simhash.bulk.file_lock import LockFile
from es_simhash.errors import InputError
from es_simhash.storage.home_folder import home_folder

_VERSION = 2
_logger = logging.getLogger(__name__)

# What a run does: the name and the UUIDs of its index, the names of its sources, and all settings
# that change what is written. JSON: strings, lists of strings, booleans, None.
Job = Mapping[str, Any]
INDEX, UUIDS, SOURCES = "index", "uuids", "sources"


def default_path(job: Job) -> Path:
    """Return the file for one job; an index is known by its UUIDs, whatever it is called."""
    parts = json.dumps({name: job[name] for name in sorted(job) if name != INDEX})
    return home_folder() / "journals" / f"{xxhash.xxh3_128_hexdigest(parts.encode())}.json"


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
    """Checkpoints of the sources of one job.

    Attributes:
        path: The file.
        job: What the run does; a journal of another job is not used.
        checkpoints: How far each source is done.
        failed: Documents that failed up to the checkpoints.
    """

    path: Path
    job: Job
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    failed: int = 0

    @classmethod
    def open(cls, path: Path, job: Job, *, fresh: bool = False) -> "Journal":
        """Return the journal of a file; one of another release is ignored with a warning.

        Args:
            path: The file.
            job: What the run does.
            fresh: Delete what the file has, and begin at the start.

        Raises:
            InputError: The journal is of another job, or the file is none.
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
            journal.failed = int(content["failed"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _not_a_journal(path) from error
        if difference := _difference(stored, job):
            raise InputError(
                f"Journal '{path}' is {difference}. Name another journal, or begin at the start. "
                "Set fresh.",
                parameter="fresh",
            )
        journal.checkpoints = {entry.source: entry for entry in checkpoints}
        return journal

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

    def save(self, checkpoint: Checkpoint, failed: int) -> None:
        """Write that a source is done up to a checkpoint.

        Args:
            checkpoint: How far the source is done.
            failed: Documents that failed since the last checkpoint.

        Raises:
            InputError: The file cannot be written.
        """
        self.checkpoints[checkpoint.source] = checkpoint
        self.failed += failed
        content = {
            "version": _VERSION,
            "job": dict(self.job),
            "failed": self.failed,
            "checkpoints": [asdict(entry) for entry in self.checkpoints.values()],
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Written aside and renamed: a kill leaves the old journal or the new one.
            aside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            aside.write_text(json.dumps(content), "utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise _write_error(self.path, error) from error

    def remove(self) -> None:
        """Remove the file: the job is complete."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


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
        raise InputError(
            f"Cannot read the journal {path} ({error.strerror}). Name another file.",
            parameter="journal",
        ) from error
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


def _write_error(path: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot write to the journal {path} ({error.strerror}). Name another file.",
        parameter="journal",
    )


def _difference(stored: Job, job: Job) -> str | None:
    """Say in what a journal is of another job; None when it is of this one."""
    if stored.get(UUIDS) != job[UUIDS]:
        if stored.get(INDEX) != job[INDEX]:
            return f"of index {stored.get(INDEX)!r}, and this run writes to {job[INDEX]!r}"
        return (
            f"of index {job[INDEX]!r} with UUID {_shown(stored.get(UUIDS))}, and the one here has "
            f"UUID {_shown(job[UUIDS])}: it was created anew, or is of another cluster"
        )
    for name in sorted(job.keys() - {INDEX, UUIDS}):
        if stored.get(name) != job[name]:
            return (
                f"of a run with {name} {_shown(stored.get(name))}, and this one has "
                f"{_shown(job[name])}"
            )
    return None


def _shown(value: object) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list) else repr(value)


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    done, lines = int(entry["done"]), int(entry["lines"])
    if done < 0 or lines < 0:
        raise ValueError("negative")
    return Checkpoint(str(entry["source"]), done, lines, str(entry["state"]))
