"""Writing families into documents, never over a newer text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.maintenance.families.family_reader import FamilyDocument
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import CONFLICT, NOT_FOUND
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.paths import nested_path
from es_simhash.store.source import text_of

_UPDATES = 1000
_RETRY = RetryPolicy(max_delay=16.0, max_elapsed=30.0)
# Other fields of a document may change this often between reading and writing.
_ATTEMPTS = 7


@dataclass(frozen=True)
class Membership:
    """What is written into a document.

    Attributes:
        family: Name of its family.
        represents: Whether it represents the family.
    """

    family: str
    represents: bool


# A document with what is to be written into it.
Change = tuple[FamilyDocument, Membership]


class FamilyWriter:
    """Writes `family` and `representative`, and nothing else, by partial updates.

    Args:
        client: Client of the cluster.
        config: Of the index.
    """

    def __init__(self, client: Client, config: IndexConfig) -> None:
        self._gateway = Gateway.of(client, _RETRY)
        self._config = config

    def write(self, changes: Sequence[Change]) -> set[DocumentRef]:
        """Write the family of each document; return those that another writer changed or deleted.

        Raises:
            ClusterError: An update is rejected, or other writers never pause.
        """
        conflicts: set[DocumentRef] = set()
        for start in range(0, len(changes), _UPDATES):
            conflicts |= self._write_batch(changes[start : start + _UPDATES])
        return conflicts

    def _write_batch(self, batch: Sequence[Change]) -> set[DocumentRef]:
        conflicts: set[DocumentRef] = set()
        pending = list(batch)
        for _ in range(_ATTEMPTS):
            pending = self._attempt(pending, conflicts)
            if not pending:
                return conflicts
        raise ClusterError(
            f"Other writers change {len(pending)} documents faster than families are written; "
            "run it again later to resume."
        )

    def _attempt(self, batch: Sequence[Change], conflicts: set[DocumentRef]) -> list[Change]:
        """Send updates; return those to retry, as only other fields than the text changed."""
        rejected = []
        results = self._gateway.bulk([self._action(*change) for change in batch])
        for change, result in zip(batch, results, strict=True):
            ref = change[0].ref
            if result["status"] == CONFLICT:
                rejected.append(change)
            elif result["status"] == NOT_FOUND:
                conflicts.add(ref)
            elif "error" in result:
                raise ClusterError(f"Document {ref.id!r} is rejected: {reason_of(result)}.")
        pending = self._with_same_text(rejected)
        conflicts.update({document.ref for document, _ in rejected} - {d.ref for d, _ in pending})
        return pending

    def _action(self, document: FamilyDocument, member: Membership) -> list[dict[str, Any]]:
        members = {fields.FAMILY: member.family, fields.REPRESENTATIVE: member.represents}
        target = {"_index": document.ref.index, "_id": document.ref.id}
        update = {"update": {**target, **document.version.conditions}}
        return [update, {"doc": nested_path(self._config.simhash_field, members)}]

    def _with_same_text(self, changes: Sequence[Change]) -> list[Change]:
        """Read documents again; return those with the same text, in their present version."""
        if not changes:
            return []
        path = self._config.path(fields.CONTENT_HASH)
        entries = self._gateway.documents([document.ref for document, _ in changes], [path])
        return [
            (_with_version(document, entry), member)
            for (document, member), entry in zip(changes, entries, strict=True)
            if entry.get("found") and text_of(entry["_source"], path) == document.content_hash
        ]


def _with_version(document: FamilyDocument, entry: Mapping[str, Any]) -> FamilyDocument:
    version = DocumentVersion(document.ref, entry["_seq_no"], entry["_primary_term"])
    return replace(document, version=version)
