"""How an index is read for a query: its documents, and its answers to searches."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.references import DocumentRef
from es_simhash.store.elasticsearch.documents import MAX_IDS
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.searches import OptionalSearch
from es_simhash.store.options import Query, SearchOptions
from es_simhash.store.semantic_codec import own_vector


class IndexAccess(Protocol):
    """Reads documents and sends searches on behalf of a retrieval."""

    @property
    def has_fingerprints(self) -> bool:
        """True when the documents have the `simhash` object themselves."""

    def entries(self, ids: Sequence[str], fields: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return documents by their ids, each with `found`."""

    def bodies(self, searches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the bodies that are sent for candidate searches."""

    def search_all(
        self,
        bodies: Sequence[Mapping[str, Any]],
        texts: Sequence[Mapping[str, Any]] = (),
        optional: Sequence[OptionalSearch] = (),
    ) -> list[Mapping[str, Any]]:
        """Return the answers to candidate searches, with the documents the user knows.

        Those to searches of the texts, and of other indices, sent with the same request, come last.
        """

    def hits(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the hits of a search for documents the user knows, without any filter."""

    def text_conditions(self, scheme: Query, options: SearchOptions) -> list[Query]:
        """Return what hits must match where the texts are.

        Args:
            scheme: Matches documents with fingerprints, where they have these themselves.
            options: Those that candidate searches are sent with.
        """

    def sources(
        self, refs: Collection[DocumentRef], fields: Sequence[str]
    ) -> dict[DocumentRef, Mapping[str, Any]]:
        """Return fields of documents, by the references given; vanished ones are left out."""


class DirectAccess:
    """An index that has the fingerprints in its own documents.

    Args:
        gateway: To the cluster.
        name: Index, alias or data stream.
    """

    has_fingerprints = True

    def __init__(self, gateway: Gateway, name: str) -> None:
        self._gateway = gateway
        self._name = name

    def entries(self, ids: Sequence[str], fields: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return documents by their ids, each with `found`."""
        return self._gateway.documents_by_id(self._name, ids, fields)

    def bodies(self, searches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the candidate searches as they are."""
        return [dict(body) for body in searches]

    def search_all(
        self,
        bodies: Sequence[Mapping[str, Any]],
        texts: Sequence[Mapping[str, Any]] = (),
        optional: Sequence[OptionalSearch] = (),
    ) -> list[Mapping[str, Any]]:
        """Return the answers to candidate searches, of the texts, and of other indices."""
        by_words = [OptionalSearch(None, body, may_be_rejected=True) for body in texts]
        return self._gateway.search_all(self._name, bodies, [*by_words, *optional])

    def hits(self, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the hits of a search for documents of the index."""
        return hits_of(self._gateway, self._name, body)

    def text_conditions(self, scheme: Query, options: SearchOptions) -> list[Query]:
        """Return the scheme and the filters."""
        return [scheme, *options.filters]

    def sources(
        self, refs: Collection[DocumentRef], fields: Sequence[str]
    ) -> dict[DocumentRef, Mapping[str, Any]]:
        """Return fields of documents, by the references given; vanished ones are left out."""
        ordered = sorted(refs, key=str)
        entries = self._gateway.documents(ordered, fields)
        return {
            ref: entry.get("_source", {})
            for ref, entry in zip(ordered, entries, strict=True)
            if entry.get("found")
        }


def hits_of(gateway: Gateway, index: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the hits of a search."""
    (answer,) = gateway.search_all(index, [body])
    hits: list[Mapping[str, Any]] = answer["hits"]["hits"]
    return hits


def own_vectors(
    gateway: Gateway, refs: Collection[DocumentRef], field: str
) -> dict[DocumentRef, NDArray[np.float32]]:
    """Return unit vectors of a dense_vector field of the user's, of documents that have one."""
    ids_by_index: dict[str, list[str]] = {}
    for ref in refs:
        ids_by_index.setdefault(str(ref.index), []).append(ref.id)
    vectors: dict[DocumentRef, NDArray[np.float32]] = {}
    for index, ids in sorted(ids_by_index.items()):
        body = {
            # An id may be in several shards.
            "size": 2 * min(len(ids), MAX_IDS),
            "_source": False,
            "query": {"ids": {"values": ids}},
            "docvalue_fields": [{"field": field, "format": "binary"}],
        }
        (answer,) = gateway.search_all(index, [body])
        for hit in answer["hits"]["hits"]:
            for packed in hit.get("fields", {}).get(field, []):
                vector = own_vector(packed)
                norm = np.linalg.norm(vector)
                if norm > 0:
                    vectors[DocumentRef.of_hit(hit)] = vector / norm
    return vectors
