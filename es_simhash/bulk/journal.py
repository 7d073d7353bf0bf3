"""The journal: a file of checkpoints, from which a run that was ended resumes."""

import contextlib
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from es_simhash.bulk.batches import Checkpoint
from es_simhash.errors import InputError
from es_simhash.storage.home_folder import home_folder

_VERSION = 2
_logger = logging.getLogger(__name__)


def default_path(parts: Sequence[str]) -> Path:
    """Return the file for one job: the parts name the index, what is ingested, and how."""
    digest = xxhash.xxh3_128_hexdigest("\0".join(parts).encode("utf-8", "surrogateescape"))
    return home_folder() / "journals" / f"{digest}.json"


@dataclass
class JournalEntry:
    """How far a source is done, and what became of its documents up to there, as counts."""

    checkpoint: Checkpoint
    report: dict[str, int] = field(default_factory=dict)


@dataclass
class Journal:
    """Checkpoints of the sources of one job, and what the run remembers of their documents.

    The latter is a second file beside it, which only grows: 16 bytes a document.

    Attributes:
        path: The file.
        job: Names the index, the sources and the config; a journal of another job is not used.
        entries: How far each source is done.
        segments: Name of the source and length of each part of the second file; the name is empty
            when it does not count any more.
    """

    path: Path
    job: Sequence[str]
    entries: dict[str, JournalEntry] = field(default_factory=dict)
    segments: list[tuple[str, int]] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path, job: Sequence[str]) -> "Journal":
        """Return the journal of a file; one that cannot be used is ignored with a warning."""
        journal = cls(path, job)
        try:
            content = json.loads(path.read_bytes())
            if content["version"] == _VERSION and content["job"] == list(job):
                entries = list(map(_entry, content["entries"]))
                segments = [(str(source), int(length)) for source, length in content["segments"]]
                _require_length(journal.records_path, segments)
                journal.entries = {entry.checkpoint.source: entry for entry in entries}
                journal.segments = segments
            else:
                _logger.warning("The journal %s is of another run and is ignored.", path)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            _logger.warning(
                "The journal %s cannot be read and is ignored: the run starts from the beginning.",
                path,
            )
        return journal

    @property
    def records_path(self) -> Path:
        """The second file."""
        return self.path.with_name(f"{self.path.name}.ids")

    def checkpoint(self, source: str) -> Checkpoint | None:
        """Return how far a source is done."""
        entry = self.entries.get(source)
        return None if entry is None else entry.checkpoint

    def forget(self, source: str) -> None:
        """Forget a source that has changed: it is read from the start."""
        self.entries.pop(source, None)
        self.segments = [("" if name == source else name, size) for name, size in self.segments]

    def records(self) -> Iterator[bytes]:
        """Yield what the run remembers of the documents of all sources, in order.

        Raises:
            InputError: The file cannot be read.
        """
        if not self.segments:
            return
        try:
            with self.records_path.open("rb") as stream:
                for source, length in self.segments:
                    data = stream.read(length)
                    if source:
                        yield data
        except OSError as error:
            raise self._failure("read", error) from error

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
        source = checkpoint.source
        counts = dict(self.entries[source].report) if source in self.entries else {}
        for name, count in (report or {}).items():
            counts[name] = counts.get(name, 0) + count
        self.entries[source] = JournalEntry(checkpoint, counts)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(source, records)
            # Written aside and renamed: a kill leaves the old journal or the new one.
            aside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            aside.write_text(json.dumps(self._content()), "utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise self._failure("written", error) from error

    def _append(self, source: str, records: bytes) -> None:
        """Append records where the last ones end that the journal knows of."""
        if not records:
            return
        end = sum(length for _, length in self.segments)
        with self.records_path.open("r+b" if end else "wb") as stream:
            stream.seek(end)
            stream.write(records)
            stream.truncate()
        length = len(records)
        if self.segments and self.segments[-1][0] == source:
            length += self.segments.pop()[1]
        self.segments.append((source, length))

    def _content(self) -> dict[str, Any]:
        return {
            "version": _VERSION,
            "job": list(self.job),
            "entries": [asdict(entry) for entry in self.entries.values()],
            "segments": self.segments,
        }

    def _failure(self, done: str, error: OSError) -> InputError:
        return InputError(
            f"The journal {self.path} cannot be {done} ({error.strerror}). Name another file.",
            parameter="journal",
        )

    def remove(self) -> None:
        """Remove the files: the job is complete."""
        for path in (self.path, self.records_path):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _entry(entry: dict[str, Any]) -> JournalEntry:
    report = {str(name): int(count) for name, count in entry["report"].items()}
    return JournalEntry(_checkpoint(entry["checkpoint"]), report)


def _require_length(path: Path, segments: Sequence[tuple[str, int]]) -> None:
    """Check that the second file has what the journal knows of.

    Raises:
        ValueError: It is shorter.
    """
    length = sum(length for _, length in segments)
    size = path.stat().st_size if path.exists() else 0
    if size < length or any(part < 0 for _, part in segments):
        raise ValueError("too short")


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    done, lines = int(entry["done"]), int(entry["lines"])
    if done < 0 or lines < 0:
        raise ValueError("negative")
    return Checkpoint(str(entry["source"]), done, lines, str(entry["state"]))
