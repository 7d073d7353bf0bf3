"""How far a run has come, kept in a file, so that a run that was ended can be resumed."""

import contextlib
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from es_simhash.bulk.batches import Mark
from es_simhash.errors import InputError
from es_simhash.local_node.settings import home_folder

_VERSION = 1
_logger = logging.getLogger(__name__)


def default_path(parts: Sequence[str]) -> Path:
    """Return the file for one job: the parts name the index, what is ingested, and how."""
    digest = xxhash.xxh3_128_hexdigest("\0".join(parts).encode("utf-8", "surrogateescape"))
    return home_folder() / "journals" / f"{digest}.json"


@dataclass
class Journal:
    """Marks of the sources of one job.

    Attributes:
        path: The file.
        job: Names the index, the sources and the config; a journal of another job is not used.
        marks: How far each source is done.
        failed: Documents that failed up to the marks.
    """

    path: Path
    job: Sequence[str]
    marks: dict[str, Mark] = field(default_factory=dict)
    failed: int = 0

    @classmethod
    def open(cls, path: Path, job: Sequence[str]) -> "Journal":
        """Read the file when there is one; one that cannot be used is ignored with a warning."""
        journal = cls(path, job)
        try:
            content = json.loads(path.read_bytes())
            if content["version"] == _VERSION and content["job"] == list(job):
                journal.marks = {each["source"]: _mark(each) for each in content["marks"]}
                journal.failed = int(content["failed"])
            else:
                _logger.warning("The journal %s is of another run: ignored.", path)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            _logger.warning("The journal %s cannot be read: ignored, all is read again.", path)
        return journal

    def mark(self, source: str) -> Mark | None:
        """Return how far a source is done."""
        return self.marks.get(source)

    def keep(self, mark: Mark, failed: int) -> None:
        """Write down that a source is done up to the mark.

        Raises:
            InputError: The file cannot be written.
        """
        self.marks[mark.source] = mark
        self.failed += failed
        content = {
            "version": _VERSION,
            "job": list(self.job),
            "failed": self.failed,
            "marks": [asdict(each) for each in self.marks.values()],
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Written aside and renamed: a kill leaves the old journal or the new one.
            aside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            aside.write_text(json.dumps(content), "utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise InputError(
                f"The journal {self.path} cannot be written ({error.strerror}); "
                "name another place with --journal."
            ) from error

    def remove(self) -> None:
        """Forget the job: it is complete."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _mark(entry: dict[str, Any]) -> Mark:
    mark = Mark(str(entry["source"]), int(entry["done"]), int(entry["lines"]), str(entry["state"]))
    if mark.done < 0 or mark.lines < 0:
        raise ValueError("negative")
    return mark
