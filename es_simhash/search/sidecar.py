"""Relations of documents whose fingerprints lie in a second index."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.backfills.documents import INDEX, SOURCE
from es_simhash.backfills.preconditions import sidecar_of
from es_simhash.engine.gateway import Client
from es_simhash.errors import ClusterError, MappingConflict
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.indices.installed_index import InstalledIndex
from es_simhash.query.narrowing import is_full, lacks, narrowed, widened
from es_simhash.query.options import SearchOptions
from es_simhash.relation.model import Answer, Relation
from es_simhash.search.index import Index, Key
from es_simhash.semantics.profile import SemanticScheme
from es_simhash.storage import fields

# Ids a query names at once; twice as many hits are within `max_result_window`.
_MOST_IDS = 5_000
_RECORDED = f"{SOURCE}.{INDEX}"

Hit = Mapping[str, Any]


def open_index(
    client: Client,
    name: str,
    *,
    text_field: str = "text",
    field: str = fields.DEFAULT_FIELD,
    vocabulary: str | None = None,
) -> "Index | SidecarIndex":
    """Return an index to ask, whether its fingerprints lie in its documents or it is a sidecar.

    Raises:
        IndexMissing: There is no such index.
    """
    if (source := sidecar_of(client, name, field)) is None:
        return Index(client, name, text_field=text_field, field=field, vocabulary=vocabulary)
    return SidecarIndex(
        client, name, source=source, text_field=text_field, field=field, vocabulary=vocabulary
    )


class SidecarIndex(InstalledIndex):
    """An index whose fingerprints `backfill` wrote into a sidecar.

    It answers as `Index` does. Candidates are found in the sidecar; texts, fields, dates and
    filters are those of the first index, and what was deleted there is not related to anything.
    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the sidecar.
        source: Name of the first index; by default the one the sidecar was made for.
        text_field: Field of the text in the first index; dots lead into objects.
        field: Name of our object in the sidecar.
        scheme: Scheme of the sidecar; by default it is read from the mapping, once.
        meaning: Scheme of what is read from the texts, where `scheme` is given too.
        vocabulary: File of synonyms or of a taxonomy, as in `Index`.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        source: str | None = None,
        text_field: str = "text",
        field: str = fields.DEFAULT_FIELD,
        scheme: Scheme | None = None,
        semantics: SemanticScheme | None = None,
        vocabulary: str | None = None,
    ) -> None:
        super().__init__(
            client,
            name,
            text_field=text_field,
            field=field,
            scheme=scheme,
            semantics=semantics,
            vocabulary=vocabulary,
        )
        self._source = source

    def __repr__(self) -> str:
        return f"SidecarIndex({self.name!r}, source={self._source!r})"

    @property
    def source(self) -> str:
        """Name of the first index, read from the mapping of the sidecar once.

        Raises:
            MappingConflict: The index is no sidecar.
        """
        if self._source is None:
            self._source = sidecar_of(self.client, self.name, self.field)
        if self._source is None:
            raise MappingConflict(
                f"Index {self.name!r} is no sidecar; make one with "
                f"`es-simhash backfill INDEX --sidecar {self.name}`."
            )
        return self._source

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the documents related to a stored document or to a text, best first.

        Raises:
            DocumentMissing: There is no document of that id in the first index.
            InputError: Both or neither of id and text are given, or the document has no text.
        """
        beside = _Beside(self, options or SearchOptions())
        return beside.related(id=id, text=text, options=beside.options)

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, searched together.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        beside = _Beside(self, options or SearchOptions())
        return beside.related_to_each(ids, options=beside.options)

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return _Beside(self, SearchOptions()).explain(id_a, id_b)

    def searches(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the bodies that `related` would send to the sidecar, before any is widened.

        Filters are asked of the first index; here they are the ids they leave, if these are few.
        """
        beside = _Beside(self, options or SearchOptions())
        return beside.searches(id=id, text=text, options=beside.options)


