"""Clients of opensearch-py are taken as they are, whether they wait or not."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from es_simhash import AsyncIndex, ClusterError, Index, IndexMissing, InputError
from es_simhash.store.opensearch.own_client import is_opensearch_client

opensearchpy = pytest.importorskip("opensearchpy", reason="needs the extra opensearch")

pytestmark = pytest.mark.cluster

TEXT = "The committee published its report on the water of the {} districts on Tuesday morning."
DOCUMENTS = [{"id": name, "text": TEXT.format(name)} for name in ("northern", "southern")]


@pytest.fixture(scope="module")
def filled(painless_url: str) -> Iterator[tuple[Any, str]]:
    """A client of opensearch-py, and the name of an index of two documents."""
    name = f"test-{uuid4().hex}"
    with opensearchpy.OpenSearch(painless_url) as client:
        if client.info()["version"].get("distribution") != "opensearch":
            pytest.skip("the engine of the tests runs Painless itself")
        index = Index(client, name)
        index.install()
        assert all(outcome.ok for outcome in index.ingest(DOCUMENTS))
        client.indices.refresh(index=name)
        yield client, name
        client.indices.delete(index=name)


def found(answer: Any) -> list[tuple[str, str, float]]:
    return [(hit.id, hit.kind, hit.score) for hit in answer]


def test_a_client_that_does_not_wait_answers_as_one_that_does(
    filled: tuple[Any, str], painless_url: str
) -> None:
    client, name = filled
    waited = found(Index(client, name).related(id="northern"))

    async def ask() -> list[tuple[str, str, float]]:
        async with opensearchpy.AsyncOpenSearch(painless_url) as other:
            return found(await AsyncIndex(other, name).related(id="northern"))

    assert asyncio.run(ask()) == waited
    assert [id for id, _, _ in waited] == ["southern"]


def test_errors_are_those_of_other_clients(filled: tuple[Any, str]) -> None:
    client, name = filled
    with pytest.raises(IndexMissing, match=f"^Index '{name}-none' does not exist"):
        Index(client, f"{name}-none").related(id="northern")
    with pytest.raises((ClusterError, InputError), match="'nobody' is not in index"):
        Index(client, name).related(id="nobody")
    closed = opensearchpy.OpenSearch("http://127.0.0.1:1", max_retries=0)
    with pytest.raises(ClusterError, match=r"^No cluster answers at http://127.0.0.1:1 "):
        Index(closed, name).related(id="northern")


def test_only_its_clients_count(filled: tuple[Any, str]) -> None:
    assert is_opensearch_client(filled[0])
    assert not is_opensearch_client(object())
