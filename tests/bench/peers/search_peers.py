"""What peers on a search engine have in common: an index of the texts, queried text by text."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from es_simhash.errors import ClusterError
from es_simhash.lab.methods.method_protocol import Pairs
from tests.bench.peers.engine import Engine
from tests.bench.peers.model import Scored

# Texts of the widest family are within it; the page that comes by default has ten.
DEEP_PAGE = 100
PAGE = 10
_BATCH = 20
_PLAIN: dict[str, Any] = {
    "settings": {"number_of_shards": 1, "number_of_replicas": 0},
    "mappings": {"properties": {"text": {"type": "text", "index": False}}},
}


class Hit(NamedTuple):
    """A hit: the position of its text, and its score."""

    number: int
    score: float


@dataclass(frozen=True)
class Source:
    """What is searched: an index, and the texts that are in it."""

    engine: Engine
    index: str
    texts: Sequence[str] = field(repr=False)


class Recipe(Protocol):
    """How an engine is used to find versions."""

    @property
    def body(self) -> Mapping[str, Any]:
        """Settings and mappings of the index, beyond those of an index of plain texts."""

    def documents(self, texts: Sequence[str]) -> Iterable[dict[str, Any]]:
        """Yield what is indexed of each text."""

    def searches(
        self, source: "Source", numbers: Sequence[int], size: int
    ) -> Iterable[dict[str, Any]]:
        """Yield the bodies of the searches for so many hits about some texts."""

    def scores(self, number: int, hits: Sequence[Hit]) -> Iterable[Hit]:
        """Return the hits about a text with their scores; its own may be among them."""


def plain_index(engine: Engine, body: Mapping[str, Any] | None = None) -> str:
    """Create an index whose texts are stored and not indexed, unless its body says otherwise."""
    index = f"bench-peers-{uuid.uuid4().hex}"
    given = body or {}
    merged = {
        "settings": {**_PLAIN["settings"], **given.get("settings", {})},
        "mappings": {
            "properties": {**_PLAIN["mappings"]["properties"], **given.get("mappings", {})}
        },
    }
    engine.call("PUT", f"/{index}", merged)
    return index


def plain_bytes(engine: Engine, texts: Sequence[str]) -> int:
    """Return the bytes of an index that only stores texts."""
    index = plain_index(engine)
    try:
        engine.fill(index, ({"text": text} for text in texts))
        return engine.stored_bytes(index)
    finally:
        engine.delete(index)


class SearchCollection:
    """An index of texts that a recipe queries; it is deleted when it is closed."""

    def __init__(self, engine: Engine, recipe: Recipe, texts: Sequence[str]) -> None:
        self.failures: dict[str, int] = {}
        self._recipe = recipe
        self._source = Source(engine, plain_index(engine, recipe.body), texts)
        try:
            engine.fill(self._source.index, recipe.documents(texts))
        except BaseException:
            self.close()
            raise

    def called(self) -> Pairs:
        """Return every text with the hits of its first page: an engine has no cut."""
        return self._pairs(PAGE).pairs

    def scored(self) -> Scored:
        """Return every text with its best hundred hits."""
        return self._pairs(DEEP_PAGE)

    def query(self, number: int) -> object:
        """Return the first page of hits about a text."""
        return next(self._answers([number], PAGE))

    def nbytes(self) -> int:
        """Return the bytes of the index beyond those of one that only stores the texts."""
        engine = self._source.engine
        return engine.stored_bytes(self._source.index) - plain_bytes(engine, self._source.texts)

    def close(self) -> None:
        """Delete the index."""
        self._source.engine.delete(self._source.index)

    def _pairs(self, size: int) -> Scored:
        """Return every text with so many of its hits, which are requested once."""
        first: list[int] = []
        second: list[int] = []
        scores: list[float] = []
        for number, hits in enumerate(self._hits):
            first.extend([number] * len(hits[:size]))
            second.extend(hit.number for hit in hits[:size])
            scores.extend(hit.score for hit in hits[:size])
        return Scored.of(np.array(first, np.int64), np.array(second, np.int64), np.array(scores))

    @cached_property
    def _hits(self) -> list[list[Hit]]:
        """The best hits about each text, without itself."""
        numbers = range(len(self._source.texts))
        answers = (
            answer
            for start in range(0, len(numbers), _BATCH)
            for answer in self._answers(numbers[start : start + _BATCH], DEEP_PAGE)
        )
        return [
            [hit for hit in hits if hit.number != number]
            for number, hits in zip(numbers, answers, strict=True)
        ]

    def _answers(self, numbers: Sequence[int], size: int) -> Iterator[list[Hit]]:
        searches = self._recipe.searches(self._source, numbers, size + 1)
        # One more: the text itself may be among its hits.
        bodies = [
            part
            for search in searches
            for part in ({}, {"size": size + 1, "_source": False, **search})
        ]
        answer = self._source.engine.call("POST", f"/{self._source.index}/_msearch", bodies)
        for number, response in zip(numbers, answer["responses"], strict=True):
            found = [Hit(int(hit["_id"]), float(hit["_score"])) for hit in _hits(response)]
            yield list(self._recipe.scores(number, found))


def _hits(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the hits of one answer of several.

    Raises:
        ClusterError: It is an error.
    """
    if "error" in response:
        raise ClusterError(f"A search failed: {response['error']}.")
    hits: list[dict[str, Any]] = response["hits"]["hits"]
    return hits
