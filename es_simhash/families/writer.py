"""Writing families into documents that nobody changed meanwhile."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import elasticsearch

from es_simhash.engine.cluster import plain_errors, reason_of
from es_simhash.errors import ClusterError
from es_simhash.families.snapshot import Key, Stored
from es_simhash.storage import fields
from es_simhash.storage.fields import field_path
from es_simhash.storage.source import text_of

_BATCH = 1000
_CONFLICT, _GONE = 409, 404
# Too many requests, or a shard that is away for now; asked again after so many seconds each time.
_PASSING = frozenset({429, 502, 503, 504})
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Writer:
    """Writes `family`, and nothing else, by partial updates.

    Args:
        client: Of the cluster.
        field: Name of our object.
    """

    def __init__(self, client: elasticsearch.Elasticsearch, field: str) -> None:
        self._client = client
        self._field = field

    def write(self, families: Sequence[tuple[Stored, str]]) -> set[Key]:
        """Write the family of each document; give those that changed meanwhile and were left."""
        left: set[Key] = set()
        for start in range(0, len(families), _BATCH):
            left |= self._write_batch(families[start : start + _BATCH])
        return left

    def _write_batch(self, batch: Sequence[tuple[Stored, str]]) -> set[Key]:
        left: set[Key] = set()
        waiting = list(batch)
        for pause in (*_PAUSES, None):
            waiting = list(self._attempt(waiting, left))
            if not waiting:
                return left
            if pause is not None:
                time.sleep(pause)
        raise ClusterError(
            f"The cluster takes no updates for now ({len(waiting)} are left); "
            "run the same again later to go on."
        )

    def _attempt(
        self, batch: Sequence[tuple[Stored, str]], left: set[Key]
    ) -> Iterator[tuple[Stored, str]]:
        """Send updates once, with a second try for conflicts; yield those to be sent again."""
        conflicts = []
        for (stored, family), result in self._send(batch):
            if result["status"] == _CONFLICT:
                conflicts.append((stored, family))
            elif result["status"] in _PASSING:
                yield stored, family
            elif result["status"] == _GONE:
                left.add(stored.key)
            elif "error" in result:
                raise ClusterError(f"Document {stored.key.id!r} is refused: {reason_of(result)}.")
        again = self._unchanged(conflicts)
        left.update(stored.key for stored, _ in conflicts if stored.key not in again)
        for stored, family in conflicts:
            if stored.key in again:
                yield again[stored.key], family

    def _send(
        self, batch: Sequence[tuple[Stored, str]]
    ) -> Iterator[tuple[tuple[Stored, str], Mapping[str, Any]]]:
        lines: list[dict[str, Any]] = []
        for stored, family in batch:
            action = {
                **stored.address,
                "if_seq_no": stored.seq_no,
                "if_primary_term": stored.primary_term,
            }
            lines += [{"update": action}, {"doc": self._document(family)}]
        with plain_errors(self._client):
            answer = self._client.bulk(operations=lines)
        for entry, item in zip(batch, answer["items"], strict=True):
            yield entry, item["update"]

    def _document(self, family: str) -> dict[str, Any]:
        body: dict[str, Any] = {fields.FAMILY: family}
        for part in reversed(self._field.split(".")):
            body = {part: body}
        return body

    def _unchanged(self, conflicts: Sequence[tuple[Stored, str]]) -> dict[Key, Stored]:
        """Read documents again; give those whose text is the same, only other fields are not."""
        if not conflicts:
            return {}
        docs = [stored.address for stored, _ in conflicts]
        path = field_path(self._field, fields.CONTENT_HASH)
        with plain_errors(self._client):
            answer = self._client.mget(docs=docs, source_includes=[path])
        found = {}
        for (stored, _), entry in zip(conflicts, answer["docs"], strict=True):
            same = entry.get("found") and text_of(entry["_source"], path) == stored.content_hash
            if same:
                found[stored.key] = replace(
                    stored, seq_no=entry["_seq_no"], primary_term=entry["_primary_term"]
                )
        return found
