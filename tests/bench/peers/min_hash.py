"""The `min_hash` token filter on OpenSearch, as people query it, and by clauses of its terms.

The analyser is the example of the filter's reference: runs of five words, 512 buckets.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Kind
from tests.bench.peers.search_peers import Hit, SearchCollection, Source

_ANALYSIS = {
    "filter": {
        "five_words": {
            "type": "shingle",
            "min_shingle_size": 5,
            "max_shingle_size": 5,
            "output_unigrams": False,
        },
        "hashes": {
            "type": "min_hash",
            "hash_count": 1,
            "bucket_count": 512,
            "hash_set_size": 1,
            "with_rotation": True,
        },
    },
    "analyzer": {
        "min_hash": {
            "type": "custom",
            "tokenizer": "standard",
            "filter": ["lowercase", "five_words", "hashes"],
        }
    },
}


class _Index:
    """An index of the hashes of texts."""

    @property
    def body(self) -> Mapping[str, Any]:
        return {
            "settings": {"analysis": _ANALYSIS},
            "mappings": {"text": {"type": "text", "analyzer": "min_hash"}},
        }

    def documents(self, texts: Sequence[str]) -> Iterable[dict[str, Any]]:
        return ({"text": text} for text in texts)


class _Match(_Index):
    """A match query, which turns all hashes, having one position, into one synonym."""

    def searches(
        self, source: Source, numbers: Sequence[int], size: int
    ) -> Iterable[dict[str, Any]]:
        return ({"query": {"match": {"text": source.texts[number]}}} for number in numbers)

    def scores(self, number: int, hits: Sequence[Hit]) -> Iterable[Hit]:
        return hits


class _Terms(_Index):
    """A clause for each hash, so that the score is how many of them a text has."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def searches(
        self, source: Source, numbers: Sequence[int], size: int
    ) -> Iterable[dict[str, Any]]:
        wanted = "fields=text&positions=false&offsets=false&field_statistics=false"
        ids = {"ids": [str(number) for number in numbers]}
        answer = source.engine.call("POST", f"/{source.index}/_mtermvectors?{wanted}", ids)
        # They come in any order.
        vectors = {int(found["_id"]): found["term_vectors"] for found in answer["docs"]}
        for number in numbers:
            terms = list(vectors[number].get("text", {}).get("terms", {}))
            self._counts[number] = len(terms)
            clauses = [{"constant_score": {"filter": {"term": {"text": term}}}} for term in terms]
            query = {"bool": {"should": clauses}} if clauses else {"match_none": {}}
            yield {"query": query}

    def scores(self, number: int, hits: Sequence[Hit]) -> Iterable[Hit]:
        count = max(self._counts[number], 1)
        return [Hit(hit.number, hit.score / count) for hit in hits]


@dataclass(frozen=True)
class MinHashMatch:
    """The filter queried by a `match` of the text."""

    engines: Engines
    engine: Kind = "OpenSearch"
    name: str = "min-hash-match"
    tool: str = "OpenSearch min_hash filter, match query; default: the first ten hits"

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index the hashes of texts."""
        return SearchCollection(self.engines.open(self.engine), _Match(), texts)


@dataclass(frozen=True)
class MinHashTerms:
    """The filter queried by one clause for each hash of the text."""

    engines: Engines
    engine: Kind = "OpenSearch"
    name: str = "min-hash-terms"
    tool: str = (
        "OpenSearch min_hash filter, one clause a hash, share of them; default: the first ten hits"
    )

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index the hashes of texts."""
        return SearchCollection(self.engines.open(self.engine), _Terms(), texts)
