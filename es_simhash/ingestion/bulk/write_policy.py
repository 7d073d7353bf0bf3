"""The policy of a run: what of each batch is written, and in what order."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Protocol, TypeVar

from es_simhash.ingestion.bulk.batches import Batch, location_text
from es_simhash.ingestion.bulk.outcome import Failure, Outcome
from es_simhash.ingestion.bulk.sequencer import Turn

Ready = TypeVar("Ready")


@dataclass(frozen=True)
class BatchReport:
    """What became of the documents of one batch.

    Attributes:
        outcomes: One for each document, in order.
        failures: Those that failed.
        records: What the run remembers of them; see `RunDocuments.put`.
    """

    outcomes: list[Outcome]
    failures: list[Failure]
    records: bytes = b""

    @classmethod
    def of(
        cls,
        batch: Batch,
        outcomes: Mapping[int, Outcome],
        failures: Iterable[Failure],
        records: bytes = b"",
    ) -> "BatchReport":
        """Return the report of a batch.

        Args:
            batch: What was read.
            outcomes: Outcomes by the positions of the documents.
            failures: Further documents, which failed before they had one.
            records: What the run remembers of them.
        """
        early = {each.position: Outcome(each.id, "failed", each.reason) for each in failures}
        placed = sorted({**outcomes, **early}.items(), key=itemgetter(0))
        failed = [
            Failure(position, outcome.id, str(outcome.reason))
            for position, outcome in placed
            if not outcome.ok
        ]
        return cls([_located(outcome, batch, each) for each, outcome in placed], failed, records)


def _located(outcome: Outcome, batch: Batch, position: int) -> Outcome:
    """Return an outcome with the place of the document, if it failed."""
    return outcome if outcome.ok else replace(outcome, place=location_text(batch, position))


class WritePolicy(Protocol[Ready]):
    """Decides what a run writes.

    A run prepares several batches at the same time, and starts to write them in order.
    """

    def prepare(self, batch: Batch, workers: Executor) -> Ready:
        """Return a batch ready to be written; called from several threads.

        Args:
            batch: What was read.
            workers: Do what takes processor time.
        """

    def is_outdated(self, ready: Ready, turn: Turn) -> bool:
        """Check whether what was written meanwhile changes what a batch was prepared from."""

    def prepare_again(self, batch: Batch, workers: Executor) -> Ready:
        """Return an outdated batch ready to be written, in its turn."""

    def write(self, batch: Batch, ready: Ready, turn: Turn) -> BatchReport:
        """Write a batch in its turn; `turn.pass_on` lets the next batch start.

        Raises:
            ClusterError: The cluster rejects every document, or is busy for too long.
        """

    def stop(self) -> None:
        """End all waiting for the cluster."""
