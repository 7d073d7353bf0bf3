"""An index whose fingerprints are in a second index, its sidecar."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from es_simhash.errors import MappingConflict
from es_simhash.questions.access import hits_of
from es_simhash.questions.index import Index
from es_simhash.questions.retrieval import Retrieval
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.documents import MAX_IDS, entry_of
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.narrowing import is_full, lacks, narrowed, widened
from es_simhash.store.elasticsearch.searches import OptionalSearch
from es_simhash.store.fields import INDEX, SOURCE
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.options import Query, SearchOptions

_RECORDED = f"{SOURCE}.{INDEX}"

Hit = Mapping[str, Any]


def open_index(
    client: Client,
    name: str,
    config: IndexConfig | None = None,
) -> Index:
    """Return the index of a name, whether it has its fingerprints itself or is a sidecar.

    Raises:
        IndexMissing: There is no such index.
    """
    config = config or IndexConfig()
    if sidecar_source(Gateway.of(client), name, config.simhash_field) is None:
        return Index(client, name, config=config)
    return SidecarIndex(client, name, config=config)


class SidecarIndex(Index):
    """An index whose fingerprints `backfill` wrote into a sidecar.

    It answers as `Index` does. Candidates are found in the sidecar; texts, fields, dates and
    filters are those of the first index, and what was deleted there is not related to anything.
    `searches` returns the bodies that would be sent to the sidecar before any is widened; filters
    are there the ids that they leave, if these are few. The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the sidecar.
        config: As in `Index`; the field of the text is one of the first index.
        read_schemes: As in `Index`.
    """

    def __repr__(self) -> str:
        return f"SidecarIndex({self.name!r})"

    @cached_property
    def source(self) -> str:
        """Name of the first index, read from the mapping of the sidecar once.

        Raises:
            MappingConflict: The index is no sidecar.
        """
        source = sidecar_source(self.gateway, self.name, self.config.simhash_field)
        if source is None:
            raise MappingConflict(
                f"Index {self.name!r} is not a sidecar. Create one with "
                f"`es-simhash backfill INDEX --sidecar {self.name}`."
            )
        return source

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Query] = (),
    ) -> FamilyHistory:
        """Reject the question: families are in documents that have fingerprints themselves.

        Raises:
            MappingConflict: Always.
        """
        raise MappingConflict(
            f"Index {self.name!r} is the sidecar of {self.source!r}, and families are in the "
            f"documents themselves. Run `es-simhash install {self.source}`, `es-simhash backfill "
            f"{self.source}` and `es-simhash families {self.source}`."
        )

    @property
    def text_index(self) -> str:
        """The first index."""
        return self.source

    def _retrieval(self, options: SearchOptions) -> tuple[Retrieval, SearchOptions]:
        """Return what answers these options, and them with a filter that the sidecar takes."""
        self._require_dates(options, self.source)
        access = SidecarAccess(self.gateway, self.name, self.source, options)
        retrieval = Retrieval(
            self.gateway, self.source, self.config, access, date_field=self._date_field()
        )
        return retrieval, replace(options, filters=access.id_filter())


class SidecarAccess:
    """Reads the first index and searches its sidecar, for queries with the same options.

    Args:
        gateway: To the cluster.
        sidecar: Index of the fingerprints.
        source: The first index.
        options: Filters, and the date field to bring along.
    """

    has_fingerprints = False

    def __init__(self, gateway: Gateway, sidecar: str, source: str, options: SearchOptions) -> None:
        self._gateway = gateway
        self._sidecar = sidecar
        self._source = source
        self._filters = options.filters
        recency = options.recency
        self._dates = [DateField(recency.field).requested] if recency else []

    def entries(self, ids: Sequence[str], fields: Sequence[str]) -> list[Hit]:
        """Return documents of the first index by their ids, each with `found`.

        Raises:
            ClusterError: Several documents have one id, as in several indices behind the name.
        """
        hits = self._gateway.hits_by_id(self._source, ids, list(fields))
        return [entry_of(id, hits.get(id, []), self._source) for id in ids]

    def bodies(self, searches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the candidate searches, which also return where each document was recorded."""
        return [
            {**body, "docvalue_fields": [*body["docvalue_fields"], _RECORDED]} for body in searches
        ]

    def search_all(
        self,
        bodies: Sequence[Mapping[str, Any]],
        texts: Sequence[Mapping[str, Any]] = (),
        optional: Sequence[OptionalSearch] = (),
    ) -> list[Hit]:
        """Answer as if the documents had the fields themselves, and were filtered before any cut.

        A search whose hits the filters leave too few of is sent again for more.
        """
        sent = self.bodies(bodies)
        by_words = [OptionalSearch(self._source, body, may_be_rejected=True) for body in texts]
        optional = [*by_words, *optional]
        answers: list[Hit] = [{}] * len(sent)
        further: list[Hit] | None = None
        pending = list(range(len(sent)))
        while pending:
            responses = self._gateway.search_all(
                self._sidecar, [sent[n] for n in pending], optional if further is None else ()
            )
            if further is None:
                responses, further = responses[: len(pending)], responses[len(pending) :]
            located = self._located(
                [hit for response in responses for hit in response["hits"]["hits"]]
            )
            too_narrow = []
            for number, response in zip(pending, responses, strict=True):
                full = is_full(response, sent[number])
                answers[number] = narrowed(response, located, bodies[number], full=full)
                if full and lacks(answers[number], bodies[number], sent[number]):
                    sent[number] = widened(sent[number])
                    too_narrow.append(number)
            pending = too_narrow
        further = further or []
        return [*answers, *self._among(further[: len(texts)]), *further[len(texts) :]]

    def hits(self, body: Mapping[str, Any]) -> list[Hit]:
        """Return the hits of a search for documents of the first index."""
        return hits_of(self._gateway, self._source, body)

    def _among(self, answers: Sequence[Hit]) -> list[Hit]:
        """Return answers of the first index with the documents that the sidecar has."""
        ids = sorted({hit["_id"] for answer in answers for hit in answer["hits"]["hits"]})
        body = {
            "query": {"ids": {"values": ids}},
            "size": len(ids),
            "_source": False,
            "track_total_hits": False,
        }
        found = self._gateway.search_all(self._sidecar, [body] if ids else [])
        known = {hit["_id"] for answer in found for hit in answer["hits"]["hits"]}
        return [
            {
                **answer,
                "hits": {"hits": [hit for hit in answer["hits"]["hits"] if hit["_id"] in known]},
            }
            for answer in answers
        ]

    def text_conditions(self, scheme: Query, options: SearchOptions) -> list[Query]:
        """Return the filters; the first index has no scheme."""
        return list(self._filters)

    def sources(
        self, refs: Collection[DocumentRef], fields: Sequence[str]
    ) -> dict[DocumentRef, Mapping[str, Any]]:
        """Return fields of documents, by the references given; vanished ones are left out."""
        if not fields:
            return {}
        hits = self._gateway.hits_by_id(
            self._source, sorted({ref.id for ref in refs}), list(fields)
        )
        sources = {
            DocumentRef.of_hit(hit): hit.get("_source", {})
            for some in hits.values()
            for hit in some
        }
        return {ref: sources[ref] for ref in refs if ref in sources}

    def id_filter(self) -> tuple[Query, ...]:
        """Return a filter for the sidecar, where the ids that ours leave are few enough to name."""
        if not self._filters:
            return ()
        body = {
            "query": {"bool": {"filter": list(self._filters)}},
            "size": MAX_IDS,
            "track_total_hits": MAX_IDS + 1,
            "_source": False,
        }
        (response,) = self._gateway.search_all(self._source, [body])
        if response["hits"]["total"]["value"] > MAX_IDS:
            return ()
        return ({"ids": {"values": [hit["_id"] for hit in response["hits"]["hits"]]}},)

    def _located(self, hits: Sequence[Hit]) -> dict[str, Hit]:
        """Return the documents of the first index that match the filters, by their ids.

        One that has moved to another index behind the name, as after a reindex, is taken there;
        of several with one id the one that the sidecar recorded.
        """
        recorded = {hit["_id"]: hit.get("fields", {}).get(_RECORDED, [""])[0] for hit in hits}
        located: dict[str, Hit] = {}
        for hit in self._hits(list(recorded)):
            id = hit["_id"]
            if id not in located or hit["_index"] == recorded[id]:
                located[id] = hit
        return located

    def _hits(self, ids: Sequence[str]) -> list[Hit]:
        """Find documents of the first index that match the filters, whatever their routing."""
        bodies = list(self._bodies_of_ids(ids))
        responses = self._gateway.search_all(self._source, bodies)
        return [hit for response in responses for hit in response["hits"]["hits"]]

    def _bodies_of_ids(self, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        for start in range(0, len(ids), MAX_IDS):
            some = list(ids[start : start + MAX_IDS])
            yield {
                "query": {"bool": {"filter": [{"ids": {"values": some}}, *self._filters]}},
                "size": 2 * len(some),
                "_source": False,
                "docvalue_fields": self._dates,
                "track_total_hits": False,
            }
