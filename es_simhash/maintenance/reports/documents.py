"""The documents that a report names: representatives of large families, and the newest versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.maintenance.reports.index_report import (
    LargeFamily,
    NewestVersions,
    NewVersion,
    ReportedDocument,
)
from es_simhash.questions.document_contexts import Contexts
from es_simhash.relation.relation import DocumentContext
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import NANOSECONDS, Date, DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.options import Query
from es_simhash.store.protocol import run
from es_simhash.store.rows import Key

# The newest documents that are looked at, and the versions among them that are named.
_NEWEST, _VERSIONS = 1_000, 12

Hit = Mapping[str, Any]


@dataclass(frozen=True)
class ReportedDocuments:
    """Reads the documents that a report names.

    Attributes:
        gateway: To the cluster.
        index: Its name.
        config: Names of its fields.
        date_field: The field of the dates; None without one.
        filters: Queries that documents must match.
    """

    gateway: Gateway
    index: str
    config: IndexConfig
    date_field: DateField | None
    filters: tuple[Query, ...] = ()

    def large_families(self, families: Sequence[tuple[str, int]]) -> tuple[LargeFamily, ...]:
        """Return families with their representatives; without those that have vanished.

        Args:
            families: Name and number of documents of each.
        """
        answers = self.gateway.search_all(
            self.index, [self._representative_body(name) for name, _ in families]
        )
        hits = [answer["hits"]["hits"][:1] for answer in answers]
        documents = self._documents([hit for some in hits for hit in some])
        return tuple(
            LargeFamily(
                name,
                size,
                documents[_key(hit)],
                self._bound(answer, "oldest"),
                self._bound(answer, "newest"),
            )
            for (name, size), answer, some in zip(families, answers, hits, strict=True)
            for hit in some
        )

    def newest_versions(self, date_field: DateField) -> NewestVersions:
        """Return the newest documents that are newer than another of their family, one of each."""
        family = self.config.path(fields.FAMILY)
        exists = [{"exists": {"field": name}} for name in (family, date_field.name)]
        order = {"order": "desc", "unmapped_type": "long" if date_field.is_number else "date"}
        body = {
            "size": _NEWEST,
            "query": {"bool": {"filter": [*exists, *self.filters]}},
            "sort": [{date_field.name: order}],
            "_source": False,
            "docvalue_fields": [family, date_field.requested],
            "track_total_hits": False,
        }
        (answer,) = self.gateway.search_all(self.index, [body])
        hits = answer["hits"]["hits"]
        buckets = self._families(sorted({_family(hit, family) for hit in hits}), date_field)
        versions: list[tuple[Hit, Hit]] = []
        for hit in hits:
            # The newest of a family comes first, and stands for the others.
            bucket = buckets.pop(_family(hit, family), None)
            date = date_field.of_hit(hit)
            if bucket is None or date is None or len(versions) == _VERSIONS:
                continue
            if date > self._date(date_field, bucket["oldest"]["value"]):
                versions.append((hit, bucket))
        documents = self._documents([hit for hit, _ in versions])
        return NewestVersions(
            tuple(
                NewVersion(
                    documents[_key(hit)],
                    bucket["doc_count"],
                    date_field.iso(self._date(date_field, bucket["oldest"]["value"])),
                )
                for hit, bucket in versions
            ),
            len(hits),
        )

    def _families(self, names: Sequence[str], date_field: DateField) -> dict[str, Hit]:
        """Return families of two documents and more, each with the date of its oldest."""
        if not names:
            return {}
        path = self.config.path(fields.FAMILY)
        terms = {"field": path, "include": list(names), "size": len(names), "min_doc_count": 2}
        aggregation = {"terms": terms, "aggs": {"oldest": {"min": {"field": date_field.name}}}}
        body = {
            "size": 0,
            "query": {"bool": {"filter": [*self.filters]}},
            "track_total_hits": False,
            "aggs": {"families": aggregation},
        }
        (answer,) = self.gateway.search_all(self.index, [body])
        return {bucket["key"]: bucket for bucket in answer["aggregations"]["families"]["buckets"]}

    def _representative_body(self, name: str) -> dict[str, Any]:
        represents = {"term": {self.config.path(fields.REPRESENTATIVE): True}}
        body: dict[str, Any] = {
            "size": 1,
            "query": {
                "bool": {
                    "filter": [{"term": {self.config.path(fields.FAMILY): name}}, *self.filters],
                    "should": [represents],
                }
            },
            "_source": False,
            "track_total_hits": False,
        }
        if self.date_field is not None:
            field = {"field": self.date_field.name}
            body["aggs"] = {"oldest": {"min": field}, "newest": {"max": field}}
        return body

    def _bound(self, answer: Hit, name: str) -> str | None:
        value = answer.get("aggregations", {}).get(name, {}).get("value")
        if value is None or self.date_field is None:
            return None
        return self.date_field.iso(self._date(self.date_field, value))

    def _date(self, date_field: DateField, value: float) -> Date:
        """Return the result of an aggregation, in milliseconds for dates, as hits have dates."""
        return value if date_field.is_number else int(value) * NANOSECONDS

    def _documents(self, hits: Sequence[Hit]) -> dict[Key, ReportedDocument]:
        contexts = Contexts(self.config, self.date_field)
        keys = [_key(hit) for hit in hits]
        run(contexts.read(keys), ElasticsearchStore(self.gateway, self.index, self.config))
        return {
            # One that vanished meanwhile has its id alone.
            key: ReportedDocument(
                str(key[1]), str(key[0]), contexts.context(key) or DocumentContext()
            )
            for key in keys
        }


def _key(hit: Hit) -> Key:
    return hit["_index"], hit["_id"]


def _family(hit: Hit, path: str) -> str:
    return str(hit["fields"][path][0])
