"""Documents by their places: what is gone is told from what cannot be read."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import elasticsearch
import pytest

from es_simhash import AsyncIndex
from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef
from es_simhash.store.elasticsearch.documents import get_all
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy, Unavailable

pytestmark = pytest.mark.cluster
QUICK = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.1)
TEXT = "The bell of the old school rings at eight, and the caretaker opens both gates."


@pytest.fixture
def lost(client: Any, index_name: str) -> Iterator[str]:
    """An index whose only shard is on no node."""
    name = f"{index_name}-lost"
    settings = {"index.routing.allocation.require._name": "no-such-node"}
    client.indices.create(index=name, settings=settings, wait_for_active_shards="0")
    yield name
    client.indices.delete(index=name)


def test_a_document_of_a_shard_that_does_not_answer_is_not_gone(
    client: Any, lost: str, index_name: str
) -> None:
    client.index(index=index_name, id="here", document={"n": 1})
    here, away = DocumentRef(index_name, "here"), DocumentRef(lost, "away")
    sentence = r"^Document 'away' cannot be read now \(no_shard_available_action_exception: .*Ask"
    with pytest.raises(ClusterError, match=sentence):
        Gateway(client).run(get_all([here, away]))
    with pytest.raises(ClusterError, match=r"no_shard_available.*Run it again later"):
        Gateway(client, QUICK).run(get_all([here, away]))
    assert Gateway(client).run(get_all([here]))[0]["found"]


def test_a_document_of_no_index_is_gone(client: Any, index_name: str) -> None:
    (entry,) = Gateway(client).run(get_all([DocumentRef(index_name, "1")]))
    assert not entry.get("found")


@pytest.mark.parametrize("kind", ["es_rejected_execution_exception", "circuit_breaking_exception"])
def test_an_entry_that_a_busy_node_rejects_is_an_error_or_asked_again(kind: str) -> None:
    call = next(get_all([DocumentRef("i", "a"), DocumentRef("i", "b")]))
    error = {"type": kind, "reason": "too much at once"}
    answer = {
        "docs": [
            {"_index": "i", "_id": "a", "error": {"type": "index_not_found_exception"}},
            {"_index": "i", "_id": "b", "error": error},
        ]
    }
    with pytest.raises(ClusterError, match=rf"^Document 'b' .* \({kind}: too much at once\)"):
        call.read(answer, False)
    with pytest.raises(Unavailable, match=kind):
        call.read(answer, True)


def test_an_answer_does_not_lack_a_hit_that_cannot_be_read(
    proxy: Any, index_name: str, fill_index: Callable[..., None]
) -> None:
    fill_index(index_name, {"id": "a", "text": TEXT}, {"id": "b", "text": f"{TEXT} Twice."})

    def busy(path: str, body: bytes) -> tuple[int, bytes] | None:
        if "_mget" not in path:
            return None
        error = {"type": "es_rejected_execution_exception", "reason": "busy"}
        docs = [{**each, "error": error} for each in json.loads(body)["docs"]]
        return 200, json.dumps({"docs": docs}).encode()

    async def related() -> list[str]:
        async with elasticsearch.AsyncElasticsearch(proxy.url) as connected:
            return [each.id for each in await AsyncIndex(connected, index_name).related(text=TEXT)]

    assert asyncio.run(related()) == ["a", "b"]
    proxy.hook = busy
    with pytest.raises(ClusterError, match="es_rejected_execution_exception"):
        asyncio.run(related())
