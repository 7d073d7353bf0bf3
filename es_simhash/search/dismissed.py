"""Which hits of a query a person dismissed as its versions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.engine.gateway import Gateway
from es_simhash.engine.searches import OptionalSearch
from es_simhash.indices.dismissals import Dismissals
from es_simhash.indices.noted_pairs import ids_of
from es_simhash.indices.state_index import StateIndex, state_index_name
from es_simhash.query.narrowing import MAX_HITS

# Query documents of one search.
_IDS_PER_SEARCH = 100


@dataclass(frozen=True)
class DismissalLookup:
    """Looks dismissals up with searches that go along with those of a query.

    Attributes:
        gateway: To the cluster.
        index: The user's index, alias or data stream; a pattern has no dismissals.
        field: Field of the fingerprints.
    """

    gateway: Gateway
    index: str
    field: str

    def searches(self, ids: Sequence[str]) -> list[OptionalSearch]:
        """Return searches for the dismissals of documents; without a state index they hit nothing.

        Args:
            ids: Of the documents.
        """
        if any(sign in self.index for sign in "*,"):
            return []
        name = state_index_name(self.index)
        return [
            OptionalSearch(name, self._body(ids[start : start + _IDS_PER_SEARCH]))
            for start in range(0, len(ids), _IDS_PER_SEARCH)
        ]

    def all_searches(self) -> list[OptionalSearch]:
        """Return the search for all dismissals; none where the name is a pattern."""
        if any(sign in self.index for sign in "*,"):
            return []
        return [OptionalSearch(state_index_name(self.index), self._body(None))]

    def _body(self, ids: Sequence[str] | None) -> dict[str, Any]:
        conditions: list[dict[str, Any]] = [
            {"term": {"kind": "dismissal"}},
            {"term": {"field": self.field}},
        ]
        if ids is not None:
            conditions.append({"terms": {"ids": list(ids)}})
        return {
            "size": MAX_HITS,
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": ["ids", "undone"],
            "query": {"bool": {"filter": conditions}},
        }

    def read(self, responses: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
        """Return, by the id of each document, the ids of those it was dismissed with.

        Args:
            responses: To the searches.
        """
        hits = [response["hits"]["hits"] for response in responses]
        if any(len(page) >= MAX_HITS for page in hits):
            # One search was cut; all dismissals are read instead.
            pairs = Dismissals(StateIndex(self.gateway, self.index, self.field)).pairs()
        else:
            sources = [hit["_source"] for page in hits for hit in page]
            pairs = {ids_of(source) for source in sources if not source["undone"]}
        others: dict[str, set[str]] = defaultdict(set)
        for id_a, id_b in pairs:
            others[id_a].add(id_b)
            others[id_b].add(id_a)
        return dict(others)

    def is_dismissed(self, id_a: str, id_b: str) -> bool:
        """Check whether two documents were dismissed, with one request."""
        responses = self.gateway.search_all(None, [], self.searches([id_a]))
        return id_b in self.read(responses).get(id_a, ())
