"""Requests of a run: pages of a snapshot, documents once more, and bulk updates."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import elastic_transport
import elasticsearch

from es_simhash.backfills.documents import Hit, Place, Task, place_of
from es_simhash.backfills.fields import UNREAD
from es_simhash.bulk.sender import Busy, Patience, Sender
from es_simhash.engine.cluster import refresh_if_allowed
from es_simhash.storage.fields import SOURCE, field_path

_JSON = {"accept": "application/json", "content-type": "application/json"}
# A snapshot outlives the longest wait for a busy cluster (`Patience.total`).
_KEEP_ALIVE = "15m"
# Reasons of `send` that are no failures: the document has a newer state, or is gone.
CONFLICT = "conflict"
GONE = "gone"


@dataclass(frozen=True)
class Part:
    """Documents to look at.

    Attributes:
        index: Index, alias or data stream.
        query: Elasticsearch query that they match.
        shard: Number of the one shard they are in; None for all.
    """

    index: str
    query: Mapping[str, Any]
    shard: int | None = None

    def path(self, name: str, **parameters: str) -> str:
        """Return the path of a request about them."""
        if self.shard is not None:
            parameters["preference"] = f"_shards:{self.shard}"
        return f"/{quote(self.index, safe=',*')}/{name}?{urlencode(parameters)}"


class Lost(Exception):
    """The snapshot is gone: a node was restarted, or it was not asked for too long."""


class Store(Sender):
    """Reads and writes the documents of a run.

    Args:
        client: The client; used by several threads.
        index: The index, alias or data stream.
        task: What the run does.
        patience: How long to ask again.
    """

    def __init__(
        self, client: elasticsearch.Elasticsearch, index: str, task: Task, patience: Patience
    ) -> None:
        super().__init__(client, task.sidecar or index, task.simhash_field, patience)
        self._task = task
        self._read_path = "/" + quote(index, safe=",*")
        self._snapshot: str | None = None
        self._part: Part | None = None
        self._lock = threading.Lock()

    def refresh(self, index: str) -> None:
        """Make all that was written so far visible."""
        # Without the privilege older states are read, and met with a conflict.
        refresh_if_allowed(self._client, index)

    def open_snapshot(self, part: Part) -> None:
        """Take a point in time of a part that has all that was written so far."""
        self.refresh(part.index)
        path = part.path("_pit", keep_alive=_KEEP_ALIVE)
        answer = self._patiently(lambda: self._request(path, None, _JSON))
        self._snapshot, self._part = answer["id"], part

    def close_snapshot(self) -> None:
        """Let the point in time go, if there is one."""
        if self._snapshot is not None:
            with suppress(elasticsearch.ApiError, elastic_transport.TransportError):
                self._client.close_point_in_time(id=self._snapshot)
            self._snapshot = None

    def count(self, part: Part) -> int:
        """Count the documents of a part."""
        body = {"query": part.query}
        answer = self._patiently(lambda: self._request(part.path("_count"), body, _JSON))
        return int(answer["count"])

    def page(
        self,
        size: int,
        slice: Mapping[str, int] | None,
        after: Sequence[Any] | None,
    ) -> tuple[list[Hit], Sequence[Any] | None]:
        """Return the next documents of the snapshot, and where they end; no documents at the end.

        Raises:
            Lost: The snapshot is gone.
        """
        assert self._part is not None
        body: dict[str, Any] = {
            "pit": {"id": self._snapshot, "keep_alive": _KEEP_ALIVE},
            "query": self._part.query,
            "size": size,
            "sort": ["_shard_doc"],
            "seq_no_primary_term": True,
            "track_total_hits": False,
            "_source": {"includes": self._includes(), "excludes": self._excludes()},
        }
        if slice is not None:
            body["slice"] = slice
        if after is not None:
            body["search_after"] = after
        hits = self._patiently(lambda: self._searched(body))["hits"]["hits"]
        found = [Hit(place_of(hit), hit.get("_source", {})) for hit in hits]
        return self.with_kept(found), hits[-1]["sort"] if hits else None

    def sample(self, query: Mapping[str, Any], size: int) -> list[Hit]:
        """Return documents drawn at random, the same for the same index."""
        drawn = {
            "function_score": {"query": query, "random_score": {"seed": 1, "field": "_seq_no"}}
        }
        body = {
            "query": drawn,
            "size": size,
            "seq_no_primary_term": True,
            "_source": {"includes": self._includes(), "excludes": self._excludes()},
        }
        path = f"{self._read_path}/_search"
        answer = self._patiently(lambda: self._request(path, body, _JSON))
        return [Hit(place_of(hit), hit.get("_source", {})) for hit in answer["hits"]["hits"]]

    def again(self, hits: Sequence[Hit]) -> list[Hit | None]:
        """Read documents once more as they are now; None for those that are gone."""
        entries = self._entries([each.place for each in hits], self._includes())
        fresh = [
            Hit(place_of(entry), entry.get("_source", {})) if entry.get("found") else None
            for entry in entries
        ]
        kept = iter(self.with_kept([each for each in fresh if each is not None]))
        return [None if each is None else next(kept) for each in fresh]

    def with_kept(self, hits: list[Hit]) -> list[Hit]:
        """Add what the sidecar has of the documents."""
        if self._task.sidecar is None or not hits:
            return hits
        places = [Place(self._task.sidecar, each.place.id, None, 0, 0) for each in hits]
        includes = [self._task.simhash_field, SOURCE]
        return [
            hit._replace(kept=entry.get("_source", {}), kept_place=place_of(entry))
            if entry.get("found")
            else hit
            for hit, entry in zip(hits, self._entries(places, includes), strict=True)
        ]

    def _entries(self, places: Sequence[Place], includes: Sequence[str]) -> list[Mapping[str, Any]]:
        docs = [
            {"_index": each.index, "_id": each.id}
            | ({"routing": each.routing} if each.routing is not None else {})
            for each in places
        ]
        read = {
            "_source_includes": ",".join(includes),
            "_source_excludes": ",".join(self._excludes()),
        }
        path = f"/_mget?{urlencode(read)}"

        def ask() -> Any:
            answer = self._request(path, {"docs": docs}, _JSON)
            for entry in answer["docs"]:
                if "error" in entry and entry["error"].get("type") != "index_not_found_exception":
                    raise Busy(f"it cannot read a document, {entry['error'].get('type')}")
            return answer

        entries: list[Mapping[str, Any]] = self._patiently(ask)["docs"]
        return entries

    def _includes(self) -> list[str]:
        return [self._task.text_field, self._task.simhash_field, *self._task.entity_fields]

    def _excludes(self) -> list[str]:
        return [field_path(self._task.simhash_field, name) for name in UNREAD]

    def _searched(self, body: Mapping[str, Any]) -> Any:
        try:
            # Results of some shards only would be documents that are passed over.
            return self._request("/_search?allow_partial_search_results=false", body, _JSON)
        except elasticsearch.NotFoundError as error:
            if "No search context found" in str(error):
                raise Lost from error
            raise

    def _rejected(
        self, numbers: Sequence[int], items: Sequence[Mapping[str, Any]], failures: dict[int, str]
    ) -> list[int]:
        """Tell documents of which there is a newer state from failures."""
        rest = []
        for number, item in zip(numbers, items, strict=True):
            (result,) = item.values()
            if result["status"] == 409:
                failures[number] = CONFLICT
            elif result.get("error", {}).get("type") == "document_missing_exception":
                failures[number] = GONE
            else:
                rest.append((number, item))
        return super()._rejected(
            [number for number, _ in rest], [item for _, item in rest], failures
        )
