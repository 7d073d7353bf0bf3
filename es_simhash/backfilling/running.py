"""A run: slices of a snapshot are read, fingerprinted and written side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import elasticsearch

from es_simhash.backfilling.failures import Failures
from es_simhash.backfilling.hits import Hit, Task
from es_simhash.backfilling.opening import (
    install_sidecar,
    is_mapped,
    open_task,
    require_some_text,
)
from es_simhash.backfilling.outcome import Outcome, Report, Status
from es_simhash.backfilling.preparing import outcome, prepare
from es_simhash.backfilling.store import CONFLICT, GONE, Lost, Store
from es_simhash.backfilling.throttling import Throttle
from es_simhash.document import DEFAULT_FIELD, MEANING_SCHEME, SCHEME, field_path
from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.ingesting.sending import Patience
from es_simhash.ingesting.workers import default_processes, make_pool
from es_simhash.limits import MEBIBYTE
from es_simhash.query.body import Query

# A document that another writer changes before each of our writes.
_MOST_CONFLICTS = 20
# Snapshots that are lost without one document done.
_MOST_LOSSES = 5
_SAMPLED = 100


@dataclass(frozen=True)
class Settings:
    """How a run works; none of it changes what is written.

    Attributes:
        processes: Processes that fingerprint; None for the number of processors.
        slices: Slices under way for each process.
        page: Documents read at once at the most.
        page_bytes: Characters of text to read at once; pages of long texts become shorter.
        max_docs_per_second: Bound on the documents read; None for none.
        patience: How long a busy cluster is asked again.
    """

    processes: int | None = None
    slices: int = 2
    page: int = 500
    page_bytes: int = 2 * MEBIBYTE
    max_docs_per_second: float | None = None
    patience: Patience = field(default_factory=Patience)


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
        query: The documents to look at.
        settings: How to work.
        report: Told the number of documents.
    """

    def __init__(
        self, store: Store, task: Task, query: Query, settings: Settings, report: Report
    ) -> None:
        self._store = store
        self._task = task
        self._query = query
        self._settings = settings
        self._report = report
        self._throttle = Throttle(settings.max_docs_per_second)

    def outcomes(self) -> Iterator[list[Outcome]]:
        """Yield what became of the documents, a page at a time.

        Raises:
            ClusterError: The cluster takes no documents, or is away for too long.
            EsSimhashError: A process was killed.
        """
        remaining = self._store.count(self._query)
        self._report.total = remaining
        if not remaining:
            return
        # Starting processes takes longer than fingerprinting one page.
        few = remaining <= self._settings.page
        processes = 1 if few else self._settings.processes or default_processes()
        slices = 1 if few else processes * self._settings.slices
        self._pool = make_pool(processes)
        threads = ThreadPoolExecutor(slices, thread_name_prefix="backfill")
        try:
            yield from self._snapshots(threads, slices)
        finally:
            self._store.stop()
            self._throttle.stop()
            threads.shutdown(cancel_futures=True)
            self._pool.shutdown(cancel_futures=True)
            self._store.close_snapshot()

    def _snapshots(self, threads: ThreadPoolExecutor, slices: int) -> Iterator[list[Outcome]]:
        """Go through a snapshot; when it is lost, through another of what is left."""
        losses = 0
        while losses < _MOST_LOSSES:
            self._store.open_snapshot()
            before = self._report.done
            try:
                yield from self._slices(threads, slices)
            except Lost:
                losses = losses + 1 if self._report.done == before else 0
                self._report.total = self._report.done + self._store.count(self._query)
            else:
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
        lost: Lost | None = None
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    slice, outcomes = _result(future)
                except Lost as error:
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
        hits, after = self._store.page(self._query, slice.size, slice.number, slice.after)
        if not hits:
            slice.ended = True
            return slice, []
        slice.after = after
        slice.size = self._next_size(hits)
        self._throttle.take(len(hits))
        return slice, self._written(hits)

    def _next_size(self, hits: Sequence[Hit]) -> int:
        """Give the size of the next page, from what the texts of this one take."""
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
            for number, place in enumerate(page.places):
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


def _result(future: "Future[tuple[_Slice, list[Outcome]]]") -> tuple[_Slice, list[Outcome]]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise EsSimhashError(
            "A process that fingerprints was ended, perhaps for want of memory; "
            "run the same again with fewer --processes to go on."
        ) from error


def selection(task: Task, where: Query | None, *, check: bool) -> dict[str, Any]:
    """Give the query for the documents to look at.

    What a sidecar has is not known to the first index, so that all are looked at.
    """
    chosen: dict[str, Any] = {"filter": [where]} if where else {}
    if not check and task.sidecar is None:
        chosen["must_not"] = [_current(task)]
    return {"bool": chosen} if chosen else {"match_all": {}}


def _current(task: Task) -> dict[str, Any]:
    """Give the query for documents that have all that the task makes."""
    made = {field_path(task.simhash_field, SCHEME): task.scheme.name}
    if task.meaning is not None:
        made[field_path(task.simhash_field, MEANING_SCHEME)] = task.meaning.name
    return {"bool": {"filter": [{"term": {path: name}} for path, name in made.items()]}}


def backfill(
    client: elasticsearch.Elasticsearch,
    index: str,
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    where: Query | None = None,
    check: bool = False,
    sidecar: str | None = None,
    vocabulary: str | None = None,
    failures: Path | None = None,
    settings: Settings = DEFAULT_SETTINGS,
    report: Callable[[Report], None] = lambda report: None,
) -> Iterator[Outcome]:
    """Add our fields to documents that are there already, and yield what became of each.

    Documents without fields of the schemes of the index are looked at, so that a run that was
    ended, even by a kill, goes on where it was, and a second one writes nothing. A write never
    falls on a newer state of a document: it is read again and fingerprinted as it is then. When
    the cluster loses the snapshot that is read, documents may be yielded again, none is written
    twice. With more than one process, a program needs the guard `if __name__ == "__main__":`.

    Args:
        client: The client.
        index: An index, alias or data stream with our fields; see `install`.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        where: Elasticsearch query that the documents must match.
        check: Look at documents with fingerprints too, and renew those whose text was changed.
        sidecar: Index to write the fields to, under the same ids; made when there is none. All
            documents are looked at, and those written whose state is another than the sidecar's.
        vocabulary: File of the vocabulary, where the index was installed with one.
        failures: JSONL file for ids of documents that fail; None to leave them to the caller.
        settings: How the run works.
        report: Told after each page how far the run is.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or its documents could not be kept whole.
        ClusterError: The cluster takes no documents, or is away for too long.
        InputError: No document has such a text field, it lies in nested documents, or the index
            weighs another vocabulary.
        MissingExtra: The index needs a package that is not installed.
    """
    task = open_task(
        client,
        index,
        text_field=text_field,
        simhash_field=simhash_field,
        sidecar=sidecar,
        vocabulary=vocabulary,
    )
    query = selection(task, where, check=check)
    store = Store(client, index, task, settings.patience)
    if not is_mapped(client, task):
        require_some_text(store.sample(query, _SAMPLED), task)
    if sidecar is not None:
        install_sidecar(client, index, task)
    now = Report()
    with Failures(failures, now.run) as letters:
        report(now)
        for outcomes in Run(store, task, query, settings, now).outcomes():
            now.counts.update(each.status for each in outcomes)
            for each in outcomes:
                if not each.ok:
                    letters.add(each)
            report(now)
            yield from outcomes
