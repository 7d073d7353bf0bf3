"""What became of one document, and of a whole run."""

import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Status = Literal["written", "unchanged", "without_text", "gone", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True)
class Outcome:
    """What became of one document.

    Attributes:
        id: Its id.
        index: The index that holds it, not an alias of it.
        status: "written"; "unchanged", as its fields fit its text; "without_text"; "gone", as it
            was deleted meanwhile; or "failed".
        reason: One sentence, for a failure.
    """

    id: str
    index: str
    status: Status
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """False for a failure."""
        return self.status != "failed"


@dataclass
class Report:
    """How far a run has come.

    Attributes:
        run: Id of the run, also in the file of failures.
        total: Documents to look at; counted once more when the snapshot of the index was lost.
        counts: Documents by status.
        started: Monotonic time of the start.
    """

    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    total: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Documents looked at."""
        return sum(self.counts.values())

    @property
    def rate(self) -> float:
        """Documents a second so far."""
        return self.done / max(time.monotonic() - self.started, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        seconds = round(time.monotonic() - self.started, 3)
        counts: dict[str, int] = {name: self.counts[name] for name in STATUSES}
        return {"run": self.run, "total": self.total, **counts, "seconds": seconds}
