"""A run: batches are read, prepared by workers, written by threads, and reported in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from typing import Generic

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.batch_preparation import Prepare, identify, prepare
from es_simhash.ingestion.bulk.document_batches import Batch, DeadLetter
from es_simhash.ingestion.bulk.lookup import Lookup, kept_parts
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.bulk.prepared_batches import BatchConflicts, Prepared
from es_simhash.ingestion.bulk.processes import (
    require_startable,
    worker_lost,
    worker_pool,
)
from es_simhash.ingestion.bulk.run_documents import RunDocuments
from es_simhash.ingestion.bulk.target_index import WHOLE, TargetIndex
from es_simhash.ingestion.bulk.write_policy import (
    AHEAD,
    BatchReport,
    Ready,
    Sequencer,
    Turn,
    WritePolicy,
)
from es_simhash.store.elasticsearch.retry import Stopped, Waiter

Hold = Callable[[Callable[[float], None]], None]


class WriteAll:
    """Writes every document, but those that the index has already.

    Args:
        target: The index.
        run: The documents of the run so far; those of none by default.
        rewrite: Write documents that the index has as well.
        prepare: What a worker does with a batch; None for what fingerprints it.
    """

    def __init__(
        self,
        target: TargetIndex,
        run: RunDocuments | None = None,
        *,
        rewrite: bool = False,
        prepare: Prepare | None = None,
    ) -> None:
        self._target = target
        self._run = run or RunDocuments()
        self._prepare = prepare or _preparing(self._run)
        self._rewrite = rewrite
        # Read now: what the run itself writes does not count.
        self._is_empty = target.is_empty

    def prepare(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body of the bulk request, without what the index has."""
        return self._prepared(batch, workers, is_compared=not self._rewrite)

    def is_outdated(self, ready: Prepared, turn: Turn) -> bool:
        """Check whether a document that is left out was written meanwhile."""
        return turn.written_recently(ready.stored_ids)

    def prepare_again(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body with all documents: what is being written cannot be looked up yet."""
        return self._prepared(batch, workers, is_compared=False)

    def _prepared(self, batch: Batch, workers: Executor, *, is_compared: bool) -> Prepared:
        config, lookup = self._target.config, Lookup(is_compared=False)
        if not self._is_empty:
            identities = workers.submit(identify, batch, config).result()
            parts = WHOLE if is_compared else kept_parts(config)
            lookup = self._target.lookup(identities, parts)
        return workers.submit(self._prepare, batch, config, lookup).result()

    def write(self, batch: Batch, ready: Prepared, turn: Turn) -> BatchReport:
        """Send the body, while later batches with other ids are sent as well."""
        turn.pass_on(ready.ids, ready.stored_ids)
        conflicts = BatchConflicts(ready, self._run)
        ready.leave_out(conflicts.left_out)
        results = _results(ready, self._target.write(ready, conflicts.known_ids))
        # What the run does not remember, as another function prepared it, meets nothing.
        outcomes = {**results, **dict(conflicts.outcomes(results))}
        records = self._run.put(conflicts.standing_after(results))
        return BatchReport.of(batch, outcomes, ready.failures, records)

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.store.stop()


def _preparing(run: RunDocuments) -> Prepare:
    return partial(prepare, on_conflict=run.on_conflict)


def _results(prepared: Prepared, rejections: Mapping[int, str]) -> dict[int, Outcome]:
    """Return the outcomes of documents that were sent, or that the index has, by position."""
    results = {position: Outcome(id, "unchanged") for position, id in prepared.unchanged}
    for number, (position, id) in enumerate(zip(prepared.positions, prepared.ids, strict=True)):
        reason = rejections.get(number)
        results[position] = Outcome(id, "written" if reason is None else "failed", reason)
    return results


class WriteRun(Generic[Ready]):
    """One run on one index; its batches are written once.

    Args:
        policy: Decides what is written.
        processes: Processes that fingerprint; with 1, it is this one.
        ahead: Batches under way for each process.
        dead_letter: Open file for documents that fail; None to leave them to the caller.
        hold: Called before each batch with what waits; holds it back while the cluster is busy.
    """

    def __init__(
        self,
        policy: WritePolicy[Ready],
        *,
        processes: int = 1,
        ahead: int = AHEAD,
        dead_letter: DeadLetter | None = None,
        hold: Hold | None = None,
    ) -> None:
        self._policy = policy
        self._hold = hold
        self._waiter = Waiter()
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
        # Each is ended, last first, even when Ctrl-C comes again: threads wait for workers.
        with ExitStack() as stack:
            threads = ThreadPoolExecutor(window, thread_name_prefix="ingest")
            stack.callback(threads.shutdown, cancel_futures=True)
            self._workers = stack.enter_context(worker_pool(processes))
            stack.callback(self._sequencer.stop)
            stack.callback(self._policy.stop)
            stack.callback(self._waiter.stop)
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
        # Not later: whoever has reserved a text must not stand still.
        if self._hold is not None:
            self._hold(self._waiter.wait)
        ready = self._policy.prepare(batch, self._workers)
        with self._sequencer.turn(number) as turn:
            if self._policy.is_outdated(ready, turn):
                ready = self._policy.prepare_again(batch, self._workers)
            return self._policy.write(batch, ready, turn)

    def _end(self, error: BaseException) -> None:
        """End the run: no later batch shall wait for its turn."""
        self._error = self._error or error
        self._policy.stop()
        self._waiter.stop()
        self._sequencer.stop()


def write_batches(policy: WritePolicy[Ready], batches: Iterable[Batch]) -> Iterator[Outcome]:
    """Yield the outcome of each document of some batches, in order; all work is in this process.

    Raises:
        ClusterError: The cluster rejects every document, or is away for too long.
    """
    for _, report in WriteRun(policy).finished(batches):
        yield from report.outcomes
