"""The searches for what a person decided about pairs, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.conditions import MAX_HITS
from es_simhash.store.elasticsearch.pages import all_hits
from es_simhash.store.state_entries import DISMISSAL, JOIN, ids_of, state_index_name

# Documents of one search.
_IDS_PER_SEARCH = 100
# Entries of one page where all are read.
_PAIRS_PAGE = 1000


@dataclass(frozen=True)
class PairLookup:
    """Looks up what a person decided, in the state index of an index.

    Attributes:
        index: The user's index, alias or data stream; of a pattern nothing is stored.
        field: Field of the fingerprints.
    """

    index: str
    field: str

    @property
    def state_index(self) -> str:
        """Name of the state index, which need not exist."""
        return state_index_name(self.index)

    def searches(self, ids: Sequence[str] | None) -> list[dict[str, Any]]:
        """Return searches for the dismissals of some documents, and for all joins.

        Joins reach over other documents, and are few.

        Args:
            ids: Of the documents; None for all.
        """
        if any(sign in self.index for sign in "*,") or ids == ():
            return []
        groups: list[dict[str, Any]] = [{"match_all": {}}]
        if ids is not None:
            groups = [
                {"terms": {"ids": list(ids[start : start + _IDS_PER_SEARCH])}}
                for start in range(0, len(ids), _IDS_PER_SEARCH)
            ]
        dismissals = [{"bool": {"filter": [_of_kind(DISMISSAL), group]}} for group in groups]
        return [self._body(query) for query in (*dismissals, _of_kind(JOIN))]

    def read(self, responses: Sequence[Mapping[str, Any]]) -> ManualPairs | None:
        """Return what a person decided; None where a search was cut, so that `all` is needed."""
        pages = [response["hits"]["hits"] for response in responses]
        if any(len(page) >= MAX_HITS for page in pages):
            return None
        return _pairs([hit["_source"] for page in pages for hit in page])

    def all(self) -> Calls[ManualPairs]:
        """Return everything that a person decided, read page by page."""
        either = {"bool": {"should": [_of_kind(DISMISSAL), _of_kind(JOIN)]}}
        body = self._body(either)
        del body["sort"]
        hits = yield from all_hits(self.state_index, {**body, "size": _PAIRS_PAGE})
        return _pairs([hit["_source"] for hit in hits])

    def _body(self, query: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "size": MAX_HITS,
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": ["kind", "ids", "undone"],
            "query": {"bool": {"filter": [{"term": {"field": self.field}}, query]}},
        }


def _pairs(sources: Sequence[Mapping[str, Any]]) -> ManualPairs:
    standing = [source for source in sources if not source["undone"]]
    dismissed = {ids_of(source) for source in standing if source["kind"] == DISMISSAL}
    return ManualPairs.of(
        dismissed, {ids_of(source) for source in standing if source["kind"] == JOIN}
    )


def _of_kind(kind: str) -> dict[str, Any]:
    return {"term": {"kind": kind}}
