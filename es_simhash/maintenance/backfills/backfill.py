"""Adding fingerprints to documents that an index has already, in parallel."""

import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import replace

from es_simhash.errors import ClusterError
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.bulk.processes import (
    require_startable,
    worker_lost,
    worker_pool,
)
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillJob,
    BackfillReport,
    BackfillSettings,
    FailureLog,
    IndexPart,
    Selection,
)
from es_simhash.maintenance.backfills.document_pages import (
    DocumentReader,
    DocumentWriter,
    Throttle,
)
from es_simhash.maintenance.backfills.document_updates import prepare
from es_simhash.maintenance.backfills.preconditions import open_job, require_text
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import PointInTimeExpired
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import complete_fields
from es_simhash.store.installation.sidecar import install_sidecar
from es_simhash.store.protocol import Slice, WritableStore
from es_simhash.store.rows import Row

_logger = logging.getLogger(__name__)
# Points in time that expire one after the other without one document done.
_MAX_EXPIRED = 5
_FIRST_PAGE = 50

# A slice, the size of its next page, and the outcomes of the last one.
Page = tuple[Slice, int, list[Outcome]]


def run_backfill(
    store: WritableStore, job: BackfillJob, parts: Sequence[IndexPart], settings: BackfillSettings
) -> Iterator[Outcome]:
    """Do a job on parts of an index, one after the other; yield the outcome of each document.

    Args:
        store: The index, with the retry policy of the settings; it is stopped in the end.
        job: What to do.
        parts: The documents to read.
        settings: How the run works.

    Raises:
        ClusterError: The cluster takes no documents, or is away for too long.
    """
    report = BackfillReport()
    publish = settings.report or (lambda report: None)
    with FailureLog(settings.failures, report.run) as log:
        publish(report)
        for outcomes in Run(store, job, parts, settings, report).outcomes():
            report.add(outcomes)
            log.add(outcomes)
            publish(report)
            yield from outcomes


class Run:
    """One run.

    Args:
        store: The index; it is stopped in the end.
        job: What to do.
        parts: The documents to read; one part after the other.
        settings: How to work.
        report: Gets the number of documents.
    """

    def __init__(
        self,
        store: WritableStore,
        job: BackfillJob,
        parts: Sequence[IndexPart],
        settings: BackfillSettings,
        report: BackfillReport,
    ) -> None:
        self._store = store
        self._job = job
        self._parts = parts
        self._settings = settings
        self._report = report
        self._reader = DocumentReader(store, job)
        self._throttle = Throttle(settings.max_docs_per_second)

    def outcomes(self) -> Iterator[list[Outcome]]:
        """Yield the outcomes of the documents, a page at a time.

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
        # Each is ended, last first: threads wait for workers.
        with ExitStack() as stack:
            threads = ThreadPoolExecutor(slices, thread_name_prefix="backfill")
            stack.callback(threads.shutdown, cancel_futures=True)
            workers = stack.enter_context(worker_pool(processes))
            stack.callback(self._store.stop)
            self._writer = DocumentWriter(
                self._store,
                self._job.target,
                self._reader,
                lambda documents: workers.submit(prepare, documents, self._job).result(),
            )
            for number in range(len(self._parts)):
                yield from self._first_part(threads, slices, self._parts[number:])

    def _remaining(self, parts: Sequence[IndexPart]) -> int:
        for index in {part.index for part in parts}:
            # Without the privilege older versions are read, and their updates conflict.
            self._store.refresh_if_allowed(index)
        return sum(self._reader.count(part) for part in parts)

    def _first_part(
        self, threads: ThreadPoolExecutor, slices: int, parts: Sequence[IndexPart]
    ) -> Iterator[list[Outcome]]:
        """Read the first part; when its point in time expires, open another of what is left."""
        part, expired = parts[0], 0
        while expired < _MAX_EXPIRED:
            before = self._report.done
            opened = self._store.snapshot(part.index, shard=part.shard, must_refresh=False)
            try:
                with opened as snapshot:
                    some = snapshot.slices(part.where, self._reader.parts, slices)
                    yield from self._all_slices(threads, some)
            except PointInTimeExpired:
                expired = expired + 1 if self._report.done == before else 0
                _logger.info(
                    "The point in time of index %r expired; another is opened.",
                    part.index,
                    extra={"event": "expired", "index": part.index},
                )
                self._report.total = self._report.done + self._remaining(parts)
            else:
                return
        raise ClusterError(
            "Each point in time of the index expires at once. Run it again later to resume."
        )

    def _all_slices(
        self, threads: ThreadPoolExecutor, slices: Sequence[Slice]
    ) -> Iterator[list[Outcome]]:
        size = min(_FIRST_PAGE, self._max_page())
        pending = {threads.submit(self._next_page, slice, size) for slice in slices}
        expiry: PointInTimeExpired | None = None
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    slice, size, outcomes = self._result(future)
                except PointInTimeExpired as error:
                    # What the other slices have under way is counted first.
                    expiry = error
                    continue
                if not slice.ended and expiry is None:
                    pending.add(threads.submit(self._next_page, slice, size))
                if outcomes:
                    yield outcomes
        if expiry is not None:
            raise expiry

    def _max_page(self) -> int:
        rate = self._settings.max_docs_per_second
        return self._settings.page if rate is None else max(1, min(self._settings.page, int(rate)))

    def _next_page(self, slice: Slice, size: int) -> Page:
        """Read, fingerprint and write the next documents of a slice; runs in a thread."""
        rows = slice.read(size)
        if slice.ended:
            return slice, size, []
        documents = self._reader.with_counterparts(rows)
        seconds = self._throttle.reserve(len(documents), time.monotonic())
        if seconds > 0:
            _logger.info(
                "Wait %.1f s before %d documents, for the bound of documents a second.",
                seconds,
                len(documents),
                extra={"event": "wait", "seconds": round(seconds, 3), "documents": len(documents)},
            )
        self._store.wait(seconds)
        return slice, self._next_size(rows), self._writer.write(documents)

    def _next_size(self, rows: Sequence[Row]) -> int:
        """Return the size of the next page, from the length of the texts of this one."""
        characters = sum(len(str(row.source)) for row in rows) / len(rows)
        return max(1, min(self._max_page(), int(self._settings.page_bytes / (characters + 1))))

    def _result(self, future: "Future[Page]") -> Page:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise worker_lost(self._settings.processes) from error


def backfill(
    client: Client,
    index: str,
    *,
    config: IndexConfig | None = None,
    selection: Selection | None = None,
    sidecar: str | None = None,
    settings: BackfillSettings | None = None,
) -> Iterator[Outcome]:
    """Add `simhash` fields to documents of an index; see `Index.backfill`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        config: Names of the fields and the vocabulary; the schemes are those of the index.
        selection: Which documents to read.
        sidecar: Index to write the fields to.
        settings: How the run works, where failures are logged, and who gets its reports.
    """
    settings = settings or BackfillSettings()
    # A cluster that is away is reported at once; only what the run sends is retried.
    gateway, given = Gateway.of(client), config or IndexConfig()
    mappings = complete_fields(gateway, index, given) if sidecar is None else None
    selection = selection or Selection()
    job = replace(open_job(gateway, index, given, sidecar, mappings), check=selection.check)
    where = job.where(selection)
    retrying = Gateway.of(client, settings.retry)
    store = ElasticsearchStore(retrying, index, job.config, is_complete=True)
    require_text(store, job, where)
    if sidecar is not None:
        install_sidecar(gateway, sidecar, index, job.config)
    yield from run_backfill(store, job, [IndexPart(index, where)], settings)
