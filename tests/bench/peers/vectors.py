"""Nearest vectors in Elasticsearch: bits of document fingerprints, and embeddings of texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from es_simhash.lab.methods.shingle_sets import words_of
from es_simhash.text.segmentation import text_batches
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Kind
from tests.bench.peers.search_peers import Hit, SearchCollection, Source
from tests.bench.peers.sentence_encoder import DIMENSIONS, sentence_encoder
from tests.support.document_fingerprints import document_fingerprints

Vector = list[int] | list[float] | None


@dataclass
class _Nearest:
    """A kNN search for the texts nearest to one of the index."""

    mapping: Mapping[str, Any]
    vectors: list[Vector] = field(repr=False)

    @property
    def body(self) -> Mapping[str, Any]:
        return {"mappings": {"vector": {"type": "dense_vector", **self.mapping}}}

    def documents(self, texts: Sequence[str]) -> Iterable[dict[str, Any]]:
        for text, vector in zip(texts, self.vectors, strict=True):
            yield {"text": text} if vector is None else {"text": text, "vector": vector}

    def searches(
        self, source: Source, numbers: Sequence[int], size: int
    ) -> Iterable[dict[str, Any]]:
        for number in numbers:
            vector = self.vectors[number]
            if vector is None:
                yield {"query": {"match_none": {}}}
            else:
                yield {"knn": {"field": "vector", "query_vector": vector, "k": size}}

    def scores(self, number: int, hits: Sequence[Hit]) -> Iterable[Hit]:
        return hits


def fingerprints_of(texts: Sequence[str]) -> list[Vector]:
    """Return the document fingerprint of each text as signed bytes; None without words."""
    rows = [row for batch in text_batches(texts) for row in document_fingerprints(batch)]
    prints = iter(np.array(rows, np.uint8).view(np.int8).tolist())
    has_words = np.diff(words_of(texts).bounds) > 0
    return [next(prints) if known else None for known in has_words.tolist()]


@dataclass(frozen=True)
class BitKnn:
    """The same document fingerprint as ours, and nothing but a kNN search of its bits."""

    engines: Engines
    engine: Kind = "Elasticsearch"
    name: str = "bit-knn"
    tool: str = "Elasticsearch kNN of our 128-bit document fingerprint; default: the first ten hits"

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index texts with their fingerprints; the engine chooses the index of the vectors."""
        mapping = {"element_type": "bit", "dims": 128}
        recipe = _Nearest(mapping, fingerprints_of(texts))
        return SearchCollection(self.engines.open(self.engine), recipe, texts)


def embeddings_of(texts: Sequence[str]) -> list[Vector]:
    """Return the embedding of each text; None of one without pieces."""
    vectors = sentence_encoder().encode(texts)
    return [vector.tolist() if vector.any() else None for vector in vectors]


@dataclass(frozen=True)
class DenseKnn:
    """Embeddings of a sentence encoder, and a kNN search of them as the engine does it."""

    engines: Engines
    engine: Kind = "Elasticsearch"
    name: str = "dense-knn"
    tool: str = (
        "Elasticsearch kNN of all-MiniLM-L6-v2, the first 256 word pieces; "
        "default: the first ten hits"
    )

    def build(self, texts: Sequence[str]) -> SearchCollection:
        """Index texts with their embeddings; the engine chooses how it quantises them."""
        mapping = {"dims": DIMENSIONS, "similarity": "cosine"}
        recipe = _Nearest(mapping, embeddings_of(texts))
        return SearchCollection(self.engines.open(self.engine), recipe, texts)
