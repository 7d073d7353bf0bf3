"""Requests of a run: pages of a point in time, documents once more, and bulk updates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.backfills.documents import Hit, Place, Task, place_of
from es_simhash.backfills.fields import UNREAD
from es_simhash.bulk.preparation import Prepared
from es_simhash.engine.bulk import Rejection
from es_simhash.engine.gateway import Gateway
from es_simhash.engine.pages import PointInTime
from es_simhash.engine.requests import index_path
from es_simhash.storage.fields import SOURCE, field_path
from es_simhash.storage.references import DocumentRef

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


class Store:
    """Reads and writes the documents of a run.

    Args:
        gateway: Sends the requests; it has a policy.
        index: The index, alias or data stream.
        task: What the run does.
    """

    def __init__(self, gateway: Gateway, index: str, task: Task) -> None:
        self._gateway = gateway
        self._index = index
        self._task = task
        self._point: PointInTime | None = None
        self._query: Mapping[str, Any] = {}

    def stop(self) -> None:
        """End all waiting."""
        self._gateway.stop()

    def refresh(self, index: str) -> None:
        """Make all that was written so far visible."""
        # Without the privilege older states are read, and met with a conflict.
        self._gateway.refresh_if_allowed(index)

    def open_snapshot(self, part: Part) -> None:
        """Open a point in time of a part that has all that was written so far."""
        self.refresh(part.index)
        self._point = self._gateway.point_in_time(part.index, shard=part.shard)
        self._point.open()
        self._query = part.query

    def close_snapshot(self) -> None:
        """Close the point in time, if there is one."""
        if self._point is not None:
            self._point.close()

    def count(self, part: Part) -> int:
        """Count the documents of a part."""
        return self._gateway.count(part.index, part.query, shard=part.shard)

    def page(
        self,
        size: int,
        slice: Mapping[str, int] | None,
        after: Sequence[Any] | None,
    ) -> tuple[list[Hit], Sequence[Any] | None]:
        """Return the next documents and where they end; at the end there are none.

        Raises:
            PointInTimeExpired: The point in time is gone.
        """
        assert self._point is not None
        body: dict[str, Any] = {
            "query": self._query,
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
        hits = self._point.search(body)["hits"]["hits"]
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
        answer = self._gateway.request("POST", index_path(self._index, "_search"), body)
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
        refs = [DocumentRef(place.index, place.id, place.routing) for place in places]
        return self._gateway.documents(refs, includes, excluded=self._excludes())

    def _includes(self) -> list[str]:
        return [self._task.text_field, self._task.simhash_field, *self._task.entity_fields]

    def _excludes(self) -> list[str]:
        return [field_path(self._task.simhash_field, name) for name in UNREAD]

    def send(self, prepared: Prepared) -> dict[int, str]:
        """Write documents.

        Returns:
            The reason for each that was not written, by its number in the body: `CONFLICT`,
            `GONE`, or why it was rejected.

        Raises:
            ClusterError: The cluster takes no documents, or is busy for too long.
        """
        target = self._task.sidecar or self._index
        rejections = self._gateway.bulk_body(target, prepared.body, prepared.ends)
        return {number: _reason(rejection) for number, rejection in rejections.items()}


def _reason(rejection: Rejection) -> str:
    if rejection.status == 409:
        return CONFLICT
    return GONE if rejection.kind == "document_missing_exception" else rejection.reason
