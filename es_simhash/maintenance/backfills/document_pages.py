"""Pages of documents that a backfill reads and writes, again after a conflict."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill_job import BackfillJob, IndexPart, StoredDocument
from es_simhash.maintenance.backfills.document_updates import UNREAD, PreparedPage, prepare
from es_simhash.relation.references import DocumentRef
from es_simhash.store.elasticsearch.bulk import CONFLICT
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.conditions import conditions
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.pages import PointInTime
from es_simhash.store.elasticsearch.random_order import in_random_order
from es_simhash.store.fields import SOURCE
from es_simhash.store.intents import Where


@dataclass
class Slice:
    """A slice of a point in time, and how far it is read.

    Attributes:
        number: Which slice of how many, as Elasticsearch takes it; None for all documents.
        size: Documents of the next page.
        after: Sort values of the last document that was read.
        ended: True when there are no more.
    """

    number: Mapping[str, int] | None
    size: int
    after: Sequence[Any] | None = None
    ended: bool = False


class DocumentReader:
    """Reads the documents of a job.

    Args:
        gateway: Sends the requests; it has a policy.
        job: What the run does.
    """

    def __init__(self, gateway: Gateway, job: BackfillJob) -> None:
        self._gateway = gateway
        self._job = job
        config = job.config
        self._includes = [*config.text_fields, config.simhash_field, *config.entity_fields]
        self._excludes = [config.path(member) for member in UNREAD]
        self._source = {"includes": self._includes, "excludes": self._excludes}
        self._point: PointInTime | None = None
        self._where = Where()

    def count(self, part: IndexPart) -> int:
        """Count the documents of a part."""
        query = conditions(part.where, self._job.config)
        return self._gateway.count(part.index, query, shard=part.shard)

    def open(self, part: IndexPart) -> None:
        """Open a point in time of a part that has all that was written so far."""
        self.refresh(part.index)
        self._point = self._gateway.point_in_time(part.index, shard=part.shard)
        self._point.open()
        self._where = part.where

    def close(self) -> None:
        """Close the point in time if there is one."""
        if self._point is not None:
            self._point.close()

    def refresh(self, index: str) -> None:
        """Make all that was written so far visible."""
        # Without the privilege older versions are read, and their updates conflict.
        self._gateway.refresh_if_allowed(index)

    def next_page(self, slice: Slice) -> list[StoredDocument]:
        """Return the next documents of a slice; at its end there are none.

        Raises:
            PointInTimeExpired: The point in time is gone.
        """
        assert self._point is not None, "no point in time is open"
        body: dict[str, Any] = {
            "query": conditions(self._where, self._job.config),
            "size": slice.size,
            "sort": ["_shard_doc"],
            "seq_no_primary_term": True,
            "track_total_hits": False,
            "_source": self._source,
        }
        if slice.number is not None:
            body["slice"] = slice.number
        if slice.after is not None:
            body["search_after"] = slice.after
        hits = self._point.search(body)["hits"]["hits"]
        slice.ended = not hits
        slice.after = hits[-1]["sort"] if hits else None
        return self._with_counterparts([StoredDocument.of_hit(hit) for hit in hits])

    def sample(self, where: Where, size: int) -> list[StoredDocument]:
        """Return documents drawn at random, the same for the same index."""
        body = {
            "query": in_random_order(conditions(where, self._job.config)),
            "size": size,
            "seq_no_primary_term": True,
            "_source": self._source,
        }
        response = self._gateway.request("POST", index_path(self._job.index, "_search"), body)
        return [StoredDocument.of_hit(hit) for hit in response["hits"]["hits"]]

    def reread(self, documents: Sequence[StoredDocument]) -> list[StoredDocument | None]:
        """Return documents as they are now; None for those that are gone."""
        refs = [document.version.ref for document in documents]
        current = [
            StoredDocument.of_hit(entry) if entry.get("found") else None
            for entry in self._entries(refs, self._includes)
        ]
        complete = iter(self._with_counterparts([doc for doc in current if doc is not None]))
        return [None if document is None else next(complete) for document in current]

    def _with_counterparts(self, documents: list[StoredDocument]) -> list[StoredDocument]:
        """Add what the sidecar has of the documents."""
        sidecar = self._job.sidecar
        if sidecar is None or not documents:
            return documents
        refs = [DocumentRef(sidecar, document.version.ref.id) for document in documents]
        entries = self._entries(refs, [self._job.config.simhash_field, SOURCE])
        return [
            replace(document, counterpart=StoredDocument.of_hit(entry))
            if entry.get("found")
            else document
            for document, entry in zip(documents, entries, strict=True)
        ]

    def _entries(
        self, refs: Sequence[DocumentRef], includes: Sequence[str]
    ) -> list[Mapping[str, Any]]:
        return self._gateway.documents(refs, includes, excluded=self._excludes)


class Throttle:
    """Bounds the documents read per second, over all threads.

    Args:
        max_docs_per_second: The bound; None for none.

    Raises:
        InputError: The bound is not positive.
    """

    def __init__(self, max_docs_per_second: float | None) -> None:
        if max_docs_per_second is not None and not 0 < max_docs_per_second < inf:
            raise InputError(
                f"max_docs_per_second must be a number above 0, got {max_docs_per_second}.",
                parameter="max_docs_per_second",
            )
        self._rate = max_docs_per_second
        self._lock = threading.Lock()
        self._free_at = 0.0

    def reserve(self, count: int, now: float) -> float:
        """Return the seconds to wait before so many documents; later ones wait behind them."""
        if self._rate is None:
            return 0.0
        with self._lock:
            start = max(self._free_at, now)
            self._free_at = start + count / self._rate
        return start - now


# Attempts on a document that another writer changes before each of them.
_MAX_ATTEMPTS = 20
_MISSING = "document_missing_exception"


class DocumentWriter:
    """Fingerprints documents and writes their fields; safe to use from several threads.

    Args:
        gateway: Sends the requests; it has a policy.
        job: What the run does.
        reader: Reads documents again after a conflict.
        pool: Fingerprints.
    """

    def __init__(
        self, gateway: Gateway, job: BackfillJob, reader: DocumentReader, pool: Executor
    ) -> None:
        self._gateway = gateway
        self._job = job
        self._reader = reader
        self._pool = pool

    def write(self, documents: Sequence[StoredDocument]) -> list[Outcome]:
        """Write the fields of documents; of one with a newer version, those of its new text.

        Raises:
            ClusterError: The cluster takes no documents, or is busy for too long.
        """
        outcomes: list[Outcome] = []
        for _ in range(_MAX_ATTEMPTS):
            page = self._pool.submit(prepare, documents, self._job).result()
            outcomes += page.finished
            conflicts = self._send(page, documents, outcomes)
            if not conflicts:
                return outcomes
            documents = self._current(conflicts, outcomes)
        reason = "It is changed faster than it can be fingerprinted; run the same again later."
        return outcomes + [document.outcome("failed", reason) for document in documents]

    def _send(
        self, page: PreparedPage, documents: Sequence[StoredDocument], outcomes: list[Outcome]
    ) -> list[StoredDocument]:
        """Send a page, add the outcomes, and return the documents that have a newer version."""
        rejections = self._gateway.bulk_body(self._job.target, page.body, page.ends)
        conflicts = []
        for number, position in enumerate(page.positions):
            document, rejection = documents[position], rejections.get(number)
            if rejection is None:
                outcomes.append(document.outcome("written"))
            elif rejection.status == CONFLICT:
                conflicts.append(document)
            elif rejection.kind == _MISSING:
                outcomes.append(document.outcome("gone"))
            else:
                outcomes.append(document.outcome("failed", rejection.reason))
        return conflicts

    def _current(
        self, documents: Sequence[StoredDocument], outcomes: list[Outcome]
    ) -> list[StoredDocument]:
        """Read documents again and return those that are still there."""
        remaining = []
        for document, current in zip(documents, self._reader.reread(documents), strict=True):
            if current is None:
                outcomes.append(document.outcome("gone"))
            else:
                remaining.append(current)
        return remaining
