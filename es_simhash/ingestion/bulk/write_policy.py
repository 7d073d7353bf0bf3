"""The policy of a run: what of each batch is written, and in what order."""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Protocol, TypeVar

from es_simhash.ingestion.bulk.document_batches import Batch, location_text
from es_simhash.ingestion.bulk.outcomes import Failure, Outcome
from es_simhash.store.elasticsearch.retry import Stopped

# Batches under way for each process; bounds the memory.
AHEAD = 3


class Sequencer:
    """Starts batches in order, and holds one back while another with one of its ids is sent.

    Args:
        window: Most batches under way at the same time.
    """

    def __init__(self, window: int) -> None:
        self._changed = threading.Condition()
        self._next = 0
        # Ids that no other batch may write meanwhile, and those of them that are written.
        self._active: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        # What was looked up before may be out of date after the batches that were then under way.
        self._finished: deque[frozenset[str]] = deque(maxlen=window)
        self._stopped = False

    @contextmanager
    def turn(self, number: int) -> Iterator["Turn"]:
        """Wait until all earlier batches have started; the batch has finished when this exits.

        Raises:
            Stopped: The run has ended.
        """
        self.wait_for(number)
        try:
            yield Turn(self, number)
        finally:
            self.finish(number)

    def wait_for(self, number: int) -> None:
        """Wait until all earlier batches have started.

        Raises:
            Stopped: The run has ended.
        """
        self._wait(lambda: self._next == number)

    def written_recently(self, ids: Collection[str]) -> bool:
        """Check whether one of the ids is being written, or was by one of the last batches."""
        with self._changed:
            active = [written for _, written in self._active.values()]
            return not all(written.isdisjoint(ids) for written in [*self._finished, *active])

    def start(self, number: int, ids: Collection[str], read: Collection[str] = ()) -> None:
        """Wait until no batch with one of the ids is under way; then the next one may start.

        Args:
            number: Number of the batch.
            ids: Ids of the documents that it writes.
            read: Ids of further documents of it, which it does not write.

        Raises:
            Stopped: The run has ended.
        """
        written = frozenset(ids)
        held = written.union(read)

        def take() -> bool:
            if all(other.isdisjoint(held) for other, _ in self._active.values()):
                self._active[number] = held, written
                self._next = number + 1
                return True
            return False

        self._wait(take)

    def finish(self, number: int) -> None:
        """Record that a batch is no longer under way, if it had started."""
        with self._changed:
            if number in self._active:
                self._finished.append(self._active.pop(number)[1])
                self._changed.notify_all()

    def stop(self) -> None:
        """End all waiting."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or condition())
            if self._stopped:
                raise Stopped
            self._changed.notify_all()


class Turn:
    """The turn of one batch: all earlier batches have started, no later one has.

    Args:
        sequencer: Orders the batches.
        number: Number of the batch.
    """

    def __init__(self, sequencer: Sequencer, number: int) -> None:
        self._sequencer = sequencer
        self._number = number

    def written_recently(self, ids: Collection[str]) -> bool:
        """Check whether one of the ids was written since this batch was prepared."""
        return self._sequencer.written_recently(ids)

    def pass_on(self, ids: Collection[str], read: Collection[str] = ()) -> None:
        """Let the next batch start, as soon as no other batch with one of these ids is under way.

        Args:
            ids: Ids of the documents that are written, or deleted.
            read: Ids of further documents of the batch.

        Raises:
            Stopped: The run has ended.
        """
        self._sequencer.start(self._number, ids, read)


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
