"""A run: batches are read, prepared by workers, written by threads, and reported in order."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from itertools import chain, islice
from typing import Generic

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.batches import Batch
from es_simhash.ingestion.bulk.dead_letter import DeadLetter
from es_simhash.ingestion.bulk.outcome import Outcome
from es_simhash.ingestion.bulk.processes import make_pool, require_startable, worker_lost
from es_simhash.ingestion.bulk.sequencer import Sequencer
from es_simhash.ingestion.bulk.write_policy import BatchReport, Ready, WritePolicy
from es_simhash.store.elasticsearch.retry import Stopped

# Batches under way for each process; bounds the memory.
AHEAD = 3


class WriteRun(Generic[Ready]):
    """One run on one index; its batches are written once.

    Args:
        policy: Decides what is written.
        processes: Processes that fingerprint; with 1, it is this one.
        ahead: Batches under way for each process.
        dead_letter: Open file for documents that fail; None to leave them to the caller.
    """

    def __init__(
        self,
        policy: WritePolicy[Ready],
        *,
        processes: int = 1,
        ahead: int = AHEAD,
        dead_letter: DeadLetter | None = None,
    ) -> None:
        self._policy = policy
        self._processes = processes
        self._ahead = ahead
        self._dead_letter = dead_letter
        self._error: BaseException | None = None

    def finished(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchReport]]:
        """Yield each batch, in order, when all its documents are written or have failed.

        Raises:
            InputError: The processes cannot be started here.
            ClusterError: The cluster rejects every document, or is away for too long.
            EsSimhashError: A worker process ended.
        """
        require_startable(self._processes)
        batches = iter(batches)
        first = list(islice(batches, 2))
        # Starting processes takes longer than fingerprinting one batch.
        processes = self._processes if len(first) > 1 else 1
        window = max(2, processes * self._ahead)
        self._sequencer = Sequencer(window)
        # Each is ended, last first, even when Ctrl-C comes again meanwhile.
        with ExitStack() as stack:
            self._workers = make_pool(processes)
            stack.callback(self._workers.shutdown, cancel_futures=True)
            threads = ThreadPoolExecutor(window, thread_name_prefix="ingest")
            stack.callback(threads.shutdown, cancel_futures=True)
            stack.callback(self._sequencer.stop)
            stack.callback(self._policy.stop)
            yield from self._reports(threads, chain(first, batches), window)

    def _reports(
        self, threads: ThreadPoolExecutor, batches: Iterator[Batch], window: int
    ) -> Iterator[tuple[Batch, BatchReport]]:
        pending: deque[tuple[Batch, Future[BatchReport]]] = deque()
        for number, batch in enumerate(batches):
            pending.append((batch, threads.submit(self._handle, number, batch)))
            while pending and (len(pending) >= window or pending[0][1].done()):
                yield self._reported(*pending.popleft())
        while pending:
            yield self._reported(*pending.popleft())

    def _reported(self, batch: Batch, future: "Future[BatchReport]") -> tuple[Batch, BatchReport]:
        try:
            report = future.result()
        except Stopped:
            # A later batch ended the run; its error is the one to show.
            raise self._error or EsSimhashError("The run was ended.") from None
        if self._dead_letter is not None:
            for failure in report.failures:
                self._dead_letter.add(batch, failure)
        return batch, report

    def _handle(self, number: int, batch: Batch) -> BatchReport:
        """Prepare and write one batch; runs in a thread."""
        try:
            return self._written(number, batch)
        except Stopped:
            raise
        except BrokenProcessPool as error:
            self._end(worker_lost(self._processes))
            raise Stopped from error
        except BaseException as error:
            self._end(error)
            raise

    def _written(self, number: int, batch: Batch) -> BatchReport:
        ready = self._policy.prepare(batch, self._workers)
        with self._sequencer.turn(number) as turn:
            if self._policy.is_outdated(ready, turn):
                ready = self._policy.prepare_again(batch, self._workers)
            return self._policy.write(batch, ready, turn)

    def _end(self, error: BaseException) -> None:
        """End the run: no later batch shall wait for its turn."""
        self._error = self._error or error
        self._policy.stop()
        self._sequencer.stop()


def write_batches(policy: WritePolicy[Ready], batches: Iterable[Batch]) -> Iterator[Outcome]:
    """Yield the outcome of each document of some batches, in order; all work is in this process.

    Raises:
        ClusterError: The cluster rejects every document, or is away for too long.
    """
    for _, report in WriteRun(policy).finished(batches):
        yield from report.outcomes
