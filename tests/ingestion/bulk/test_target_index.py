"""What a run knows of the index before it writes anything."""

from typing import Any

import pytest

from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

PLAIN, ROUTED = {"text": "Salt and fog."}, {"text": "Salt, fog and a lamp."}


@pytest.fixture
def archive(client: Any, index_name: str) -> str:
    install(client, index_name, semantics=None)
    return index_name


def target(client: Any, index: str) -> TargetIndex:
    return TargetIndex(ElasticsearchStore(Gateway(client), index, IndexConfig()))


def test_what_it_has_is_counted_by_one_search_before_the_run_writes(
    client: Any, archive: str, requests_of: list[str]
) -> None:
    first = target(client, archive)
    _ = first.config
    requests_of.clear()
    assert first.is_empty
    assert not first.has_routings
    assert requests_of == [f"POST /{archive}/_refresh", f"POST /{archive}/_msearch"]
    # Neither is visible to a search yet.
    client.index(index=archive, id="1", document=PLAIN)
    second = target(client, archive)
    assert (second.is_empty, second.has_routings) == (False, False)
    client.index(index=archive, id="2", document=ROUTED, routing="harbour")
    third = target(client, archive)
    assert (third.is_empty, third.has_routings) == (False, True)
    assert first.is_empty
    assert not second.has_routings


@pytest.mark.parametrize("status", [403, 503])
def test_an_index_that_cannot_be_refreshed_may_have_documents(
    client: Any, archive: str, proxy: Any, status: int
) -> None:
    proxy.hook = lambda path, body: (status, b"{}") if path.endswith("_refresh") else None
    with connect(proxy.url) as behind:
        assert not target(behind, archive).is_empty
