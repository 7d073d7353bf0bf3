"""A run: batches are read, prepared in processes, sent by threads, and accounted for in order."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.dead_letter import DeadLetter
from es_simhash.bulk.order import Turns
from es_simhash.bulk.outcome import Outcome
from es_simhash.bulk.preparation import (
    Prepare,
    Prepared,
    default_processes,
    identify,
    make_pool,
    prepare,
)
from es_simhash.bulk.sender import Sender
from es_simhash.bulk.sources import Limits
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.engine.retry import RetryPolicy, Stopped
from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.storage.config import IndexConfig


@dataclass(frozen=True)
class Settings:
    """How a run works; none of it changes what is written.

    Attributes:
        processes: Processes that fingerprint; None for the number of processors.
        limits: How large a batch becomes.
        ahead: Batches under way for each process; bounds the memory.
        rewrite: Write documents too that the index has already.
        retry: How long requests to a busy cluster are retried.
        prepare: What a process does with a batch.
    """

    processes: int | None = None
    limits: Limits = field(default_factory=Limits)
    ahead: int = 3
    rewrite: bool = False
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    prepare: Prepare = prepare


DEFAULT_SETTINGS = Settings()


class Run:
    """One run on one index.

    Args:
        client: The client.
        index: The index, with our fields.
        config: How documents become actions.
        settings: How the run works.
        dead_letter: Where documents go that fail.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        config: IndexConfig,
        settings: Settings,
        dead_letter: DeadLetter,
    ) -> None:
        self._config = config
        self._settings = settings
        self._dead_letter = dead_letter
        gateway = Gateway.of(client, settings.retry)
        self._sender = Sender(gateway, index, config.simhash_field)
        self._error: BaseException | None = None
        self._looks_up = not settings.rewrite and not _is_empty(client, index)
        self._processes = settings.processes or default_processes()

    def finished(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, list[Outcome]]]:
        """Yield each batch, in order, when all its documents are written or have failed.

        Raises:
            ClusterError: The cluster takes no documents.
            EsSimhashError: A process was killed.
        """
        batches = iter(batches)
        first = list(islice(batches, 2))
        # Starting processes takes longer than fingerprinting one batch.
        processes = self._processes if len(first) > 1 else 1
        most = max(2, processes * self._settings.ahead)
        self._turns = Turns(most)
        self._pool = make_pool(processes)
        threads = ThreadPoolExecutor(most, thread_name_prefix="ingest")
        try:
            yield from self._through(threads, chain(first, batches), most)
        finally:
            self._sender.stop()
            self._turns.stop()
            threads.shutdown(cancel_futures=True)
            self._pool.shutdown(cancel_futures=True)

    def _through(
        self, threads: ThreadPoolExecutor, batches: Iterator[Batch], most: int
    ) -> Iterator[tuple[Batch, list[Outcome]]]:
        under_way: deque[tuple[Batch, Future[Account]]] = deque()
        for number, batch in enumerate(batches):
            under_way.append((batch, threads.submit(self._handle, number, batch)))
            while under_way and (len(under_way) >= most or under_way[0][1].done()):
                yield self._settle(*under_way.popleft())
        while under_way:
            yield self._settle(*under_way.popleft())

    def _settle(self, batch: Batch, future: "Future[Account]") -> tuple[Batch, list[Outcome]]:
        try:
            account = future.result()
        except Stopped:
            # A later batch ended the run; what it met with is the reason to show.
            raise self._error or EsSimhashError("The run was ended.") from None
        for place, id, reason in account.failed:
            self._dead_letter.add(batch, place, id, reason)
        return batch, account.outcomes

    def _handle(self, number: int, batch: Batch) -> "Account":
        """Take one batch all the way; runs in a thread."""
        try:
            return self._sent(number, batch)
        except Stopped:
            raise
        except BrokenProcessPool as error:
            self._end(
                EsSimhashError(
                    "A process that fingerprints was ended, perhaps for want of memory; "
                    "run the same again with fewer --processes to go on."
                )
            )
            raise Stopped from error
        except BaseException as error:
            self._end(error)
            raise

    def _end(self, error: BaseException) -> None:
        """End the run: no later batch shall wait for its turn."""
        self._error = self._error or error
        self._sender.stop()
        self._turns.stop()

    def _sent(self, number: int, batch: Batch) -> "Account":
        prepared = self._prepared(batch, self._found(batch))
        self._turns.wait_for(number)
        same = {id for _, id, reason in prepared.unchanged if reason is None}
        if self._turns.written_lately(same):
            prepared = self._prepared(batch, None)
        self._turns.go(number, prepared.ids)
        try:
            failures = self._sender.send(prepared)
        finally:
            self._turns.leave(number)
        return Account.of(batch, prepared, failures)

    def _found(self, batch: Batch) -> Mapping[str, Mapping[str, Any]] | None:
        if not self._looks_up:
            return None
        return self._sender.look_up(self._pool.submit(identify, batch, self._config).result())

    def _prepared(self, batch: Batch, found: Mapping[str, Mapping[str, Any]] | None) -> Prepared:
        return self._pool.submit(self._settings.prepare, batch, self._config, found).result()


@dataclass(frozen=True)
class Account:
    """What became of the documents of one batch, in their order.

    Attributes:
        outcomes: For the caller.
        failed: Place, id and reason of those that failed.
    """

    outcomes: list[Outcome]
    failed: list[tuple[int, str | None, str]]

    @classmethod
    def of(cls, batch: Batch, prepared: Prepared, failures: Mapping[int, str]) -> "Account":
        """Put it together from what was prepared, and the reasons of what was refused."""
        placed = [(place, Outcome(id, "unchanged", why)) for place, id, why in prepared.unchanged]
        failed: list[tuple[int, str | None, str]] = [*prepared.refused]
        for number, (place, id) in enumerate(zip(prepared.places, prepared.ids, strict=True)):
            if number in failures:
                failed.append((place, id, failures[number]))
            else:
                placed.append((place, Outcome(id, "written")))
        for place, failed_id, reason in failed:
            placed.append((place, Outcome(failed_id, "failed", reason, spot(batch, place))))
        placed.sort(key=itemgetter(0))
        return cls([outcome for _, outcome in placed], failed)


def spot(batch: Batch, place: int) -> str:
    """Return where a document was read."""
    file, line = batch.where(place)
    return file if line is None else f"{file}:{line}"


def _is_empty(client: Client, index: str) -> bool:
    """True when no document can be there already; False where that cannot be asked."""
    try:
        gateway = Gateway.of(client)
        gateway.refresh(index)
        found = gateway.request("GET", index_path(index, "_count"))
    except ClusterError:
        return False
    return found["count"] == 0 and not found["_shards"]["failed"]
