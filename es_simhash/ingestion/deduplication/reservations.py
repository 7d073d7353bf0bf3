"""Two writers at once: a text is reserved by whoever is first, until its document is there.

A reservation is a small document of the state index, made with `op_type: create`.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.ingestion.deduplication.stored_documents import WHOLE, StoredDocuments
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.elasticsearch.bulk import CONFLICT
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.rows import Row

# Reservations are of no use when searches have long seen the document; in milliseconds.
MAX_AGE = 600_000
_POLL_SECONDS = 0.1
_RESERVATIONS_PER_PAGE = 1000


class Reservations:
    """The reservations of one run.

    Args:
        documents: Reads documents of the user's index.
        index: Name of the state index; it exists.
        clock: Milliseconds since 1970.
    """

    def __init__(
        self,
        documents: StoredDocuments,
        index: str,
        *,
        clock: Callable[[], float] = lambda: time.time() * 1000,
    ) -> None:
        self._documents = documents
        self._gateway = documents.gateway
        self._field = documents.context.config.simhash_field
        self._run = documents.context.run
        self._lease = documents.context.rules.lease * 1000
        self._index = index
        self._clock = clock
        # Runs that let a lease pass; nobody waits for them a second time.
        self._dead: set[str] = set()

    def acquire(self, wanted: Mapping[str, DocumentRef]) -> dict[str, Row]:
        """Reserve texts for documents.

        They are taken in the order of their hashes, and none behind one that is waited for, so
        that no two writers wait for each other.

        Args:
            wanted: Where the document will be, by content hash.

        Returns:
            By content hash the document of each text that is there already.
        """
        owned: dict[str, Row] = {}
        remaining = sorted(wanted)
        while remaining:
            waiting = self._attempt(remaining, wanted, owned, self._clock())
            if not waiting:
                break
            first = min(waiting)
            remaining = [
                content_hash
                for content_hash in remaining
                if content_hash > first and content_hash not in owned
            ]
            self._wait_for(first, wanted, owned)
        return owned

    def _attempt(
        self,
        hashes: Sequence[str],
        wanted: Mapping[str, DocumentRef],
        owned: dict[str, Row],
        started: float,
    ) -> list[str]:
        """Reserve texts up to the first that has to be waited for; return those that have."""
        taken = self._create({content_hash: wanted[content_hash] for content_hash in hashes})
        waiting = self._examine(taken, wanted, owned, started)
        if waiting:
            first = min(waiting)
            self.release(
                content_hash
                for content_hash in hashes
                if content_hash > first and content_hash not in taken
            )
        return waiting

    def _wait_for(
        self, content_hash: str, wanted: Mapping[str, DocumentRef], owned: dict[str, Row]
    ) -> None:
        """Wait until a text is ours, its document is there, or its writer has died."""
        started = self._clock()
        while True:
            self._gateway.wait(_POLL_SECONDS)
            if not self._attempt([content_hash], wanted, owned, started):
                return

    def release(self, hashes: Iterable[str]) -> None:
        """Release texts that are not written."""
        self._write([[{"delete": {"_id": self._id(content_hash)}}] for content_hash in hashes])

    def expire(self) -> None:
        """Delete old reservations, of whichever run."""
        bound = int(self._clock() - MAX_AGE)
        conditions = [{"term": {"kind": "reservation"}}, {"range": {"at": {"lt": bound}}}]
        body = {
            "size": _RESERVATIONS_PER_PAGE,
            "_source": False,
            "seq_no_primary_term": True,
            "sort": ["_doc"],
            "query": {"bool": {"filter": conditions}},
        }
        while True:
            self._gateway.refresh(self._index)
            (response,) = self._gateway.search_all(self._index, [body])
            hits = response.get("hits", {}).get("hits", [])
            self._write(
                [
                    [{"delete": {"_id": hit["_id"], **DocumentVersion.of_hit(hit).conditions}}]
                    for hit in hits
                ]
            )
            if len(hits) < _RESERVATIONS_PER_PAGE:
                return

    def _write(self, actions: Sequence[Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
        return self._gateway.bulk(actions, index=self._index)

    def _id(self, content_hash: str) -> str:
        key = f"reservation\0{self._field}\0{content_hash}"
        return hashlib.sha256(key.encode()).hexdigest()[:32]

    def _reservation(self, content_hash: str, ref: DocumentRef) -> dict[str, Any]:
        return {
            "kind": "reservation",
            "field": self._field,
            "ids": [ref.id],
            "routing": ref.routing,
            "run": self._run,
            "content_hash": content_hash,
            "at": int(self._clock()),
        }

    def _create(self, wanted: Mapping[str, DocumentRef]) -> list[str]:
        """Create reservations; return the hashes of those that exist already."""
        actions = [
            [{"create": {"_id": self._id(content_hash)}}, self._reservation(content_hash, ref)]
            for content_hash, ref in wanted.items()
        ]
        taken = []
        for content_hash, result in zip(wanted, self._write(actions), strict=True):
            if result["status"] == CONFLICT:
                taken.append(content_hash)
            elif "error" in result:
                raise ClusterError(
                    f"Cannot write a reservation to index {self._index!r}: {reason_of(result)}. "
                    "Check the privileges."
                )
        return taken

    def _examine(
        self,
        taken: Sequence[str],
        wanted: Mapping[str, DocumentRef],
        owned: dict[str, Row],
        started: float,
    ) -> list[str]:
        """Look at reservations of others; return the hashes of those that must be waited for."""
        refs = [DocumentRef(self._index, self._id(content_hash)) for content_hash in taken]
        reservations = {
            content_hash: entry
            for content_hash, entry in zip(taken, self._gateway.documents(refs), strict=True)
            if not entry.get("found") or entry["_source"]["ids"][0] != wanted[content_hash].id
        }
        holders = {
            content_hash: _holder(entry["_source"])
            for content_hash, entry in reservations.items()
            if entry.get("found")
        }
        documents = self._documents.read(list(holders.values()), WHOLE)
        written = dict(zip(holders, documents, strict=True))
        waiting = []
        for content_hash, reservation in reservations.items():
            if content_hash not in holders:
                waiting.append(content_hash)  # released this moment
                continue
            stored = written[content_hash]
            if stored is not None and stored.content_hash == content_hash:
                owned[content_hash] = stored
            elif not self._take_over(content_hash, wanted[content_hash], reservation, started):
                waiting.append(content_hash)
        return waiting

    def _take_over(
        self, content_hash: str, ref: DocumentRef, reservation: Mapping[str, Any], started: float
    ) -> bool:
        """Take the reservation of a writer that died; False when it may still be at work."""
        run, now = str(reservation["_source"]["run"]), self._clock()
        waited = max(now - float(reservation["_source"]["at"]), now - started)
        if run != self._run and run not in self._dead and waited < self._lease:
            return False
        self._dead.add(run)
        conditions = DocumentVersion.of_hit(reservation).conditions
        action = {"index": {"_id": self._id(content_hash), **conditions}}
        (result,) = self._write([[action, self._reservation(content_hash, ref)]])
        return bool(result["status"] < 300)


def _holder(reservation: Mapping[str, Any]) -> DocumentRef:
    """Return where the document is that a text is reserved for."""
    return DocumentRef(None, str(reservation["ids"][0]), reservation.get("routing"))
