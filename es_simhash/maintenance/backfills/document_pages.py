"""Pages of documents that a backfill reads and writes, again after a conflict."""

import threading
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from math import inf

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill_job import (
    BackfillJob,
    IndexPart,
    PreparedPage,
    SourceDocument,
)
from es_simhash.relation.references import DocumentRef
from es_simhash.store.fields import ENTITIES, PACKED_MEMBERS, SOURCE
from es_simhash.store.intents import Count, DocumentsAt, Find, Parts, Where
from es_simhash.store.protocol import Store, WritableStore
from es_simhash.store.rows import Row

# Attempts on a document that another writer changes before each of them.
_MAX_ATTEMPTS = 20


class DocumentReader:
    """Reads the documents of a job.

    Args:
        store: The index.
        job: What the run does.

    Attributes:
        parts: What is read of each document.
    """

    def __init__(self, store: Store, job: BackfillJob) -> None:
        self._store = store
        self._job = job
        config = job.config
        fields = (*config.text_fields, config.simhash_field, *config.entity_fields)
        # Whether a document is current is in the small members.
        read = PACKED_MEMBERS if job.check else ()
        unread = *(name for name in config.large_members if name not in read), ENTITIES
        self.parts = Parts(fields=fields, excluded=unread, has_fingerprint=True, version=True)

    def count(self, part: IndexPart) -> int:
        """Return the number of documents of a part."""
        count: int
        (count,) = self._store.ask([Count(part.where, part.index, part.shard)])
        return count

    def sample(self, where: Where, size: int) -> list[Row]:
        """Return documents drawn at random, the same for the same index."""
        (sample,) = self._store.ask([Find(where, self.parts, size, ("random",))])
        return list(sample.rows)

    def reread(self, documents: Sequence[SourceDocument]) -> list[SourceDocument | None]:
        """Return documents as they are now; None for those that are gone."""
        refs = [document.row.ref for document in documents]
        rows = self._rows(refs, self.parts)
        present = iter(self.with_counterparts([rows[ref] for ref in refs if ref in rows]))
        return [next(present) if ref in rows else None for ref in refs]

    def with_counterparts(self, rows: Sequence[Row]) -> list[SourceDocument]:
        """Return documents with what the sidecar has of them."""
        sidecar = self._job.sidecar
        if sidecar is None:
            return [SourceDocument(row) for row in rows]
        refs = [DocumentRef(sidecar, row.id) for row in rows]
        parts = replace(self.parts, fields=(self._job.config.simhash_field, SOURCE))
        counterparts = self._rows(refs, parts)
        return [
            SourceDocument(row, counterparts.get(ref)) for row, ref in zip(rows, refs, strict=True)
        ]

    def _rows(self, refs: Sequence[DocumentRef], parts: Parts) -> dict[DocumentRef, Row]:
        rows: dict[DocumentRef, Row]
        (rows,) = self._store.ask([DocumentsAt(tuple(refs), parts)])
        return rows


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


class DocumentWriter:
    """Fingerprints documents and writes their fields; safe to use from several threads.

    Args:
        store: The index; it retries.
        target: Index that is written to.
        reader: Reads documents again after a conflict.
        prepare: Fingerprints.
    """

    def __init__(
        self,
        store: WritableStore,
        target: str,
        reader: DocumentReader,
        prepare: Callable[[Sequence[SourceDocument]], PreparedPage],
    ) -> None:
        self._store = store
        self._target = target
        self._reader = reader
        self._prepare = prepare

    def write(self, documents: Sequence[SourceDocument]) -> list[Outcome]:
        """Write the fields of documents; of one with a newer version, those of its new text.

        Raises:
            ClusterError: The cluster takes no documents, or is busy for too long.
        """
        outcomes: list[Outcome] = []
        resent: set[tuple[str | None, str | None]] = set()
        for _ in range(_MAX_ATTEMPTS):
            page = self._prepare(documents)
            outcomes += (_of_resent(outcome, resent) for outcome in page.finished)
            conflicts = self._send(page, documents, outcomes, resent)
            if not conflicts:
                return outcomes
            documents = self._current(conflicts, outcomes)
        reason = "It is changed faster than it can be fingerprinted; run the same again later."
        return outcomes + [document.outcome("failed", reason) for document in documents]

    def _send(
        self,
        page: PreparedPage,
        documents: Sequence[SourceDocument],
        outcomes: list[Outcome],
        resent: set[tuple[str | None, str | None]],
    ) -> list[SourceDocument]:
        """Send a page, add the outcomes, and return the documents that have a newer version.

        Those that were sent before, without an answer, are added to `resent`.
        """
        failures = self._store.write(page.body, page.ends, index=self._target)
        conflicts = []
        for number, position in enumerate(page.positions):
            document, failure = documents[position], failures.get(number)
            if failure is None:
                outcomes.append(document.outcome("written"))
            elif failure.status == "conflict":
                conflicts.append(document)
                if failure.is_resent:
                    resent.add((document.row.ref.index, document.row.id))
            elif failure.status == "missing":
                outcomes.append(document.outcome("gone"))
            else:
                outcomes.append(document.outcome("failed", failure.reason))
        return conflicts

    def _current(
        self, documents: Sequence[SourceDocument], outcomes: list[Outcome]
    ) -> list[SourceDocument]:
        """Read documents again and return those that are still there."""
        remaining = []
        for document, current in zip(documents, self._reader.reread(documents), strict=True):
            if current is None:
                outcomes.append(document.outcome("gone"))
            else:
                remaining.append(current)
        return remaining


def _of_resent(outcome: Outcome, resent: Container[tuple[str | None, str | None]]) -> Outcome:
    """Return the outcome of a document that conflicts with itself where it was resent.

    What is found there is what was written when the answer was lost.
    """
    if outcome.status == "unchanged" and (outcome.index, outcome.id) in resent:
        return replace(outcome, status="written")
    return outcome
