"""The searches of an index whose fingerprints are in a second index, its sidecar."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.errors import MappingConflict
from es_simhash.relation.references import DocumentRef
from es_simhash.store import intents
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch import documents
from es_simhash.store.elasticsearch.calls import Calls, mappings
from es_simhash.store.elasticsearch.conditions import filters_of
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.elasticsearch.index_searches import (
    IndexSearches,
    Responses,
    Searches,
    divided,
)
from es_simhash.store.elasticsearch.narrowing import is_full, lacks, narrowed, widened
from es_simhash.store.elasticsearch.searches import TermSearch, search_all
from es_simhash.store.fields import INDEX, SOURCE
from es_simhash.store.mapping_meta import source_of

# Ids of one search, and of a filter for the sidecar.
MAX_IDS = 5000
_RECORDED = f"{SOURCE}.{INDEX}"

Hit = Mapping[str, Any]


class SidecarSearches(IndexSearches):
    """Searches of an index whose fingerprints `backfill` wrote into a sidecar.

    Candidates are found in the sidecar; texts, fields, dates and filters are those of the first
    index, and what was deleted there is not related to anything.

    Args:
        name: Of the sidecar.
        config: What is known of its configuration.
    """

    has_fingerprints = False

    def __init__(self, name: str, config: IndexConfig) -> None:
        super().__init__(name, config)
        self._source: str | None = None

    @property
    def text_index(self) -> str:
        """The first index, once it is known."""
        assert self._source is not None, "the mapping was read"
        return self._source

    def open(self) -> Calls[None]:
        """Read which is the first index, once.

        Raises:
            MappingConflict: The index is no sidecar.
        """
        if self._source is not None:
            return
        mapped = yield from mappings(self.name)
        self._source = source_of(mapped, self.given.simhash_field)
        if self._source is None:
            raise MappingConflict(
                f"Index {self.name!r} is not a sidecar. Create one with "
                f"`es-simhash backfill INDEX --sidecar {self.name}`."
            )

    def bodies(self, plans: Sequence[Searches]) -> Calls[list[Sequence[Mapping[str, Any]]]]:
        """Return the bodies of searches; filters are there the ids they leave, if these are few."""
        known: dict[str, tuple[intents.Filter, ...]] = {}
        bodies: list[Sequence[Mapping[str, Any]]] = []
        for plan in plans:
            if plan.candidates is None:
                bodies.append(plan.bodies)
                continue
            key = _key(plan)
            if key not in known:
                known[key] = yield from self._id_filter(plan.where)
            where = intents.Where(known[key], excluded_ids=plan.where.excluded_ids)
            bodies.append([_with_origin(body) for body in plan.candidates(where)])
        return bodies

    def responses(self, plans: Sequence[Searches]) -> Calls[list[Responses]]:
        """Answer as if the documents had the fields themselves, and were filtered before any cut.

        A search whose hits the filters leave too few of is sent again for more.
        """
        own = [plan for plan in plans if plan.candidates is None]
        others = [plan for plan in plans if plan.candidates is not None]
        made = yield from self.bodies(others)
        meant = [body for bodies in made for body in bodies]
        plan_of = [plan for plan, bodies in zip(others, made, strict=True) for _ in bodies]
        required, optional = divided(own, [plan.bodies for plan in own], self.text_index)
        sent = list(meant)
        answers: list[Mapping[str, Any]] = [{}] * len(sent)
        responses = yield from search_all(self.name, sent, optional)
        further = responses[len(sent) :]
        pending = list(range(len(sent)))
        responses = responses[: len(sent)]
        while pending:
            too_narrow = []
            located = yield from self._located([plan_of[n] for n in pending], responses)
            for number, response, places in zip(pending, responses, located, strict=True):
                full = is_full(response, sent[number])
                answers[number] = narrowed(response, places, meant[number], full=full)
                if full and lacks(answers[number], meant[number], sent[number]):
                    sent[number] = widened(sent[number])
                    too_narrow.append(number)
            pending = too_narrow
            if pending:
                responses = yield from search_all(self.name, [sent[n] for n in pending])
        further = yield from self._among(own, further)
        found = yield from search_all(self.text_index, required)
        first, last, candidates = iter(found), iter(further), iter(answers)
        bodies_of = iter(made)
        return [
            [next(candidates) for _ in next(bodies_of)]
            if plan.candidates is not None
            else [next(last if plan.optional else first) for _ in plan.bodies]
            for plan in plans
        ]

    def _among(self, plans: Sequence[Searches], responses: Responses) -> Calls[list[Hit]]:
        """Return responses of the first index with the documents that the sidecar has."""
        of_index = [plan.index is None for plan in plans if plan.optional for _ in plan.bodies]
        ids = sorted(
            {
                hit["_id"]
                for response, is_text in zip(responses, of_index, strict=True)
                if is_text
                for hit in response["hits"]["hits"]
            }
        )
        known: set[str] = set()
        for start in range(0, len(ids), MAX_IDS):
            some = ids[start : start + MAX_IDS]
            body = {
                "query": {"ids": {"values": some}},
                "size": len(some),
                "_source": False,
                "track_total_hits": False,
            }
            (found,) = yield from search_all(self.name, [body])
            known |= {hit["_id"] for hit in found["hits"]["hits"]}
        return [
            {
                **response,
                "hits": {"hits": [hit for hit in response["hits"]["hits"] if hit["_id"] in known]},
            }
            if is_text
            else response
            for response, is_text in zip(responses, of_index, strict=True)
        ]

    def _id_filter(self, where: intents.Where) -> Calls[tuple[intents.Filter, ...]]:
        """Return a filter for the sidecar, where the ids that ours leave are few enough to name."""
        conditions = self._conditions(where)
        if not conditions:
            return ()
        body = {
            "query": {"bool": {"filter": conditions}},
            "size": MAX_IDS,
            "track_total_hits": MAX_IDS + 1,
            "_source": False,
        }
        (response,) = yield from search_all(self.text_index, [body])
        if response["hits"]["total"]["value"] > MAX_IDS:
            return ()
        return ({"ids": {"values": [hit["_id"] for hit in response["hits"]["hits"]]}},)

    def _conditions(self, where: intents.Where) -> list[intents.Filter]:
        """Return what documents of the first index must match."""
        families = where.families, where.excluded_families
        wanted = intents.Where(where.filters, families=families[0], excluded_families=families[1])
        return filters_of(wanted, self.given)

    def _located(
        self, plans: Sequence[Searches], responses: Responses
    ) -> Calls[list[Mapping[str, Hit]]]:
        """Return, for each search, its documents in the first index that match its filters.

        One that has moved to another index behind the name, as after a reindex, is taken there;
        of several with one id the one that the sidecar recorded.
        """
        known: dict[str, Mapping[str, Hit]] = {}
        located = []
        for plan in plans:
            key = _key(plan)
            if key not in known:
                hits = [
                    hit
                    for other, response in zip(plans, responses, strict=True)
                    if _key(other) == key
                    for hit in response["hits"]["hits"]
                ]
                known[key] = yield from self._places(plan, hits)
            located.append(known[key])
        return located

    def _places(self, plan: Searches, hits: Sequence[Hit]) -> Calls[Mapping[str, Hit]]:
        recorded = {hit["_id"]: hit.get("fields", {}).get(_RECORDED, [""])[0] for hit in hits}
        body = {
            "_source": False,
            "docvalue_fields": [] if plan.date is None else [plan.date.requested],
        }
        conditions = self._conditions(plan.where)
        found = yield from documents.hits_of_ids(self.text_index, list(recorded), body, conditions)
        places: dict[str, Hit] = {}
        for hit in found:
            id = hit["_id"]
            if id not in places or hit["_index"] == recorded[id]:
                places[id] = hit
        return places

    def entries_by_id(self, ids: Sequence[str], fields: Sequence[str]) -> Calls[list[Hit]]:
        """Return documents of the first index by their ids, in that order, each with `found`."""
        hits = yield from documents.hits_by_id(self.text_index, ids, fields)
        return [documents.entry_of(id, hits.get(id, []), self.text_index) for id in ids]

    def entries_at(
        self, refs: Sequence[DocumentRef], fields: Sequence[str] | None, excluded: Sequence[str]
    ) -> Calls[dict[DocumentRef, Hit]]:
        """Return documents of the first index by their places; nothing where no field is asked."""
        if not fields:
            return {}
        some = yield from documents.hits_by_id(self.text_index, intents.ids_of(refs), fields)
        entries = {ref_of(hit): hit for hits in some.values() for hit in hits}
        return {ref: entries[ref] for ref in refs if ref in entries}


def _with_origin(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a search that also returns in which index each document was recorded."""
    recorded = {**body, "docvalue_fields": [*body["docvalue_fields"], _RECORDED]}
    return TermSearch(recorded) if isinstance(body, TermSearch) else recorded


def _key(plan: Searches) -> str:
    """Return what searches have in common whose hits are looked up together."""
    where = plan.where
    return repr((where.filters, where.families, where.excluded_families, plan.date))
