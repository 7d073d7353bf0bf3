"""What searches by blocks cost, and whether they find all that an exact scan finds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.fingerprints.blocks import block_sizes, min_shared_blocks
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.maintenance.diagnostics.document_sample import SampledDocument, common_blocks
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import similar_bodies
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.intents import FindSimilar

# Documents of the sample that are searched with; searches sent at once; hottest blocks reported.
MAX_QUERIES = 100
_SEARCHES_AT_ONCE = 20
_MAX_REPORTED = 5
# A query that has more documents within k than this is not compared.
_MAX_WITHIN = 1_000
# Searches whose time is taken.
_TIMED = 10


@dataclass(frozen=True)
class HotBlock:
    """A block that many documents have.

    Attributes:
        term: The block, number and value.
        documents: Documents of the index that have it.
        expected: Documents that would have it by chance, if fingerprints were spread evenly.
        texts: Different texts among the documents of the sample that have it.
    """

    term: str
    documents: int
    expected: float
    texts: int


@dataclass(frozen=True)
class SearchCost:
    """Documents that a search within k examines, over the queries of the sample.

    Attributes:
        k: Hamming distance.
        median: The median.
        p90: 90th percentile.
        max: The maximum.
    """

    k: int
    median: int
    p90: int
    max: int


@dataclass(frozen=True)
class Recall:
    """What a search by blocks finds of all that is within k.

    Attributes:
        k: Hamming distance.
        queries: Documents that were searched with.
        within: Documents within k of these, by an exact scan of the index.
        found: How many of these the search by blocks finds.
        missed: Some ids of documents it misses.
        with_others: Queries that have another document within k.
    """

    k: int
    queries: int
    within: int
    found: int
    missed: tuple[str, ...]
    with_others: int

    @property
    def share(self) -> float:
        """Share that is found; 1 when there is nothing to find."""
        return self.found / self.within if self.within else 1.0


class BlockSearches:
    """Searches an index with the fingerprints of a sample.

    Args:
        gateway: Sends the requests.
        index: The index.
        config: Its configuration.
    """

    def __init__(self, gateway: Gateway, index: str, config: IndexConfig) -> None:
        self._gateway = gateway
        self._index = index
        self._config = config
        self._scheme = config.scheme

    def hottest(self, sample: Sequence[SampledDocument], documents: int) -> list[HotBlock]:
        """Return the blocks that most documents of the sample have, counted in the whole index.

        Args:
            sample: The sample.
            documents: Documents of the index that have fingerprints.
        """
        common = [block for block in common_blocks(sample, _MAX_REPORTED) if block[1] > 1]
        counts = self._counts([self._sharing([term], 1) for term, _, _ in common])
        sizes = block_sizes(self._scheme.bits, self._scheme.blocks)
        blocks = [
            HotBlock(term, count, documents / 2 ** sizes[int(term.partition(":")[0], 16)], texts)
            for (term, _, texts), count in zip(common, counts, strict=True)
        ]
        return sorted(blocks, key=lambda block: (-block.documents, block.term))

    def cost(self, sample: Sequence[SampledDocument], k: int) -> SearchCost:
        """Count the documents that share enough blocks with documents of the sample."""
        min_shared = min_shared_blocks(self._scheme.blocks, k)
        queries = [document for document in sample if document.blocks][:MAX_QUERIES]
        counts = self._counts([self._sharing(query.blocks, min_shared) for query in queries])
        if not counts:
            return SearchCost(k, 0, 0, 0)
        median, p90 = np.percentile(counts, (50, 90), method="higher").tolist()
        return SearchCost(k, median, p90, max(counts))

    def took(self, sample: Sequence[SampledDocument], k: int) -> float:
        """Return the milliseconds of a search within k, the median of ten; nan without any."""
        queries = [document for document in sample if document.fingerprint is not None]
        bodies = [self._search(query, k) for query in queries[:_TIMED]]
        took = [response["took"] for response in self._responses(bodies)]
        return float(np.median(took)) if took else float("nan")

    def recall(self, sample: Sequence[SampledDocument], k: int) -> Recall:
        """Compare what a search by blocks finds within k with an exact scan of all documents."""
        prints = [document for document in sample if document.fingerprint is not None]
        queries = prints[:MAX_QUERIES]
        scanned = self._matches([self._scan(query, k) for query in queries])
        searched = self._matches([self._search(query, k) for query in queries])
        compared = [
            (within, within & matches)
            for within, matches in zip(scanned, searched, strict=True)
            if len(within) < _MAX_WITHIN
        ]
        missed = sorted({ref.id for within, found in compared for ref in within - found})
        return Recall(
            k,
            len(compared),
            sum(len(within) for within, _ in compared),
            sum(len(found) for _, found in compared),
            tuple(missed[:_MAX_REPORTED]),
            sum(len(within) > 1 for within in scanned),
        )

    def _sharing(self, terms: Sequence[str], min_shared: int) -> dict[str, Any]:
        path = self._config.path(fields.BLOCKS)
        clauses = [{"term": {path: term}} for term in terms]
        return {"bool": {"should": clauses, "minimum_should_match": min_shared}}

    def _counts(self, queries: Sequence[Mapping[str, Any]]) -> list[int]:
        bodies = [
            {
                "size": 0,
                "track_total_hits": True,
                "query": {"bool": {"filter": [query, self._config.of_scheme]}},
            }
            for query in queries
        ]
        return [response["hits"]["total"]["value"] for response in self._responses(bodies)]

    def _matches(self, bodies: Sequence[Mapping[str, Any]]) -> list[set[DocumentRef]]:
        return [
            {DocumentRef.of_hit(hit) for hit in response["hits"]["hits"]}
            for response in self._responses(bodies)
        ]

    def _responses(self, bodies: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for start in range(0, len(bodies), _SEARCHES_AT_ONCE):
            batch = bodies[start : start + _SEARCHES_AT_ONCE]
            yield from self._gateway.search_all(self._index, batch)

    def _scan(self, document: SampledDocument, k: int) -> dict[str, Any]:
        """Return a search that compares every fingerprint of the index."""
        assert document.fingerprint is not None
        return {
            "size": _MAX_WITHIN,
            "_source": False,
            "knn": {
                "field": self._config.path(fields.FINGERPRINT),
                "query_vector": document.fingerprint.hex(),
                "k": _MAX_WITHIN,
                "num_candidates": _MAX_WITHIN,
                "similarity": k,
                "filter": [self._config.of_scheme],
            },
        }

    def _search(self, document: SampledDocument, k: int) -> dict[str, Any]:
        """Return the search that `related` makes for documents within k."""
        assert document.fingerprint is not None
        none = np.empty(0, np.uint32)
        prints = TextFingerprints(
            self._scheme.name,
            document.content_hash or "",
            np.frombuffer(document.fingerprint, np.uint8),
            np.empty((0, 16), np.uint8),
            none.astype(np.int64),
            none,
            none.astype(np.uint8),
            0,
        )
        request = FindSimilar(prints, k=k, candidates=_MAX_WITHIN)
        body = similar_bodies(request, self._config, request.where)[1]
        return {**body, "docvalue_fields": []}
