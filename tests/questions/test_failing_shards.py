"""Part of an index that does not answer: no answer is given that misses it without a word."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import elasticsearch
import pytest

from es_simhash import AsyncIndex, Index, SearchOptions, SidecarIndex
from es_simhash.errors import ClusterError
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.store import resources
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.searches import count
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

TEXT = (
    "The harbour was quiet that morning, and nobody had seen the ferry leave the pier. "
    "Two fishermen mended their nets beside the old lighthouse and talked about the storm."
)
ENGLISH = SearchOptions(filters=({"term": {"lang": "en"}},))


@pytest.fixture
def pair(
    client: Any, index_name: str, fill_index: Callable[..., None]
) -> Iterator[tuple[str, str]]:
    """Two indices with a text each; in the second a language is a number."""
    other = f"{index_name}-numbers"
    fill_index(index_name, {"id": "a", "text": TEXT, "lang": "en"})
    install(client, other)
    client.indices.put_mapping(index=other, properties={"lang": {"type": "integer"}})
    document = {"id": "b", "text": f"{TEXT} And less.", "lang": 3}
    assert all(each.ok for each in ingest(client, other, [document]))
    client.indices.refresh(index=other)
    yield index_name, other
    client.indices.delete(index=other, ignore_unavailable=True)


@pytest.fixture
def torn(client: Any, pair: tuple[str, str]) -> Iterator[str]:
    """An alias over an index that answers and one whose only shard is on no node."""
    good = pair[0]
    alias, lost = f"{good}-alias", f"{good}-lost"
    mapping = client.indices.get_mapping(index=good)[good]["mappings"]
    client.indices.create(
        index=lost,
        mappings=mapping,
        settings={"index.routing.allocation.require._name": "no-such-node"},
        wait_for_active_shards="0",
    )
    client.indices.put_alias(index=f"{good},{lost}", name=alias)
    yield alias
    client.indices.delete(index=lost)


def test_a_filter_that_one_index_rejects_is_reported(client: Any, pair: tuple[str, str]) -> None:
    index = Index(client, ",".join(pair))
    assert {each.id for each in index.related(text=TEXT)} == {"a", "b"}
    refused = f"^Index '{pair[1]}' rejects the search: .*For input string: \"en\""
    with pytest.raises(ClusterError, match=refused):
        index.related(text=TEXT, options=ENGLISH)
    assert [each.id for each in Index(client, pair[0]).related(text=TEXT, options=ENGLISH)] == ["a"]


def test_so_it_is_beside_a_sidecar(client: Any, pair: tuple[str, str]) -> None:
    both, sidecar = ",".join(pair), f"{pair[0]}-sidecar"
    try:
        assert all(each.ok for each in backfill(client, both, sidecar=sidecar))
        client.indices.refresh(index=sidecar)
        beside = SidecarIndex(client, sidecar)
        assert {each.id for each in beside.related(text=TEXT)} == {"a", "b"}
        with pytest.raises(ClusterError, match='For input string: "en"'):
            beside.related(text=TEXT, options=ENGLISH)
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


def test_a_missing_shard_is_reported(client: Any, torn: str) -> None:
    lost = torn.replace("-alias", "-lost")
    with pytest.raises(ClusterError, match=rf"^Shards \[{lost}\]\[0\] do not answer"):
        Index(client, torn).related(text=TEXT)


@pytest.fixture
def without_node(client: Any, pair: tuple[str, str]) -> Iterator[str]:
    """A state index whose shard is on no node, as when another process is creating it."""
    state = f"{pair[0]}-simhash"
    client.indices.create(
        index=state,
        settings={"index.routing.allocation.require._name": "no-such-node"},
        mappings=resources.template("simhash-state@mappings")["mappings"],
        wait_for_active_shards="0",
    )
    yield state
    client.indices.delete(index=state)


def _start(client: Any, state: str) -> None:
    setting = {"index.routing.allocation.require._name": None}
    client.indices.put_settings(index=state, settings=setting)


def test_a_state_index_that_is_being_created_is_waited_for(
    client: Any, pair: tuple[str, str], without_node: str
) -> None:
    starter = threading.Timer(0.3, _start, (client, without_node))
    starter.start()
    try:
        assert [each.id for each in Index(client, pair[0]).related(text=TEXT)] == ["a"]
    finally:
        starter.join()


async def _related(url: str, index: str) -> list[str]:
    async with elasticsearch.AsyncElasticsearch(url) as client:
        return [each.id for each in await AsyncIndex(client, index).related(text=TEXT)]


def test_so_it_is_without_blocking(
    client: Any, cluster_url: str, pair: tuple[str, str], without_node: str
) -> None:
    starter = threading.Timer(0.3, _start, (client, without_node))
    starter.start()
    try:
        assert asyncio.run(_related(cluster_url, pair[0])) == ["a"]
    finally:
        starter.join()


@pytest.mark.long
def test_a_state_index_that_stays_without_a_shard_is_reported(
    client: Any, pair: tuple[str, str], without_node: str
) -> None:
    with pytest.raises(ClusterError, match=rf"^Shards \[{without_node}\]\[0\] do not answer"):
        Index(client, pair[0]).related(text=TEXT)


def test_ingest_fails_when_a_shard_is_missing(client: Any, torn: str) -> None:
    retry = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.1)
    gateway, search = Gateway(client, retry), {"query": {"match_all": {}}}
    with pytest.raises(ClusterError, match="Run it again later"):
        gateway.search_all(torn, [search])
    (response,) = gateway.search_all(torn.removesuffix("-alias"), [search])
    assert len(response["hits"]["hits"]) == 1


def test_a_count_of_other_shards_is_not_all(client: Any, torn: str, pair: tuple[str, str]) -> None:
    lost = torn.replace("-alias", "-lost")
    with pytest.raises(ClusterError, match=rf"^Shards \[{lost}\]\[0\] do not answer"):
        Gateway(client).run(count(torn))
    retry = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.1)
    with pytest.raises(ClusterError, match="Run it again later"):
        Gateway(client, retry).run(count(torn))
    with pytest.raises(ClusterError, match=f"^Index '{pair[1]}' rejects the search: .*\"en\""):
        Gateway(client, retry).run(count(",".join(pair), ENGLISH.filters[0]))
    assert Gateway(client, retry).run(count(pair[0])) == 1


def test_pages_of_other_shards_are_not_all(client: Any, pair: tuple[str, str]) -> None:
    body = {"query": ENGLISH.filters[0]}
    assert [each["_id"] for each in Gateway(client).pages(pair[0], body)] == ["a"]
    with pytest.raises(ClusterError, match='For input string: "en"'):
        list(Gateway(client).pages(",".join(pair), body))
