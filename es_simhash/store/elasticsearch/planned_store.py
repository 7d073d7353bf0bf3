"""An index as it would be after writes that are not sent, for runs that only show what they do."""

import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hit_rows import row_of
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.intents import DocumentsAt, Parts, Request
from es_simhash.store.paths import get_path
from es_simhash.store.rows import Row, WriteResult

_TERM = 1


class PlannedStore(ElasticsearchStore):
    """An index that is read as if documents had been written; nothing is sent that writes.

    Documents read by their places are as `write` and `change` would have left them. Searches see
    the index as it is, as those of a run see what it wrote only after the next refresh. What is
    planned is kept in a temporary file.

    Args:
        gateway: To the cluster.
        name: Of the index.
        config: What is known of its configuration.
    """

    def __init__(
        self,
        gateway: Gateway,
        name: str,
        config: IndexConfig | None = None,
        *,
        is_complete: bool = False,
    ) -> None:
        super().__init__(gateway, name, config, is_complete=is_complete)
        self._lock = threading.Lock()
        # Without a name SQLite keeps a database in a file of its own, which it removes.
        self._planned = sqlite3.connect("", check_same_thread=False)
        self._planned.execute("CREATE TABLE planned (id TEXT PRIMARY KEY, hit TEXT)")
        self._families: dict[str, str | None] = {}
        self._number = 0

    def ask(self, requests: Sequence[Request[Any]]) -> list[Any]:
        """Return the answer to each request."""
        answers = super().ask(requests)
        return [
            self._as_planned(request, answer) if isinstance(request, DocumentsAt) else answer
            for request, answer in zip(requests, answers, strict=True)
        ]

    def change(self, changes: Sequence[Change]) -> list[WriteResult]:
        """Take documents as changed."""
        for change in changes:
            id = change.version.ref.id
            hit = self._get(id)
            if change.members is None:
                self._put(id, {})
            elif hit:
                hit["_source"][self.index.given.simhash_field].update(change.members)
                self._put(id, hit)
            elif fields.FAMILY in change.members:
                self._families[id] = change.members[fields.FAMILY]
        return [WriteResult("written")] * len(changes)

    def write(
        self, body: bytes, ends: Sequence[int], *, index: str | None = None
    ) -> dict[int, WriteResult]:
        """Take documents as written; nothing is rejected."""
        for start, end in pairwise([0, *ends]):
            self._plan(body[start:end])
        return {}

    def refresh(self) -> None:
        """Make what others wrote visible to searches, where that is allowed."""
        self.refresh_if_allowed(self.name)

    def _plan(self, action: bytes) -> None:
        """Take a document as written, from the two lines of its action."""
        head, document = map(json.loads, action.split(b"\n", 1))
        # A document of a data stream is created.
        (place,) = head.values()
        members = get_path(document, self.index.given.simhash_field)
        if isinstance(members, dict):
            for name in fields.LARGE_MEMBERS:
                members.pop(name, None)
        self._number += 1
        hit = {
            "_index": self.name,
            "_id": place["_id"],
            "_source": document,
            "_seq_no": self._number,
            "_primary_term": _TERM,
            **({"_routing": place["routing"]} if "routing" in place else {}),
        }
        self._put(place["_id"], hit)

    def _as_planned(
        self, request: DocumentsAt, rows: Mapping[DocumentRef, Row]
    ) -> dict[DocumentRef, Row]:
        planned = {}
        for ref in request.refs:
            hit, row = self._get(ref.id), rows.get(ref)
            if hit:
                planned[ref] = row_of(hit, request.parts, self.config)
            elif hit is None and row is not None:
                planned[ref] = self._with_family(row, request.parts)
        return planned

    def _with_family(self, row: Row, parts: Parts) -> Row:
        if row.id in self._families and (parts.members or parts.family):
            return row._replace(family=self._families[row.id])
        return row

    def _get(self, id: str) -> dict[str, Any] | None:
        """Return a document as it is planned: empty for one that is deleted, None for none."""
        with self._lock:
            found = self._planned.execute("SELECT hit FROM planned WHERE id = ?", [id]).fetchone()
        return None if found is None else dict(json.loads(found[0]))

    def _put(self, id: str, hit: Mapping[str, Any]) -> None:
        with self._lock:
            self._planned.execute("REPLACE INTO planned VALUES (?, ?)", [id, json.dumps(hit)])
