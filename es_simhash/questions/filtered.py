"""Documents of an index by their ids, as long as they match filters."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.questions.access import DirectAccess
from es_simhash.questions.contexts import Contexts
from es_simhash.relation.relation import DocumentContext
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import Query

# Sequence number and primary term: what changes whenever a document does.
State = tuple[int, int]


@dataclass(frozen=True)
class FilteredDocument:
    """A document that matches the filters.

    Attributes:
        id: Of the document.
        index: Its index.
        state: Changes with every write of the document.
        context: Its title, date and so on.
        source: The requested fields.
    """

    id: str
    index: str
    state: State
    context: DocumentContext
    source: dict[str, Any]


@dataclass(frozen=True)
class FilteredDocuments:
    """Reads documents by id with one search that has the filters; no other request is made.

    A document that does not match takes the same way, and the same time, as one that is not there.

    Attributes:
        gateway: To the cluster.
        index: Index, alias or data stream that has fingerprints in its documents.
        config: Names of the fields.
        date_field: The date field, as the mapping has it; None without one.
    """

    gateway: Gateway
    index: str
    config: IndexConfig
    date_field: DateField | None

    def read(
        self, ids: Sequence[str], filters: Sequence[Query], fields: Sequence[str] = ()
    ) -> dict[str, FilteredDocument]:
        """Return the documents by their ids; what is missing, or there twice, is left out.

        Args:
            ids: The ids.
            filters: Elasticsearch queries that the documents must match.
            fields: Fields of `_source` to return.
        """
        contexts = Contexts(DirectAccess(self.gateway, self.index), self.config, self.date_field)
        wanted = [*fields, *contexts.source_fields]
        body = {**_body(ids, filters), "docvalue_fields": contexts.docvalue_fields}
        hits = self._hits({**body, "_source": wanted or False})
        contexts.keep(hits)
        counts = Counter(hit["_id"] for hit in hits)
        found = {}
        for hit in hits:
            context = contexts.context((hit["_index"], hit["_id"]))
            if context is not None and counts[hit["_id"]] == 1:
                source = hit.get("_source", {})
                found[hit["_id"]] = FilteredDocument(
                    hit["_id"], hit["_index"], _state(hit), context, source
                )
        return found

    def states(
        self, ids: Collection[str], filters: Sequence[Query]
    ) -> dict[tuple[str, str], State]:
        """Return the states of those documents that match the filters, by index and id."""
        if not ids:
            return {}
        hits = self._hits({**_body(sorted(ids), filters), "_source": False})
        return {(hit["_index"], hit["_id"]): _state(hit) for hit in hits}

    def _hits(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        (response,) = self.gateway.search_all(self.index, [body])
        hits: list[Mapping[str, Any]] = response["hits"]["hits"]
        return hits


def _body(ids: Sequence[str], filters: Sequence[Query]) -> dict[str, Any]:
    return {
        "query": {"bool": {"filter": [{"ids": {"values": list(ids)}}, *filters]}},
        # An id may be in several indices.
        "size": 2 * len(ids),
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def _state(hit: Mapping[str, Any]) -> State:
    return hit["_seq_no"], hit["_primary_term"]
