"""A backfill as plain data: which documents, with which fields, and the progress in counts."""

import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile
from es_simhash.ingestion.bulk.outcomes import Outcome, Status
from es_simhash.store.codec import is_readable
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.intents import Where
from es_simhash.store.options import Query
from es_simhash.store.paths import has_values
from es_simhash.store.rows import Row
from es_simhash.text.limits import MEBIBYTE


@dataclass(frozen=True)
class Selection:
    """Which documents a backfill reads.

    Attributes:
        filters: Elasticsearch query that the documents must match, as JSON.
        check: Also process documents with fingerprints; update those whose text has changed, and
            those whose fingerprints are damaged.
    """

    filters: tuple[Query, ...] = ()
    check: bool = False


@dataclass(frozen=True)
class IndexPart:
    """Documents to read.

    Attributes:
        index: Index, alias or data stream.
        where: Which of its documents.
        shard: Number of the one shard they are in; None for all.
        name: Name of that shard in checkpoints; empty for all.
    """

    index: str
    where: Where
    shard: int | None = None
    name: str = ""


@dataclass(frozen=True)
class BackfillJob:
    """The work of a backfill.

    Attributes:
        index: Index, alias or data stream of the documents.
        config: How they are read and fingerprinted.
        sidecar: Index the fields are written to; None for the documents themselves.
        indices: Names of the indices behind `index`.
        check: Also make fingerprints anew that cannot be read.
    """

    index: str
    config: IndexConfig = field(default_factory=IndexConfig)
    sidecar: str | None = None
    indices: frozenset[str] = field(default_factory=frozenset)
    check: bool = False

    @property
    def target(self) -> str:
        """Index, alias or data stream that is written to."""
        return self.sidecar or self.index

    @property
    def schemes(self) -> dict[str, str]:
        """Value of each member of the `simhash` object that names a scheme."""
        return self.config.scheme_members

    def where(self, selection: Selection) -> Where:
        """Return the conditions of the documents to read.

        The index does not know what a sidecar has, so with one all documents are read.
        """
        all_are_read = selection.check or self.sidecar is not None
        return Where(selection.filters, is_current=None if all_are_read else False)

    def is_current(self, stored: Mapping[str, Any]) -> bool:
        """Check whether a `simhash` object has the schemes of this job, whatever its text was."""
        return has_values(stored, self.schemes) and (not self.check or is_readable(stored))


@dataclass(frozen=True)
class SourceDocument:
    """A document to fingerprint, as it was read.

    Attributes:
        row: Its text, its entity fields, and the small members of the `simhash` object.
        counterpart: The document of the sidecar that has its fields, without the large ones.
    """

    row: Row
    counterpart: Row | None = None

    def outcome(self, status: Status, reason: str | None = None) -> Outcome:
        """Return the outcome of this document."""
        return Outcome(self.row.id, status, reason, index=self.row.ref.index)


@dataclass(frozen=True)
class PreparedPage:
    """Documents ready to be sent.

    Attributes:
        body: Actions of a bulk request.
        ends: Where each action ends in the body.
        positions: The document of each action, by its number in the page.
        finished: Outcomes of the documents for which nothing is sent.
    """

    body: bytes
    ends: Sequence[int]
    positions: Sequence[int]
    finished: Sequence[Outcome]


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


@dataclass(frozen=True)
class BackfillSettings:
    """How a run works; none of it changes what is written.

    Attributes:
        processes: Processes that fingerprint. With 1, it is the process that calls.
        slices: Slices under way for each process.
        page: Documents read at once at the most.
        page_bytes: Characters of text to read at once; pages of long texts become shorter.
        max_docs_per_second: Maximum number of documents per second; None for no bound.
        retry: How long requests to a busy cluster are retried.
        failures: JSONL file for ids and reasons of what failed; None for the caller to note it.
        report: Called with the report of the run after each page; None for nothing.
    """

    processes: int = field(default=1, metadata=constraints(1))
    slices: int = 2
    page: int = 500
    page_bytes: int = 2 * MEBIBYTE
    max_docs_per_second: float | None = field(default=None, metadata=constraints(above=0))
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    failures: Path | None = None
    report: Callable[[BackfillReport], None] | None = None
