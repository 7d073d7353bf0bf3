"""The policy of a run: what of a batch is written. By default, all that the index has not."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol, TypeVar

from es_simhash.bulk.batches import Batch, location_text
from es_simhash.bulk.outcome import Failure, Outcome
from es_simhash.bulk.preparation import Prepare, Prepared, Stored, identify, prepare
from es_simhash.bulk.sequencer import Turn
from es_simhash.bulk.target import TargetIndex

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


class WriteAll:
    """Writes every document, but those that the index has already.

    Args:
        target: The index.
        rewrite: Write documents that the index has as well.
        prepare: What a worker does with a batch.
    """

    def __init__(
        self, target: TargetIndex, *, rewrite: bool = False, prepare: Prepare = prepare
    ) -> None:
        self._target = target
        self._prepare = prepare
        self._compares = not rewrite and not target.is_empty()

    def prepare(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body of the bulk request, without what the index has."""
        if not self._compares:
            return self._prepared(batch, workers, None)
        ids = workers.submit(identify, batch, self._target.config).result()
        return self._prepared(batch, workers, self._target.stored(ids))

    def is_outdated(self, ready: Prepared, turn: Turn) -> bool:
        """Check whether a document that is left out was written meanwhile."""
        return turn.written_recently(ready.stored_ids)

    def prepare_again(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body with all documents: what is being written cannot be looked up yet."""
        return self._prepared(batch, workers, None)

    def _prepared(self, batch: Batch, workers: Executor, stored: Stored | None) -> Prepared:
        return workers.submit(self._prepare, batch, self._target.config, stored).result()

    def write(self, batch: Batch, ready: Prepared, turn: Turn) -> BatchReport:
        """Send the body, while later batches with other ids are sent as well."""
        turn.pass_on(ready.ids)
        return _report(batch, ready, self._target.write(ready))

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.gateway.stop()


def _report(batch: Batch, prepared: Prepared, rejections: Mapping[int, str]) -> BatchReport:
    settled = [
        (position, Outcome(id, "unchanged", reason)) for position, id, reason in prepared.unchanged
    ]
    failures = list(prepared.failures)
    written = zip(prepared.positions, prepared.ids, strict=True)
    for number, (position, id) in enumerate(written):
        if number in rejections:
            failures.append(Failure(position, id, rejections[number]))
        else:
            settled.append((position, Outcome(id, "written")))
    return BatchReport.of(batch, settled, failures)
