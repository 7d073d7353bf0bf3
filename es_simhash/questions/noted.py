"""What a person noted about a query and its hits: dismissed as its versions, or joined with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.relation.manual_pairs import ManualPairs
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.narrowing import MAX_HITS
from es_simhash.store.elasticsearch.searches import OptionalSearch
from es_simhash.store.installation.noted_pairs import DISMISSAL, JOIN, Dismissals, Joins, ids_of
from es_simhash.store.installation.state_index import StateIndex, state_index_name

# Query documents of one search.
_IDS_PER_SEARCH = 100


@dataclass(frozen=True)
class NotedLookup:
    """Looks up what was noted with searches that go along with those of a query.

    Attributes:
        gateway: To the cluster.
        index: The user's index, alias or data stream; of a pattern nothing is noted.
        field: Field of the fingerprints.
    """

    gateway: Gateway
    index: str
    field: str

    def searches(self, ids: Sequence[str]) -> list[OptionalSearch]:
        """Return searches for what was noted; without a state index they hit nothing.

        Args:
            ids: Of the documents whose dismissals are wanted. Joins are wanted all: they reach
                over other documents, and are few.
        """
        groups = [
            {"terms": {"ids": list(ids[start : start + _IDS_PER_SEARCH])}}
            for start in range(0, len(ids), _IDS_PER_SEARCH)
        ]
        return self._searches(groups)

    def all_searches(self) -> list[OptionalSearch]:
        """Return the searches for everything that was noted."""
        return self._searches([{"match_all": {}}])

    def _searches(self, groups: Sequence[Mapping[str, Any]]) -> list[OptionalSearch]:
        if not groups or any(sign in self.index for sign in "*,"):
            return []
        dismissals: list[dict[str, Any]] = [
            {"bool": {"filter": [_of_kind(DISMISSAL), group]}} for group in groups
        ]
        # With one of the searches, the joins.
        either = [dismissals[0], _of_kind(JOIN)]
        first: dict[str, Any] = {"bool": {"should": either, "minimum_should_match": 1}}
        name = state_index_name(self.index)
        return [OptionalSearch(name, self._body(query)) for query in (first, *dismissals[1:])]

    def _body(self, query: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "size": MAX_HITS,
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": ["kind", "ids", "undone"],
            "query": {"bool": {"filter": [{"term": {"field": self.field}}, query]}},
        }

    def read(self, responses: Sequence[Mapping[str, Any]]) -> ManualPairs:
        """Return what was noted.

        Args:
            responses: To the searches.
        """
        hits = [response["hits"]["hits"] for response in responses]
        if any(len(page) >= MAX_HITS for page in hits):
            # One search was cut; everything is read instead.
            state = StateIndex(self.gateway, self.index, self.field)
            return ManualPairs.of(Dismissals(state).pairs(), Joins(state).pairs())
        sources = [hit["_source"] for page in hits for hit in page]
        standing = [source for source in sources if not source["undone"]]
        dismissed = {ids_of(source) for source in standing if source["kind"] == DISMISSAL}
        return ManualPairs.of(
            dismissed, {ids_of(source) for source in standing if source["kind"] == JOIN}
        )

    def of(self, id: str) -> ManualPairs:
        """Return what was noted about a document, with one request."""
        return self.read(self.gateway.search_all(None, [], self.searches([id])))


def _of_kind(kind: str) -> dict[str, Any]:
    return {"term": {"kind": kind}}
