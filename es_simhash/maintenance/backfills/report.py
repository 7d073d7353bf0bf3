"""Progress of a backfill in counts, and the file of the documents that failed."""

import json
import time
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from es_simhash.ingestion.bulk.append_only_file import AppendOnlyFile
from es_simhash.ingestion.bulk.outcome import Outcome, Status

# Statuses of the outcomes of a backfill, in the order they are reported in.
STATUSES: tuple[Status, ...] = ("written", "unchanged", "without_text", "gone", "failed")


@dataclass
class BackfillReport:
    """Progress of a run.

    Attributes:
        run: Id of the run, also in the file of failures.
        total: Documents to read; counted again when the point in time expired.
        counts: Documents by status.
        started: Monotonic time of the start.
    """

    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    total: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Documents that have an outcome."""
        return sum(self.counts.values())

    @property
    def rate(self) -> float:
        """Documents per second so far."""
        return self.done / max(time.monotonic() - self.started, 1e-9)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count outcomes."""
        self.counts.update(outcome.status for outcome in outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        seconds = round(time.monotonic() - self.started, 3)
        counts: dict[str, int] = {name: self.counts[name] for name in STATUSES}
        return {"run": self.run, "total": self.total, **counts, "seconds": seconds}


class FailureLog(AppendOnlyFile):
    """A JSONL file of failures; each line has `run`, `index`, `id` and `reason`.

    A document that fails again after the point in time expired is logged once.

    Args:
        path: The file; None for none.
        run: Id of the run.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        super().__init__(path, "failures")
        self._run = run
        self._logged: set[tuple[str | None, str | None]] = set()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Log the failures among outcomes.

        Raises:
            InputError: The file cannot be written.
        """
        for outcome in outcomes:
            document = outcome.index, outcome.id
            if outcome.ok or document in self._logged:
                continue
            self._logged.add(document)
            record = {
                "run": self._run,
                "index": outcome.index,
                "id": outcome.id,
                "reason": outcome.reason,
            }
            self.write(json.dumps(record).encode("ascii") + b"\n")
