"""A throw-away index filled with documents, for the benchmarks."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import elasticsearch

from es_simhash.document import DEFAULT_FIELD, simhash_object
from es_simhash.fingerprints import fingerprint_texts
from es_simhash.index import Index
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
) -> Iterator[Index]:
    """Create an index of documents with fingerprints; it is deleted at the end."""
    client.indices.delete(index=name, ignore_unavailable=True)
    install(client, name, scheme=scheme)
    try:
        fill(client, name, list(documents), scheme)
        yield Index(client, name)
    finally:
        client.indices.delete(index=name, ignore_unavailable=True)


def fill(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: list[dict[str, Any]],
    scheme: Scheme = DEFAULT,
) -> None:
    """Index documents with their fingerprints and refresh.

    Raises:
        RuntimeError: One of them was rejected.
    """
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        operations: list[dict[str, Any]] = []
        prints = fingerprint_texts([each["text"] for each in batch], scheme)
        for each, fingerprints in zip(batch, prints, strict=True):
            operations.append({"index": {"_id": each["id"]}})
            operations.append({**each, DEFAULT_FIELD: simhash_object(fingerprints)})
        answer = client.bulk(index=name, operations=operations)
        if answer["errors"]:
            raise RuntimeError(f"Rejected: {answer['items'][0]}")
    client.indices.refresh(index=name)
