"""The family of two documents as a timeline: two searches, and no text is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import Query
from es_simhash.store.source import text_of

# Versions of one family that are read; of more, the newest.
MAX_VERSIONS = 2000
# Documents of two ids that are read: indices behind one name may have the same id.
_MAX_COMPARED = 20


@dataclass(frozen=True)
class TimelineReader:
    """Reads timelines of one index.

    Attributes:
        gateway: To the cluster.
        index: Index, alias or data stream.
        config: Of the index.
        dates: Field of the dates.
        filters: Elasticsearch queries that every document must match.
    """

    gateway: Gateway
    index: str
    config: IndexConfig
    dates: DateField
    filters: Sequence[Query] = ()

    def read(self, id_a: str, id_b: str) -> Timeline | None:
        """Return the timeline of two documents; None where they are not of one family."""
        compared = self._hits({"ids": {"values": [id_a, id_b]}}, _MAX_COMPARED)["hits"]
        families = {id: self._family_of(id, compared) for id in (id_a, id_b)}
        family = families[id_a]
        if family is None or families[id_b] != family:
            return None
        found = self._hits({"term": {self.config.path(fields.FAMILY): family}}, MAX_VERSIONS)
        # The two are there even where others are too many.
        hits = {(hit["_index"], hit["_id"]): hit for hit in (*found["hits"], *compared)}
        return Timeline.of(
            [self._version(hit) for hit in hits.values() if self._family(hit) == family],
            index=self.index,
            family=family,
            date_field=self.dates.name,
            compared=(id_a, id_b),
            documents=found["total"]["value"],
        )

    def _hits(self, query: Query, size: int) -> Mapping[str, Any]:
        newest = {"order": "desc", "mode": "max", "unmapped_type": "date"}
        body = {
            "query": {"bool": {"filter": [query, *self.filters]}},
            "size": size,
            "_source": [self.config.path(fields.FAMILY)],
            "docvalue_fields": [self.dates.requested],
            "sort": [{self.dates.name: newest}],
            "track_total_hits": True,
        }
        (response,) = self.gateway.search_all(self.index, [body])
        hits: Mapping[str, Any] = response["hits"]
        return hits

    def _family(self, hit: Mapping[str, Any]) -> str | None:
        return text_of(hit.get("_source", {}), self.config.path(fields.FAMILY))

    def _family_of(self, id: str, hits: Sequence[Mapping[str, Any]]) -> str | None:
        return next((self._family(hit) for hit in hits if hit["_id"] == id), None)

    def _version(self, hit: Mapping[str, Any]) -> DatedVersion:
        return DatedVersion(hit["_id"], self.dates.text_of_hit(hit), self.dates.of_hit(hit))
