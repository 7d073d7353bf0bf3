"""An index with our fields, and documents in it that have no fingerprints yet."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.new_index import new_index

Documents = dict[str, dict[str, Any]]


# Vectors, which the engine keeps elsewhere.
VECTORS = ("fingerprint", "concepts", "vector", "vector_fingerprint")


def texts(count: int) -> Documents:
    return {str(n): {"text": f"Text number {n} of some words.", "n": n} for n in range(count)}


@pytest.fixture
def write(client: Any) -> Callable[..., None]:
    """Write documents as a user's own program does: without fingerprints."""

    def bulk(index: str, documents: Documents, **action: Any) -> None:
        lines: list[dict[str, Any]] = []
        for id, document in documents.items():
            lines += [{"index": {"_id": id, **action}}, document]
        answer = client.bulk(index=index, operations=lines, refresh=True)
        assert not answer["errors"], answer

    return bulk


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """An empty index with our fields and those of the documents."""
    new_index(client, index_name, {"n": {"type": "long"}}, texts=("text",))
    return index_name


@pytest.fixture
def stored(client: Any) -> Callable[[str], dict[str, dict[str, Any]]]:
    """Return all documents of an index: their source, version and our object without vectors."""

    def read(index: str) -> dict[str, dict[str, Any]]:
        client.indices.refresh(index=index)
        answer = client.search(index=index, size=10_000, version=True, query={"match_all": {}})
        found = {}
        for hit in answer["hits"]["hits"]:
            source = hit["_source"]
            ours = source.pop("simhash", {})
            found[hit["_id"]] = {
                "source": source,
                "ours": {
                    name: value
                    for name, value in ours.items()
                    if value is not None and name not in VECTORS
                },
                "version": hit["_version"],
            }
        return found

    return read


@pytest.fixture
def matching(client: Any) -> Callable[[str, dict[str, Any]], set[str]]:
    """Return the ids of the documents that match a query."""

    def search(index: str, query: dict[str, Any]) -> set[str]:
        client.indices.refresh(index=index)
        answer = client.search(index=index, size=10_000, query=query, source=False)
        return {hit["_id"] for hit in answer["hits"]["hits"]}

    return search


@pytest.fixture
def documents() -> Callable[[int], Documents]:
    """Return so many documents of different texts."""
    return texts


@pytest.fixture
def expected() -> Callable[[str], dict[str, Any]]:
    """Return our object for a text, as `ingest` makes it, without vectors."""

    def of(text: str) -> dict[str, Any]:
        from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
        from es_simhash.store.config import IndexConfig
        from es_simhash.store.encoding import encode

        (made,) = encode([text], IndexConfig(semantics=DEFAULT_SEMANTICS)).objects
        return {name: value for name, value in json.loads(made).items() if name not in VECTORS}

    return of
