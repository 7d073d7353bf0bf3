"""A throw-away index filled with documents, for the benchmarks."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import elasticsearch

from es_simhash.concepts.meaning import MeaningScheme
from es_simhash.index import Index
from es_simhash.ingesting import fingerprint_documents
from es_simhash.installing import install
from es_simhash.scheme import DEFAULT, Scheme

_BATCH = 200


@contextmanager
def filled_index(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: Iterable[dict[str, Any]],
    *,
    scheme: Scheme = DEFAULT,
    meaning: MeaningScheme | None = None,
) -> Iterator[Index]:
    """Create an index of documents with fingerprints; it is deleted at the end."""
    client.indices.delete(index=name, ignore_unavailable=True)
    install(client, name, scheme=scheme, meaning=meaning)
    try:
        fill(client, name, list(documents), scheme, meaning)
        yield Index(client, name)
    finally:
        client.indices.delete(index=name, ignore_unavailable=True)


def fill(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: list[dict[str, Any]],
    scheme: Scheme = DEFAULT,
    meaning: MeaningScheme | None = None,
) -> None:
    """Index documents with their fingerprints and refresh.

    Raises:
        RuntimeError: One of them was rejected.
    """
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        operations: list[dict[str, Any]] = []
        for each in fingerprint_documents(batch, scheme=scheme, meaning=meaning):
            operations += [{"index": {"_id": each["id"]}}, each]
        answer = client.bulk(index=name, operations=operations)
        if answer["errors"]:
            raise RuntimeError(f"Rejected: {answer['items'][0]}")
    client.indices.refresh(index=name)
