"""The journal: a file of checkpoints, from which a run that was ended resumes."""

import contextlib
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from es_simhash.bulk.batches import Checkpoint
from es_simhash.errors import InputError
from es_simhash.storage.home_folder import home_folder

_VERSION = 1
_logger = logging.getLogger(__name__)


def default_path(parts: Sequence[str]) -> Path:
    """Return the file for one job: the parts name the index, what is ingested, and how."""
    digest = xxhash.xxh3_128_hexdigest("\0".join(parts).encode("utf-8", "surrogateescape"))
    return home_folder() / "journals" / f"{digest}.json"


@dataclass
class Journal:
    """Checkpoints of the sources of one job.

    Attributes:
        path: The file.
        job: Names the index, the sources and the config; a journal of another job is not used.
        checkpoints: How far each source is done.
        failed: Documents that failed up to the checkpoints.
    """

    path: Path
    job: Sequence[str]
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    failed: int = 0

    @classmethod
    def open(cls, path: Path, job: Sequence[str]) -> "Journal":
        """Return the journal of a file; one that cannot be used is ignored with a warning."""
        journal = cls(path, job)
        try:
            content = json.loads(path.read_bytes())
            if content["version"] == _VERSION and content["job"] == list(job):
                checkpoints = map(_checkpoint, content["checkpoints"])
                journal.checkpoints = {entry.source: entry for entry in checkpoints}
                journal.failed = int(content["failed"])
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

    def checkpoint(self, source: str) -> Checkpoint | None:
        """Return how far a source is done."""
        return self.checkpoints.get(source)

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
            "job": list(self.job),
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
            raise InputError(
                f"Cannot write to the journal {self.path} ({error.strerror}). Name another file.",
                parameter="journal",
            ) from error

    def remove(self) -> None:
        """Remove the file: the job is complete."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    done, lines = int(entry["done"]), int(entry["lines"])
    if done < 0 or lines < 0:
        raise ValueError("negative")
    return Checkpoint(str(entry["source"]), done, lines, str(entry["state"]))
