"""Searches by blocks beside exact scans of all fingerprints, for what searches cost and miss."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import similar_bodies
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.intents import FindSimilar

# Searches sent at once.
_SEARCHES_AT_ONCE = 20


class BlockScans:
    """Searches an index with fingerprints and with their blocks.

    Args:
        gateway: Sends the requests.
        index: The index.
        config: How it is read and fingerprinted.

    Attributes:
        scheme: Scheme of its fingerprints.
    """

    def __init__(self, gateway: Gateway, index: str, config: IndexConfig) -> None:
        self.scheme = config.scheme
        self._gateway = gateway
        self._index = index
        self._config = config

    def count_sharing(self, blocks: Sequence[Sequence[str]], min_shared: int) -> list[int]:
        """Return how many documents share so many blocks with each of some lists of them."""
        path = self._config.path(fields.BLOCKS)
        bodies = [
            {
                "size": 0,
                "track_total_hits": True,
                "query": {
                    "bool": {
                        "filter": [self._config.of_scheme],
                        "should": [{"term": {path: term}} for term in terms],
                        "minimum_should_match": min_shared,
                    }
                },
            }
            for terms in blocks
        ]
        return [response["hits"]["total"]["value"] for response in self._responses(bodies)]

    def scan(self, fingerprints: Sequence[bytes], k: int, size: int) -> list[set[DocumentRef]]:
        """Return the documents within k bits of each fingerprint, compared with all of the index.

        Args:
            fingerprints: The fingerprints.
            k: Hamming distance.
            size: Documents of one fingerprint at the most.
        """
        bodies = [
            {
                "size": size,
                "_source": False,
                "knn": [
                    {
                        "field": self._config.path(fields.FINGERPRINT),
                        "query_vector": fingerprint.hex(),
                        "k": size,
                        "num_candidates": size,
                        "similarity": k,
                        "filter": [self._config.of_scheme],
                    }
                ],
            }
            for fingerprint in fingerprints
        ]
        return [_refs(response) for response in self._responses(bodies)]

    def search(self, fingerprints: Sequence[bytes], k: int, size: int) -> list[set[DocumentRef]]:
        """Return what the search that `related` makes finds within k bits of each fingerprint."""
        return [_refs(response) for response in self._search(fingerprints, k, size)]

    def took(self, fingerprints: Sequence[bytes], k: int, size: int) -> list[int]:
        """Return the milliseconds of the search for each fingerprint."""
        return [response["took"] for response in self._search(fingerprints, k, size)]

    def _search(
        self, fingerprints: Sequence[bytes], k: int, size: int
    ) -> Iterator[Mapping[str, Any]]:
        yield from self._responses(
            [self._search_body(fingerprint, k, size) for fingerprint in fingerprints]
        )

    def _search_body(self, fingerprint: bytes, k: int, size: int) -> dict[str, Any]:
        none = np.empty(0, np.uint32)
        prints = TextFingerprints(
            self._config.scheme.name,
            "",
            np.frombuffer(fingerprint, np.uint8),
            np.empty((0, 16), np.uint8),
            none.astype(np.int64),
            none,
            none.astype(np.uint8),
            0,
        )
        request = FindSimilar(prints, k=k, candidates=size)
        body = similar_bodies(request, self._config, request.where)[1]
        return {**body, "docvalue_fields": []}

    def _responses(self, bodies: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for start in range(0, len(bodies), _SEARCHES_AT_ONCE):
            batch = bodies[start : start + _SEARCHES_AT_ONCE]
            yield from self._gateway.search_all(self._index, batch)


def _refs(response: Mapping[str, Any]) -> set[DocumentRef]:
    return {ref_of(hit) for hit in response["hits"]["hits"]}
