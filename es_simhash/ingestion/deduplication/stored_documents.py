"""Documents as the index has them now, which searches may not see yet."""

import json
from collections.abc import Sequence

from es_simhash.ingestion.bulk.json_documents import cut
from es_simhash.ingestion.deduplication.version_rules import RunContext
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.updates import change_documents, require_accepted
from es_simhash.store.intents import DocumentsAt, Parts
from es_simhash.store.protocol import Store
from es_simhash.store.rows import Row, WriteResult

WHOLE = Parts(whole=True, text=True, members=True)
_COMPARED = Parts(text=True, members=True)


class StoredDocuments:
    """Reads documents of one index in real time, refreshed or not, and changes them.

    Args:
        gateway: Sends the changes; it retries.
        context: Context of the run.
        store: The index, for requests.

    Attributes:
        gateway: That gateway.
        context: That context.
        store: That index.
    """

    def __init__(self, gateway: Gateway, context: RunContext, store: Store) -> None:
        self.gateway = gateway
        self.context = context
        self.store = store
        # What is replaced goes to the audit log as a whole.
        self._parts = WHOLE if context.rules.action == "replace" else _COMPARED

    def read(self, refs: Sequence[DocumentRef], parts: Parts | None = None) -> list[Row | None]:
        """Return documents, by default with what decisions and their records need."""
        request = DocumentsAt(tuple(refs), parts or self._parts)
        rows = self.store.ask([request])[0] if refs else {}
        return [rows.get(ref) for ref in refs]

    def existing(self, refs: Sequence[DocumentRef]) -> set[str]:
        """Return the ids of those of the documents that the index has."""
        return {row.id for row in self.read(refs, Parts()) if row is not None}

    def change(self, changes: Sequence[Change]) -> Sequence[WriteResult]:
        """Change documents, and return the result of each.

        Raises:
            ClusterError: A change is rejected for another reason than a newer version.
        """
        context = self.context
        results = change_documents(
            self.gateway, changes, context.config.simhash_field, index=context.index
        )
        return require_accepted(changes, results)


def version_of(row: Row) -> DocumentVersion:
    """Return in which version a document was read by its place."""
    assert row.version is not None, "a search without versions returned it"
    return row.version


def source_json(row: Row, config: IndexConfig) -> bytes:
    """Return the JSON of a document that was read as a whole.

    It is without the `simhash` object, which is computed anew on a restore.
    """
    return cut(json.dumps(row.source), {config.simhash_field}).encode()
