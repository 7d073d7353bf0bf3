"""A run: slices of a snapshot are read, fingerprinted and written side by side."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from es_simhash.backfills.documents import Hit, Task
from es_simhash.backfills.preparation import outcome, prepare
from es_simhash.backfills.report import Outcome, Report, Status
from es_simhash.backfills.store import CONFLICT, GONE, Part, Store
from es_simhash.backfills.throttle import Throttle
from es_simhash.bulk.processes import make_pool, require_startable, worker_lost
from es_simhash.engine.errors import PointInTimeExpired
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import ClusterError
from es_simhash.text.limits import MEBIBYTE

# A document that another writer changes before each of our writes.
_MOST_CONFLICTS = 20
# Snapshots that are lost without one document done.
_MOST_LOSSES = 5


@dataclass(frozen=True)
class Settings:
    """How a run works; none of it changes what is written.

    Attributes:
        processes: Processes that fingerprint. With 1, it is the process that calls; with more, a
            script needs the guard `if __name__ == "__main__":`.
        slices: Slices under way for each process.
        page: Documents read at once at the most.
        page_bytes: Characters of text to read at once; pages of long texts become shorter.
        max_docs_per_second: Bound on the documents read; None for none.
        retry: How long requests to a busy cluster are retried.
    """

    processes: int = 1
    slices: int = 2
    page: int = 500
    page_bytes: int = 2 * MEBIBYTE
    max_docs_per_second: float | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)


DEFAULT_SETTINGS = Settings()


@dataclass
class _Slice:
    """How far one slice is read."""

    number: Mapping[str, int] | None
    size: int
    after: Sequence[Any] | None = None
    ended: bool = False


class Run:
    """One run.

    Args:
        store: Reads and writes.
        task: What to do.
        parts: The documents to look at; one part after the other.
        settings: How to work.
        report: Told the number of documents.
    """

    def __init__(
        self,
        store: Store,
        task: Task,
        parts: Sequence[Part],
        settings: Settings,
        report: Report,
    ) -> None:
        self._store = store
        self._task = task
        self._parts = parts
        self._settings = settings
        self._report = report
        self._throttle = Throttle(settings.max_docs_per_second)

    def outcomes(self) -> Iterator[list[Outcome]]:
        """Yield what became of the documents, a page at a time.

        Raises:
            ClusterError: The cluster takes no documents, or is away for too long.
            EsSimhashError: A process was killed.
        """
        require_startable(self._settings.processes)
        remaining = self._remaining(self._parts)
        self._report.total = remaining
        if not remaining:
            return
        # Starting processes takes longer than fingerprinting one page.
        few = remaining <= self._settings.page
        processes = 1 if few else self._settings.processes
        slices = 1 if few else processes * self._settings.slices
        self._pool = make_pool(processes)
        threads = ThreadPoolExecutor(slices, thread_name_prefix="backfill")
        try:
            for number in range(len(self._parts)):
                yield from self._snapshots(threads, slices, self._parts[number:])
        finally:
            self._store.stop()
            self._throttle.stop()
            threads.shutdown(cancel_futures=True)
            self._pool.shutdown(cancel_futures=True)
            self._store.close_snapshot()

    def _remaining(self, parts: Sequence[Part]) -> int:
        for index in {each.index for each in parts}:
            self._store.refresh(index)
        return sum(self._store.count(each) for each in parts)

    def _snapshots(
        self, threads: ThreadPoolExecutor, slices: int, parts: Sequence[Part]
    ) -> Iterator[list[Outcome]]:
        """Go through a snapshot of the first part; when it is lost, another of what is left."""
        losses = 0
        while losses < _MOST_LOSSES:
            self._store.open_snapshot(parts[0])
            before = self._report.done
            try:
                yield from self._slices(threads, slices)
            except PointInTimeExpired:
                losses = losses + 1 if self._report.done == before else 0
                self._report.total = self._report.done + self._remaining(parts)
            else:
                self._store.close_snapshot()
                return
        raise ClusterError(
            "The cluster loses each snapshot of the index at once; run the same again later to "
            "go on."
        )

    def _slices(self, threads: ThreadPoolExecutor, count: int) -> Iterator[list[Outcome]]:
        size = min(50, self._page_bound())
        under_way = {
            threads.submit(self._step, _Slice({"id": n, "max": count} if count > 1 else None, size))
            for n in range(count)
        }
        lost: PointInTimeExpired | None = None
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    slice, outcomes = self._result(future)
                except PointInTimeExpired as error:
                    # What the other slices have under way is counted first.
                    lost = error
                    continue
                if not slice.ended and lost is None:
                    under_way.add(threads.submit(self._step, slice))
                if outcomes:
                    yield outcomes
        if lost is not None:
            raise lost

    def _page_bound(self) -> int:
        rate = self._settings.max_docs_per_second
        return self._settings.page if rate is None else max(1, min(self._settings.page, int(rate)))

    def _step(self, slice: _Slice) -> tuple[_Slice, list[Outcome]]:
        """Take the next documents of a slice all the way; runs in a thread."""
        hits, after = self._store.page(slice.size, slice.number, slice.after)
        if not hits:
            slice.ended = True
            return slice, []
        slice.after = after
        slice.size = self._next_size(hits)
        self._throttle.take(len(hits))
        return slice, self._written(hits)

    def _next_size(self, hits: Sequence[Hit]) -> int:
        """Return the size of the next page, from what the texts of this one take."""
        characters = sum(len(str(hit.source)) for hit in hits) / len(hits)
        return max(1, min(self._page_bound(), int(self._settings.page_bytes / (characters + 1))))

    def _written(self, hits: Sequence[Hit]) -> list[Outcome]:
        """Write the fields of documents; where there is a newer state, those of its text."""
        outcomes: list[Outcome] = []
        for _ in range(_MOST_CONFLICTS):
            page = self._pool.submit(prepare, hits, self._task).result()
            outcomes += page.settled
            failures = self._store.send(page)
            met = []
            for number, place in enumerate(page.positions):
                reason = failures.get(number)
                if reason == CONFLICT:
                    met.append(hits[place])
                elif reason == GONE:
                    outcomes.append(outcome(hits[place], "gone"))
                else:
                    status: Status = "failed" if reason else "written"
                    outcomes.append(outcome(hits[place], status, reason))
            if not met:
                return outcomes
            hits = self._as_they_are_now(met, outcomes)
        reason = "It is changed faster than it can be fingerprinted; run the same again later."
        return outcomes + [outcome(hit, "failed", reason) for hit in hits]

    def _as_they_are_now(self, hits: Sequence[Hit], outcomes: list[Outcome]) -> list[Hit]:
        now = self._store.again(hits)
        outcomes += [
            outcome(old, "gone") for old, new in zip(hits, now, strict=True) if new is None
        ]
        return [each for each in now if each is not None]

    def _result(
        self, future: "Future[tuple[_Slice, list[Outcome]]]"
    ) -> tuple[_Slice, list[Outcome]]:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise worker_lost(self._settings.processes) from error
