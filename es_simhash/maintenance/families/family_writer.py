"""Writing families into documents, never over a newer text."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from es_simhash.errors import ClusterError
from es_simhash.maintenance.families.family_reader import Assignment, FamilyDocument, Membership
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.intents import DocumentsAt, Parts
from es_simhash.store.protocol import WritableStore
from es_simhash.store.rows import batches_of
from es_simhash.text.counting import counted

# Updates in a request, and requests at a time.
_UPDATES, _REQUESTS = 1000, 2
# How long writing waits for a busy cluster.
RETRY = RetryPolicy(max_delay=16.0, max_elapsed=30.0)
# Other fields of a document may change this often between reading and writing.
_ATTEMPTS = 7


class FamilyWriter:
    """Writes `family` and `representative`, and nothing else, by partial updates.

    Args:
        store: The index.
    """

    def __init__(self, store: WritableStore) -> None:
        self._store = store

    def write(self, changes: Sequence[Assignment]) -> set[DocumentRef]:
        """Write the family of each document; return those that another writer changed or deleted.

        Raises:
            ClusterError: An update is rejected, or other writers never pause.
        """
        if len(changes) <= _UPDATES:
            return self._write_batch(changes) if changes else set()
        # The engine has one thread for each request: with one alone it would wait for us as well.
        with ThreadPoolExecutor(_REQUESTS, thread_name_prefix="families") as threads:
            batches = batches_of(changes, _UPDATES)
            return set().union(*threads.map(self._write_batch, batches))

    def _write_batch(self, batch: Sequence[Assignment]) -> set[DocumentRef]:
        conflicts: set[DocumentRef] = set()
        pending = list(batch)
        for _ in range(_ATTEMPTS):
            pending = self._attempt(pending, conflicts)
            if not pending:
                return conflicts
        raise ClusterError(
            f"Other writers change {counted(len(pending), 'document')} faster than families are "
            "written; run it again later to resume."
        )

    def _attempt(
        self, batch: Sequence[Assignment], conflicts: set[DocumentRef]
    ) -> list[Assignment]:
        """Send updates; return those to retry, as only other fields than the text changed."""
        outdated = []
        results = self._store.change([_update(*change) for change in batch])
        for change, result in zip(batch, results, strict=True):
            ref = change[0].ref
            if result.status == "conflict":
                outdated.append(change)
            elif result.status == "missing":
                conflicts.add(ref)
            elif result.status == "rejected":
                raise ClusterError(f"Document {ref.id!r} is rejected: {result.reason}.")
        pending = self._with_same_text(outdated)
        conflicts.update({document.ref for document, _ in outdated} - {d.ref for d, _ in pending})
        return pending

    def _with_same_text(self, changes: Sequence[Assignment]) -> list[Assignment]:
        """Read documents again; return those with the same text, in their present version."""
        if not changes:
            return []
        refs = tuple(document.ref for document, _ in changes)
        (rows,) = self._store.ask([DocumentsAt(refs, Parts(members=True))])
        return [
            (replace(document, version=row.version), member)
            for document, member in changes
            if (row := rows.get(document.ref)) and row.content_hash == document.content_hash
        ]


def _update(document: FamilyDocument, member: Membership) -> Change:
    members = {fields.FAMILY: member.family, fields.REPRESENTATIVE: member.represents}
    return Change(document.version, members)
