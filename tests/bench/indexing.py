"""A throw-away index filled with documents, for the benchmarks."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import elasticsearch

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.ingestion.enrichment import fingerprint_documents
from es_simhash.questions.index import Index
from es_simhash.semantics.semantic_profile import WordTable
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from es_simhash.store.state_entries import state_index_name

_BATCH = 200


@contextmanager
def filled_index(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: Iterable[dict[str, Any]],
    *,
    scheme: Scheme = DEFAULT,
    semantics: SemanticScheme | None = None,
    table: WordTable | None = None,
) -> Iterator[Index]:
    """Create an index of documents with fingerprints; it is deleted at the end."""
    names = [name, state_index_name(name)]
    client.indices.delete(index=names, ignore_unavailable=True)
    install(client, name, scheme=scheme, semantics=semantics)
    try:
        fill(client, name, list(documents), scheme, semantics, table)
        yield Index(client, name)
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def fill(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: list[dict[str, Any]],
    scheme: Scheme = DEFAULT,
    semantics: SemanticScheme | None = None,
    table: WordTable | None = None,
) -> None:
    """Index documents with their fingerprints and refresh.

    Raises:
        RuntimeError: One of them was rejected.
    """
    config = IndexConfig(scheme, semantics=semantics, table=table)
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        operations: list[dict[str, Any]] = []
        for each in fingerprint_documents(batch, config=config):
            operations += [{"index": {"_id": each["id"]}}, each]
        answer = client.bulk(index=name, operations=operations)
        if answer["errors"]:
            raise RuntimeError(f"Rejected: {answer['items'][0]}")
    client.indices.refresh(index=name)
