"""An index of Elasticsearch as it is at one moment: all documents of conditions, as rows."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.answer_shapes import SEQ_NO, readable
from es_simhash.store.elasticsearch.conditions import conditions, find_body, of_seq_nos, read_of
from es_simhash.store.elasticsearch.families import (
    list_body,
    prefix_body,
    read_list,
    read_prefixes,
    shingles_body,
)
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hit_rows import row_of, sharing_text_of
from es_simhash.store.elasticsearch.hits import Hit
from es_simhash.store.elasticsearch.pages import PointInTime
from es_simhash.store.intents import Find, ListFamilies, Parts, Where
from es_simhash.store.rows import Place, Row, Rows, SharingText

# Each page of a composite aggregation reads all documents; 65,535 buckets is the server's limit.
_BUCKETS = 50_000


class ElasticsearchSnapshot:
    """An index, alias or data stream as it is when a `with` statement begins.

    Args:
        gateway: To the cluster.
        index: Its name.
        config: How it is read and fingerprinted.
        shard: Number of the one shard to read; None for all.
        must_refresh: Whether it is an error where the privilege is missing to make visible what was
            written so far; otherwise that is done where it is allowed.
        point: Id of the point in time of a snapshot that another process has opened; None for one
            of its own.
    """

    def __init__(
        self,
        gateway: Gateway,
        index: str,
        config: IndexConfig,
        *,
        shard: int | None = None,
        must_refresh: bool = True,
        point: str | None = None,
    ) -> None:
        self.config = config
        self._gateway = gateway
        self._index = index
        self._must_refresh = must_refresh
        self._point = PointInTime(gateway, index, shard=shard, id=point)

    def __enter__(self) -> "ElasticsearchSnapshot":
        if self._must_refresh:
            self._gateway.refresh(self._index)
        else:
            self._gateway.refresh_if_allowed(self._index)
        self._point.open()
        return self

    def __exit__(self, *error: object) -> None:
        self._point.close()

    @property
    def point(self) -> str:
        """Id of its point in time: a snapshot made with it reads the same in another process."""
        return self._point.id

    @readable("")
    def count(self, where: Where) -> int:
        """Return how many documents match conditions."""
        body = {"size": 0, "track_total_hits": True, "query": conditions(where, self.config)}
        return int(self._point.search(body)["hits"]["total"]["value"])

    def rows(self, where: Where, parts: Parts, *, page: int = 5000) -> Iterator[Row]:
        """Yield all documents that match conditions, in no order.

        Args:
            where: Which documents.
            parts: What is read of each.
            page: How many are read with one request.
        """
        body = find_body(Find(where, parts, page, order=()), self.config)
        with readable(""):
            for hit in self._point.hits(body):
                yield row_of(hit, parts, self.config)

    def slices(self, where: Where, parts: Parts, count: int) -> list["SnapshotSlice"]:
        """Return all documents that match conditions, in so many parts for as many threads."""
        body = find_body(Find(where, parts, order=()), self.config)
        numbers = [{"id": number, "max": count} for number in range(count)]
        bodies = [{**body, "slice": number} for number in numbers] if count > 1 else [body]
        return [SnapshotSlice(self._point, body, parts, self.config) for body in bodies]

    @readable("")
    def find(self, requests: Sequence[Find]) -> list[Rows]:
        """Return the first documents of each request, asked as one."""
        bodies = [find_body(request, self.config) for request in requests]
        return [
            Rows([row_of(hit, request.parts, self.config) for hit in response["hits"]["hits"]])
            for request, response in zip(requests, self._point.search_all(bodies), strict=True)
        ]

    @readable("")
    def sharing(self, requests: Sequence[Find]) -> list[list[SharingText]]:
        """Return the first documents of each request with what they share, asked as one."""
        values = [SEQ_NO, *map(self.config.path, fields.SCORED_MEMBERS)]
        # For an id the engine unpacks all that is stored beside it, the text as well.
        more = {
            "stored_fields": "_none_",
            "sort": ["_score", "_shard_doc"],
            "docvalue_fields": values,
        }
        bodies = [{**find_body(request, self.config), **more} for request in requests]
        return [
            [
                # The first of what they are sorted by is the score.
                sharing_text_of(hit, _place(hit, hit["sort"][1:]), self.config)
                for hit in response["hits"]["hits"]
            ]
            for response in self._point.search_all(bodies)
        ]

    def at(self, places: Collection[Place], parts: Parts) -> Iterator[tuple[Place, Row]]:
        """Yield the documents at places that `sharing` returned, in no order."""
        seq_nos = defaultdict(list)
        for place in places:
            seq_nos[place.index_name].append(place.seq_no)
        if not seq_nos:
            return
        wanted = frozenset(places)
        read = read_of(parts, self.config)
        values = [SEQ_NO, *read.get("docvalue_fields", ())]
        body = {**read, "query": of_seq_nos(seq_nos), "docvalue_fields": values}
        with readable(""):
            for hit in self._point.hits(body):
                # Each shard counts its own numbers.
                if (place := _place(hit, hit["sort"])) in wanted:
                    yield place, row_of(hit, parts, self.config)

    @readable("")
    def family_sizes(self, where: Where) -> dict[str, int]:
        """Return the number of documents that match conditions of each of their families."""
        sizes: dict[str, int] = {}
        request = ListFamilies(where, size=_BUCKETS)
        while True:
            response = self._point.search(list_body(request, self.config))
            page = read_list([response], request=request)
            sizes.update(page.sizes)
            if page.after is None:
                return sizes
            request = replace(request, after=page.after)

    @readable("")
    def prefix_counts(self, where: Where, prefixes: Sequence[str]) -> list[int]:
        """Return how many documents match whose family has a name that begins with each prefix."""
        response = self._point.search(prefix_body(where, prefixes, self.config))
        return read_prefixes(response)

    @readable("")
    def shingle_counts(self, where: Where, shingles: NDArray[np.uint32]) -> list[int]:
        """Return how many documents that match conditions have each shingle."""
        response = self._point.search(shingles_body(where, shingles, self.config))
        return read_prefixes(response)


class SnapshotSlice:
    """A part of the documents of a snapshot, read some at a time.

    Args:
        point: The point in time.
        body: Of the search for the part.
        parts: What is read of each document.
        config: Of the index.

    Attributes:
        ended: Whether all of them were read.
    """

    def __init__(
        self, point: PointInTime, body: Mapping[str, Any], parts: Parts, config: IndexConfig
    ) -> None:
        self.ended = False
        self._point = point
        self._body = {**body, "sort": ["_shard_doc"]}
        self._parts = parts
        self._config = config

    @readable("")
    def read(self, size: int) -> list[Row]:
        """Return the next documents, so many at the most; none at the end.

        Raises:
            PointInTimeExpired: The point in time is gone.
        """
        hits = self._point.search({**self._body, "size": size})["hits"]["hits"]
        self.ended = not hits
        if hits:
            self._body["search_after"] = hits[-1]["sort"]
        return [row_of(hit, self._parts, self._config) for hit in hits]


def _place(hit: Hit, position: Sequence[Any]) -> Place:
    """Return the place of a hit.

    Args:
        hit: The hit, with its sequence number, by which it is found again.
        position: What it is sorted by in the point in time: another for each document.
    """
    (seq_no,) = hit["fields"][SEQ_NO]
    return Place(hit["_index"], seq_no, tuple(position))
