"""This project with its defaults, through an index, as the peers are used."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.enrichment import fingerprint_documents
from es_simhash.lab.methods.method_protocol import Pairs
from es_simhash.questions.index import Index
from es_simhash.relation.thresholds import SHARED_SCORE, VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions
from es_simhash.text.segmentation import text_batches
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Kind, Scored
from tests.bench.peers.search_peers import DEEP_PAGE, plain_bytes, plain_index
from tests.support.document_fingerprints import document_fingerprints

_BATCH = 20
_ALL = SearchOptions(size=DEEP_PAGE, min_score=SHARED_SCORE, evidence=False, passages=False)
_QUICK = SearchOptions(evidence=False, passages=False)


def sign_documents(texts: Sequence[str]) -> list[Any]:
    """Return the document fingerprints alone."""
    return [document_fingerprints(batch) for batch in text_batches(texts)]


def sign_everything(texts: Sequence[str]) -> list[Any]:
    """Return everything that is stored of texts to find their versions."""
    return [fingerprint_batch(batch) for batch in text_batches(texts)]


class OwnCollection:
    """An index with our fields."""

    def __init__(self, engines: Engines, texts: Sequence[str]) -> None:
        self.failures: dict[str, int] = {}
        self._texts, self._engine = texts, engines.open("Elasticsearch")
        self._name = plain_index(self._engine)
        try:
            install(engines.client(), self._name, semantics=None)
            self._engine.fill(self._name, self._documents())
        except BaseException:
            self.close()
            raise
        self._index = Index(engines.client(), self._name)

    def called(self) -> Pairs:
        """Return the pairs that are versions by the score they have by default."""
        return self._scored.from_score(VERSION_SCORE)

    def scored(self) -> Scored:
        """Return every text with its best hundred relations."""
        return self._scored

    @cached_property
    def _scored(self) -> Scored:
        first: list[int] = []
        second: list[int] = []
        scores: list[float] = []
        for start in range(0, len(self._texts), _BATCH):
            ids = [str(number) for number in range(len(self._texts))[start : start + _BATCH]]
            for id, relations in self._index.related_to_each(ids, options=_ALL).items():
                first.extend([int(id)] * len(relations))
                second.extend(int(str(relation.id)) for relation in relations)
                scores.extend(relation.score for relation in relations)
        return Scored.of(np.array(first, np.int64), np.array(second, np.int64), np.array(scores))

    def query(self, number: int) -> object:
        """Return the versions of a text, without their passages side by side."""
        return self._index.related(id=str(number), options=_QUICK)

    def nbytes(self) -> int:
        """Return the bytes of the index beyond those of one that only stores the texts."""
        return self._engine.stored_bytes(self._name) - plain_bytes(self._engine, self._texts)

    def close(self) -> None:
        """Delete the index."""
        self._engine.delete(self._name)

    def _documents(self) -> Any:
        documents = [{"text": text} for text in self._texts]
        return fingerprint_documents(documents, config=IndexConfig(semantics=None))


@dataclass(frozen=True)
class Own:
    """This project."""

    engines: Engines
    engine: Kind = "Elasticsearch"
    name: str = "es-simhash"
    tool: str = "this project, through Elasticsearch; default: score 0.6"

    def build(self, texts: Sequence[str]) -> OwnCollection:
        """Ingest texts with everything that versions need; no semantic features."""
        return OwnCollection(self.engines, texts)
