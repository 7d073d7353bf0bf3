"""The policy of a run: what of each batch is written, and in what order."""

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol, TypeVar

from es_simhash.bulk.batches import Batch, location_text
from es_simhash.bulk.outcome import Failure, Outcome
from es_simhash.bulk.sequencer import Turn

Ready = TypeVar("Ready")


@dataclass(frozen=True)
class BatchReport:
    """What became of the documents of one batch.

    Attributes:
        outcomes: One for each document, in order.
        failures: Those that failed.
    """

    outcomes: list[Outcome]
    failures: list[Failure]

    @classmethod
    def of(
        cls,
        batch: Batch,
        settled: Iterable[tuple[int, Outcome]],
        failures: Iterable[Failure],
    ) -> "BatchReport":
        """Return the report of a batch.

        Args:
            batch: What was read.
            settled: Outcomes of the documents that did not fail, each with its position.
            failures: The others.
        """
        failed = list(failures)
        positioned = list(settled)
        for position, id, reason in failed:
            outcome = Outcome(id, "failed", reason, location_text(batch, position))
            positioned.append((position, outcome))
        positioned.sort(key=itemgetter(0))
        return cls([outcome for _, outcome in positioned], failed)


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
