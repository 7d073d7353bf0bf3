"""Writing families into documents that nobody changed meanwhile."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import ClusterError
from es_simhash.families.snapshot import Key, Stored
from es_simhash.storage import fields
from es_simhash.storage.fields import field_path
from es_simhash.storage.references import DocumentVersion
from es_simhash.storage.source import text_of

_BATCH = 1000
_CONFLICT, _GONE = 409, 404
_RETRY = RetryPolicy(max_delay=16.0, max_elapsed=30.0)
# Other fields of a document may change so often between reading and writing.
_TRIES = 7


class Writer:
    """Writes `family`, and nothing else, by partial updates.

    Args:
        client: Of the cluster.
        field: Name of our object.
    """

    def __init__(self, client: Client, field: str) -> None:
        self._gateway = Gateway.of(client, _RETRY)
        self._field = field

    def write(self, families: Sequence[tuple[Stored, str]]) -> set[Key]:
        """Write the family of each document; give those that changed meanwhile and were left."""
        left: set[Key] = set()
        for start in range(0, len(families), _BATCH):
            left |= self._write_batch(families[start : start + _BATCH])
        return left

    def _write_batch(self, batch: Sequence[tuple[Stored, str]]) -> set[Key]:
        left: set[Key] = set()
        pending = list(batch)
        for _ in range(_TRIES):
            pending = self._attempt(pending, left)
            if not pending:
                return left
        raise ClusterError(
            f"Other writers change {len(pending)} documents faster than families are written; "
            "run the same again later to go on."
        )

    def _attempt(
        self, batch: Sequence[tuple[Stored, str]], left: set[Key]
    ) -> list[tuple[Stored, str]]:
        """Send updates; return those in conflict with a write to other fields than the text."""
        conflicts = []
        results = self._gateway.bulk([self._action(stored, family) for stored, family in batch])
        for (stored, family), result in zip(batch, results, strict=True):
            if result["status"] == _CONFLICT:
                conflicts.append((stored, family))
            elif result["status"] == _GONE:
                left.add(stored.key)
            elif "error" in result:
                raise ClusterError(f"Document {stored.key.id!r} is refused: {reason_of(result)}.")
        unchanged = self._unchanged(conflicts)
        left.update(stored.key for stored, _ in conflicts if stored.key not in unchanged)
        return [
            (unchanged[stored.key], family)
            for stored, family in conflicts
            if stored.key in unchanged
        ]

    def _action(self, stored: Stored, family: str) -> list[dict[str, Any]]:
        version = DocumentVersion(stored.ref, stored.seq_no, stored.primary_term)
        target = {"_index": stored.key.index, "_id": stored.key.id, **version.conditions}
        return [{"update": target}, {"doc": self._document(family)}]

    def _document(self, family: str) -> dict[str, Any]:
        body: dict[str, Any] = {fields.FAMILY: family}
        for part in reversed(self._field.split(".")):
            body = {part: body}
        return body

    def _unchanged(self, conflicts: Sequence[tuple[Stored, str]]) -> dict[Key, Stored]:
        """Read documents again; give those whose text is the same, only other fields are not."""
        if not conflicts:
            return {}
        path = field_path(self._field, fields.CONTENT_HASH)
        entries = self._gateway.documents([stored.ref for stored, _ in conflicts], [path])
        found = {}
        for (stored, _), entry in zip(conflicts, entries, strict=True):
            same = entry.get("found") and text_of(entry["_source"], path) == stored.content_hash
            if same:
                found[stored.key] = replace(
                    stored, seq_no=entry["_seq_no"], primary_term=entry["_primary_term"]
                )
        return found
