"""Two writers at once: a text is reserved by whoever is first, until its document is there.

A reservation is a small document of the index beside the user's, made with `op_type: create`.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from es_simhash.deduplication.requests import Requests
from es_simhash.engine.errors import reason_of
from es_simhash.errors import ClusterError
from es_simhash.storage import fields
from es_simhash.storage.fields import field_path
from es_simhash.storage.references import DocumentVersion
from es_simhash.storage.source import text_of

_CONFLICT = 409
# Reservations are of no use when searches have long seen the document; in milliseconds.
OLD = 600_000
_PAUSE = 0.1
_PAGE = 1000


class Reservations:
    """The reservations of one run.

    Args:
        requests: Of the policy.
        side: Name of the index beside the user's; it exists.
        field: Field of our object.
        run: Id of the run.
        lease: Seconds for which a reservation of a writer that does not write is respected.
        clock: Milliseconds since 1970.
    """

    def __init__(
        self,
        requests: Requests,
        side: str,
        field: str,
        run: str,
        lease: float,
        *,
        clock: Callable[[], float] = lambda: time.time() * 1000,
    ) -> None:
        self._requests = requests
        self._side = side
        self._field = field
        self._run = run
        self._lease = lease * 1000
        self._clock = clock
        # Runs that let a lease pass; nobody waits for them a second time.
        self._dead: set[str] = set()

    def acquire(self, wanted: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
        """Reserve texts for documents.

        They are taken in the order of their hashes, and none behind one that is waited for, so
        that no two writers wait for each other.

        Args:
            wanted: Id of the document by content hash.

        Returns:
            By content hash the document, as it is stored, of each text that is there already.
        """
        owned: dict[str, Mapping[str, Any]] = {}
        left = sorted(wanted)
        while left:
            waiting = self._attempt(left, wanted, owned, self._clock())
            if not waiting:
                break
            first = min(waiting)
            left = [each for each in left if each > first and each not in owned]
            self._wait_for(first, wanted, owned)
        return owned

    def _attempt(
        self,
        hashes: Sequence[str],
        wanted: Mapping[str, str],
        owned: dict[str, Mapping[str, Any]],
        began: float,
    ) -> list[str]:
        """Reserve texts up to the first that has to be waited for; give those that have."""
        taken = self._create({each: wanted[each] for each in hashes})
        waiting = self._examined(taken, wanted, owned, began)
        if waiting:
            first = min(waiting)
            self.release(each for each in hashes if each > first and each not in taken)
        return waiting

    def _wait_for(
        self, content_hash: str, wanted: Mapping[str, str], owned: dict[str, Mapping[str, Any]]
    ) -> None:
        """Wait until a text is ours, its document is there, or its writer has died."""
        began = self._clock()
        while True:
            self._requests.pause(_PAUSE)
            if not self._attempt([content_hash], wanted, owned, began):
                return

    def release(self, hashes: Iterable[str]) -> None:
        """Return texts free that are not written."""
        lines = [[{"delete": {"_id": self._id(each)}}] for each in hashes]
        self._requests.bulk(self._side, lines)

    def expire(self) -> None:
        """Delete old reservations, of whichever run."""
        bound = self._clock() - OLD
        conditions = [{"term": {"kind": "reservation"}}, {"range": {"at": {"lt": int(bound)}}}]
        body = {
            "size": _PAGE,
            "_source": False,
            "seq_no_primary_term": True,
            "sort": ["_doc"],
            "query": {"bool": {"filter": conditions}},
        }
        side = self._requests.of(self._side)
        while True:
            side.refresh()
            hits = side.searches([body])[0].get("hits", {}).get("hits", [])
            lines = [
                [{"delete": {"_id": each["_id"], **DocumentVersion.of_hit(each).conditions}}]
                for each in hits
            ]
            self._requests.bulk(self._side, lines)
            if len(hits) < _PAGE:
                return

    def _id(self, content_hash: str) -> str:
        key = f"reservation\0{self._field}\0{content_hash}"
        return hashlib.sha256(key.encode()).hexdigest()[:32]

    def _entry(self, content_hash: str, id: str) -> dict[str, Any]:
        return {
            "kind": "reservation",
            "field": self._field,
            "ids": [id],
            "run": self._run,
            "content_hash": content_hash,
            "at": int(self._clock()),
        }

    def _create(self, wanted: Mapping[str, str]) -> list[str]:
        """Make reservations; give the hashes of those that exist already."""
        lines = [
            [{"create": {"_id": self._id(each)}}, self._entry(each, id)]
            for each, id in wanted.items()
        ]
        taken = []
        for each, result in zip(wanted, self._requests.bulk(self._side, lines), strict=True):
            if result["status"] == _CONFLICT:
                taken.append(each)
            elif "error" in result:
                raise ClusterError(
                    f"Index {self._side!r} refuses a reservation: {reason_of(result)}."
                )
        return taken

    def _examined(
        self,
        taken: Sequence[str],
        wanted: Mapping[str, str],
        owned: dict[str, Mapping[str, Any]],
        began: float,
    ) -> list[str]:
        """Look at reservations of others; give the hashes of those that must be waited for."""
        entries = self._requests.documents([(self._side, self._id(each)) for each in taken], ["*"])
        others = {
            each: entry
            for each, entry in zip(taken, entries, strict=True)
            if not entry.get("found") or entry["_source"]["ids"][0] != wanted[each]
        }
        path = field_path(self._field, fields.CONTENT_HASH)
        keys = [(None, e["_source"]["ids"][0]) for e in others.values() if e.get("found")]
        documents = {e["_id"]: e for e in self._requests.documents(keys)}
        waiting = []
        for each, entry in others.items():
            if not entry.get("found"):
                waiting.append(each)  # released this moment
                continue
            there = documents[entry["_source"]["ids"][0]]
            if there.get("found") and text_of(there["_source"], path) == each:
                owned[each] = there
            elif not self._take_over(each, wanted[each], entry, began):
                waiting.append(each)
        return waiting

    def _take_over(
        self, content_hash: str, id: str, entry: Mapping[str, Any], began: float
    ) -> bool:
        """Take the reservation of a writer that died; False when it may still be at work."""
        run, now = str(entry["_source"]["run"]), self._clock()
        waited = max(now - float(entry["_source"]["at"]), now - began)
        if run != self._run and run not in self._dead and waited < self._lease:
            return False
        self._dead.add(run)
        action = {
            "index": {"_id": self._id(content_hash), **DocumentVersion.of_hit(entry).conditions}
        }
        result = self._requests.bulk(self._side, [[action, self._entry(content_hash, id)]])[0]
        return bool(result["status"] < 300)
