"""What searches by blocks cost, and whether they find all that an exact scan finds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.diagnostics.sample import Sampled, common_blocks
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.fingerprints.blocks import block_sizes, min_shared_blocks
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.query.candidates import related_query
from es_simhash.query.options import Limits, SearchOptions
from es_simhash.storage import fields
from es_simhash.storage.fields import field_path

# Documents of the sample that are asked with; searches sent at once; hottest blocks shown.
QUERIES = 100
_AT_ONCE = 20
_HOTTEST = 5
# A query that has more documents within k than this is not compared.
_MOST_FOUND = 1_000


@dataclass(frozen=True)
class HotBlock:
    """A block that many documents have.

    Attributes:
        term: The block, number and value.
        documents: Documents of the index that have it.
        by_chance: Documents that would have it if fingerprints were spread evenly.
        texts: Different texts among the documents of the sample that have it.
    """

    term: str
    documents: int
    by_chance: float
    texts: int


@dataclass(frozen=True)
class Visited:
    """Documents a search within k has to look at, over the queries of the sample."""

    k: int
    median: int
    nine_of_ten: int
    most: int


@dataclass(frozen=True)
class Recall:
    """What a search by blocks finds of all that is within k.

    Attributes:
        k: Hamming distance.
        queries: Documents that were asked with.
        within: Documents within k of these, by an exact scan over the index.
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


class Prober:
    """Asks an index with fingerprints of a sample.

    Args:
        client: Of the cluster.
        index: The index.
        field: Name of our object.
        scheme: Scheme of the index.
    """

    def __init__(self, client: Client, index: str, field: str, scheme: Scheme) -> None:
        self._gateway = Gateway.of(client)
        self._index = index
        self._field = field
        self._scheme = scheme
        self._of_scheme = {"term": {self._path(fields.SCHEME): scheme.name}}

    def hottest(self, sample: Sequence[Sampled], documents: int) -> list[HotBlock]:
        """Return the blocks that most documents of the sample have, counted in the whole index."""
        common = [each for each in common_blocks(sample, _HOTTEST) if each[1] > 1]
        counts = self._counts([_with_blocks(self._blocks, [term], 1) for term, _, _ in common])
        sizes = block_sizes(self._scheme.bits, self._scheme.blocks)
        hot = [
            HotBlock(term, count, documents / 2 ** sizes[int(term.partition(":")[0], 16)], texts)
            for (term, _, texts), count in zip(common, counts, strict=True)
        ]
        return sorted(hot, key=lambda each: (-each.documents, each.term))

    def visited(self, sample: Sequence[Sampled], k: int) -> Visited:
        """Count the documents that share blocks enough with documents of the sample."""
        least = min_shared_blocks(self._scheme.blocks, k)
        asked = [each for each in sample if each.blocks][:QUERIES]
        counts = self._counts([_with_blocks(self._blocks, each.blocks, least) for each in asked])
        if not counts:
            return Visited(k, 0, 0, 0)
        middle, high = np.percentile(counts, (50, 90), method="higher").tolist()
        return Visited(k, middle, high, max(counts))

    def recall(self, sample: Sequence[Sampled], k: int) -> Recall:
        """Compare what a search by blocks finds within k with an exact scan of all documents."""
        asked = [each for each in sample if each.fingerprint is not None][:QUERIES]
        exact = self._found([self._scan(each, k) for each in asked])
        ours = self._found([self._search(each, k) for each in asked])
        compared = [pair for pair in zip(exact, ours, strict=True) if len(pair[0]) < _MOST_FOUND]
        missed = sorted({id for all_, some in compared for _, id in all_ - some})
        return Recall(
            k,
            len(compared),
            sum(len(all_) for all_, _ in compared),
            sum(len(all_ & some) for all_, some in compared),
            tuple(missed[:_HOTTEST]),
            sum(len(all_) > 1 for all_ in exact),
        )

    @property
    def _blocks(self) -> str:
        return self._path(fields.BLOCKS)

    def _path(self, member: str) -> str:
        return field_path(self._field, member)

    def _counts(self, queries: Sequence[Mapping[str, Any]]) -> list[int]:
        bodies = [
            {
                "size": 0,
                "track_total_hits": True,
                "query": {"bool": {"filter": [query, self._of_scheme]}},
            }
            for query in queries
        ]
        return [answer["hits"]["total"]["value"] for answer in self._answers(bodies)]

    def _found(self, bodies: Sequence[Mapping[str, Any]]) -> list[set[tuple[str, str]]]:
        return [
            {(hit["_index"], hit["_id"]) for hit in answer["hits"]["hits"]}
            for answer in self._answers(bodies)
        ]

    def _answers(self, bodies: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for start in range(0, len(bodies), _AT_ONCE):
            some = bodies[start : start + _AT_ONCE]
            yield from self._gateway.search_all(self._index, some)

    def _scan(self, each: Sampled, k: int) -> dict[str, Any]:
        """Return a search that compares every fingerprint of the index."""
        assert each.fingerprint is not None
        return {
            "size": _MOST_FOUND,
            "_source": False,
            "knn": {
                "field": self._path(fields.FINGERPRINT),
                "query_vector": each.fingerprint.hex(),
                "k": _MOST_FOUND,
                "num_candidates": _MOST_FOUND,
                "similarity": k,
                "filter": [self._of_scheme],
            },
        }

    def _search(self, each: Sampled, k: int) -> dict[str, Any]:
        """Return the search that `related` makes for documents within k."""
        assert each.fingerprint is not None
        none = np.empty(0, np.uint32)
        prints = TextFingerprints(
            self._scheme.name,
            each.content_hash or "",
            np.frombuffer(each.fingerprint, np.uint8),
            np.empty((0, 16), np.uint8),
            none.astype(np.int64),
            none,
            none.astype(np.uint8),
            0,
        )
        options = SearchOptions(k=k, limits=Limits(candidates=_MOST_FOUND))
        body = related_query(prints, options=options, simhash_field=self._field)[1]
        return {**body, "docvalue_fields": []}


def _with_blocks(path: str, terms: Sequence[str], least: int) -> dict[str, Any]:
    should = [{"term": {path: term}} for term in terms]
    return {"bool": {"should": should, "minimum_should_match": least}}
