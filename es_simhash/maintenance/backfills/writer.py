"""What a backfill writes: the fields of documents, once more where somebody was quicker."""

from collections.abc import Sequence
from concurrent.futures import Executor

from es_simhash.ingestion.bulk.outcome import Outcome
from es_simhash.maintenance.backfills.job import BackfillJob, StoredDocument
from es_simhash.maintenance.backfills.preparation import PreparedPage, prepare
from es_simhash.maintenance.backfills.reader import DocumentReader
from es_simhash.store.elasticsearch.bulk import CONFLICT
from es_simhash.store.elasticsearch.gateway import Gateway

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
            outcomes += page.settled
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