class _Beside(Index):
    """The first index, for one question: what is searched by fingerprints is its sidecar.

    `asking` is what to ask it for; the filters are applied here.
    """

    def __init__(self, sidecar: SidecarIndex, options: SearchOptions) -> None:
        super().__init__(
            sidecar.client,
            sidecar.source,
            text_field=sidecar.text_field,
            field=sidecar.field,
            scheme=sidecar.scheme,
            semantics=sidecar.semantics,
            vocabulary=sidecar.vocabulary,
        )
        self._sidecar = sidecar.name
        self._filters = options.filters
        self._date = options.recency.field if options.recency else None
        self.options = replace(options, filters=self._few())

    def _stored(self, ids: Sequence[str]) -> list[Any]:
        wanted = [self.text_field, *(self.semantics.entity_fields if self.semantics else ())]
        found: dict[str, Hit] = {}
        for hit in self._hits(ids, (), wanted):
            earlier = found.setdefault(hit["_id"], hit)
            if earlier is not hit:
                raise ClusterError(
                    f"Document {hit['_id']!r} is in several indices behind {self.name!r} "
                    f"({earlier['_index']}, {hit['_index']}); ask one of them."
                )
        return [
            self._question({**found[id], "found": True} if id in found else {"_id": id})
            for id in ids
        ]

    def _search(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Answer as if the documents had the fields themselves, and were filtered before any cut.

        A search whose hits the filters leave too few of is sent again for more.
        """
        asked = [
            {**body, "docvalue_fields": [*body["docvalue_fields"], _RECORDED]} for body in bodies
        ]
        answers: list[Mapping[str, Any]] = [{}] * len(asked)
        left = list(range(len(asked)))
        while left:
            found = self.gateway.search_all(self._sidecar, [asked[n] for n in left])
            located = self._located([hit for each in found for hit in each["hits"]["hits"]])
            wider = []
            for number, answer in zip(left, found, strict=True):
                full = is_full(answer, asked[number])
                answers[number] = narrowed(answer, located, bodies[number], full=full)
                if full and lacks(answers[number], bodies[number], asked[number]):
                    asked[number] = widened(asked[number])
                    wider.append(number)
            left = wider
        return answers

    def _few(self) -> tuple[Hit, ...]:
        """Return a filter for the sidecar, where the ids that ours leave are few enough to name."""
        if not self._filters:
            return ()
        body = {
            "query": {"bool": {"filter": list(self._filters)}},
            "size": _MOST_IDS,
            "track_total_hits": _MOST_IDS + 1,
            "_source": False,
        }
        (answer,) = self.gateway.search_all(self.name, [body])
        if answer["hits"]["total"]["value"] > _MOST_IDS:
            return ()
        return ({"ids": {"values": [hit["_id"] for hit in answer["hits"]["hits"]]}},)

    def _located(self, hits: Sequence[Hit]) -> dict[str, Hit]:
        """Return the documents of the first index that match the filters, by their ids.

        One that has moved to another index behind the name, as after a reindex, is taken there;
        of several with one id the one that the sidecar recorded.
        """
        recorded = {hit["_id"]: hit.get("fields", {}).get(_RECORDED, [""])[0] for hit in hits}
        found: dict[str, Hit] = {}
        for hit in self._hits(list(recorded), self._filters, False):
            id = hit["_id"]
            if id not in found or hit["_index"] == recorded[id]:
                found[id] = hit
        return found

    def _sources(self, keys: set[Key], options: SearchOptions) -> dict[Key, Any]:
        evidence = (self.text_field, *(self.semantics.entity_fields if self.semantics else ()))
        wanted = [*options.fields, *(evidence if options.evidence else ())]
        hits = self._hits(sorted({str(id) for _, id in keys}), (), wanted) if wanted else []
        return {(hit["_index"], hit["_id"]): hit.get("_source", {}) for hit in hits}

    def _hits(self, ids: Sequence[str], filters: Sequence[Hit], wanted: Any) -> list[Hit]:
        """Find documents of the first index by their ids, whatever their routing."""
        bodies = list(self._bodies_of_ids(ids, filters, wanted))
        answers = self.gateway.search_all(self.name, bodies)
        return [hit for answer in answers for hit in answer["hits"]["hits"]]

    def _bodies_of_ids(
        self, ids: Sequence[str], filters: Sequence[Hit], wanted: Any
    ) -> Iterator[dict[str, Any]]:
        date = [{"field": self._date, "format": "epoch_millis"}] if self._date else []
        for start in range(0, len(ids), _MOST_IDS):
            some = list(ids[start : start + _MOST_IDS])
            yield {
                "query": {"bool": {"filter": [{"ids": {"values": some}}, *filters]}},
                "size": 2 * len(some),
                "_source": wanted,
                "docvalue_fields": date,
                "track_total_hits": False,
            }
