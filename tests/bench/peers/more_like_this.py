"""Elasticsearch `more_like_this`, as it comes, and with scores that can be cut."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Kind
from tests.bench.peers.search_peers import Hit, SearchCollection, Source


@dataclass(frozen=True)
class _Query:
    """A search for texts like one of the index."""

    options: Mapping[str, Any]
    is_relative: bool

    @property
    def body(self) -> Mapping[str, Any]:
        return {"mappings": {"text": {"type": "text"}}}

    def documents(self, texts: Sequence[str]) -> Iterable[dict[str, Any]]:
        return ({"text": text} for text in texts)

    def searches(
        self, source: Source, numbers: Sequence[int], size: int
    ) -> Iterable[dict[str, Any]]:
        for number in numbers:
            like = {"fields": ["text"], "like": [{"_id": str(number)}], **self.options}
            yield {"query": {"more_like_this": like}}

    def scores(self, number: int, hits: Sequence[Hit]) -> Iterable[Hit]:
        if not self.is_relative:
            return hits
        own = next((hit.score for hit in hits if hit.number == number), 0.0)
        return [Hit(hit.number, hit.score / own) for hit in hits] if own else []


@dataclass(frozen=True)
class MoreLikeThis:
    """The query with its defaults; any hit of the first page counts."""

    engines: Engines
    engine: Kind = "Elasticsearch"
    name: str = "more-like-this"
    tool: str = "Elasticsearch more_like_this, its defaults; default: the first ten hits"

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index texts, analysed the standard way."""
        return SearchCollection(self.engines.open(self.engine), _Query({}, False), texts)


@dataclass(frozen=True)
class RelativeMoreLikeThis:
    """The query with every term eligible, and scores that are shares of the text's own."""

    engines: Engines
    engine: Kind = "Elasticsearch"
    name: str = "more-like-this-relative"
    tool: str = (
        "Elasticsearch more_like_this of any term (min_term_freq and min_doc_freq 1), score over "
        "the text's own; default: the first ten hits"
    )

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index texts, analysed the standard way."""
        options = {"include": True, "min_term_freq": 1, "min_doc_freq": 1}
        return SearchCollection(self.engines.open(self.engine), _Query(options, True), texts)
