"""Calls that are awaited: what they have opened is closed when nobody waits for them any more."""

import asyncio
import threading
from typing import Any

import pytest

from es_simhash.store.elasticsearch.async_calls import AsyncCalls
from es_simhash.store.elasticsearch.calls import Call, Calls
from es_simhash.store.elasticsearch.pages import all_hits
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """An index of five documents."""
    client.indices.create(index=index_name)
    for number in range(5):
        client.index(index=index_name, document={"n": number})
    client.indices.refresh(index=index_name)
    return index_name


def test_a_point_in_time_is_closed_where_its_search_is_given_up(index: str, proxy: Proxy) -> None:
    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")
    sent: list[str] = []
    closed = threading.Event()

    async def main() -> None:
        async with elasticsearch.AsyncElasticsearch(proxy.url) as client:
            body = {"query": {"match_all": {}}, "size": 2}
            question = asyncio.ensure_future(AsyncCalls(client).run(all_hits(index, body)))
            loop = asyncio.get_running_loop()

            def give_up(path: str, body: bytes) -> None:
                sent.append(path.partition("?")[0])
                if sent.count("/_search") == 2 and path.startswith("/_search"):
                    loop.call_soon_threadsafe(question.cancel)
                    # The response comes when nobody waits for it.
                    closed.wait(10)
                elif path.startswith("/_pit"):
                    closed.set()

            proxy.hook = give_up
            with pytest.raises(asyncio.CancelledError):
                await question
            assert question.cancelled()

    asyncio.run(main())
    assert sent == [f"/{index}/_pit", "/_search", "/_search", "/_pit"]


def test_a_point_in_time_is_closed_where_a_thread_computes_when_it_is_given_up(
    index: str, proxy: Proxy
) -> None:
    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")
    sent: list[str] = []
    proxy.hook = lambda path, body: sent.append(path.partition("?")[0])
    computes, may_end = threading.Event(), threading.Event()

    def calls() -> Calls[None]:
        opened = yield Call("POST", f"/{index}/_pit", params={"keep_alive": "1m"})
        try:
            computes.set()
            may_end.wait(10)
            yield Call("POST", "/_search", {"pit": {"id": opened["id"]}})
        finally:
            yield Call("DELETE", "/_pit", {"id": opened["id"]})

    async def main() -> None:
        async with elasticsearch.AsyncElasticsearch(proxy.url) as client:
            question = asyncio.ensure_future(AsyncCalls(client).run(calls()))
            await asyncio.to_thread(computes.wait, 10)
            question.cancel()
            asyncio.get_running_loop().call_later(0.1, may_end.set)
            with pytest.raises(asyncio.CancelledError):
                await question

    asyncio.run(main())
    assert sent == [f"/{index}/_pit", "/_pit"]
