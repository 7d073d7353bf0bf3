"""What a run knows of the index before it writes anything."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from es_simhash.index import Index
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install
from tests.support.data_streams import TIME, DataStream
from tests.support.shelf import text

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


def test_an_index_that_may_not_be_refreshed_may_have_documents(
    client: Any, archive: str, proxy: Any
) -> None:
    proxy.hook = lambda path, body: (403, b"{}") if path.endswith("_refresh") else None
    with connect(proxy.url) as behind:
        assert not target(behind, archive).is_empty


def losing(proxy: Any, done: Callable[[str, bytes], object]) -> list[bytes]:
    """Let the first bulk request have no answer, and return those that are sent.

    Args:
        proxy: The proxy.
        done: What happens in the engine instead, of the path and the body of that request.
    """
    sent: list[bytes] = []

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        if "_bulk" not in path:
            return None
        sent.append(body)
        if len(sent) > 1:
            return None
        done(path, body)
        return 503, b"{}"

    proxy.hook = hook
    return sent


def ingested(url: str, index: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Ingest documents into a data stream, and return the status of each."""
    lines = [{"id": id, "@timestamp": TIME, "text": each} for id, each in texts.items()]
    settings = IngestSettings(retry=RetryPolicy(initial_delay=0.01))
    with connect(url) as behind:
        outcomes = list(Index(behind, index).ingest(lines, settings=settings))
    return {outcome.id: outcome.status for outcome in outcomes}


def test_what_a_data_stream_got_without_an_answer_is_written(
    client: Any, stream: DataStream, proxy: Any
) -> None:
    stream.put("old", text(1))
    Index(client, stream.name).install()
    headers = {"accept": "application/json", "content-type": "application/x-ndjson"}

    def write(path: str, body: bytes) -> None:
        client.perform_request("POST", path, headers=headers, body=body)

    sent = losing(proxy, write)
    # One is created, one replaced; the third time they replace themselves.
    texts = {"new": text(2), "old": text(3)}
    assert ingested(proxy.url, stream.name, texts) == {"new": "written", "old": "written"}
    assert len(sent) == 3
    hits = client.search(index=stream.name)["hits"]["hits"]
    assert {hit["_id"]: hit["_source"]["text"] for hit in hits} == texts


def test_what_another_program_wrote_before_it_was_sent_again_is_replaced(
    client: Any, stream: DataStream, proxy: Any
) -> None:
    stream.put("old", text(1))
    Index(client, stream.name).install()
    losing(proxy, lambda path, body: stream.put("new", text(4)))
    texts = {"new": text(2), "old": text(3)}
    assert ingested(proxy.url, stream.name, texts) == {"new": "written", "old": "written"}
    client.indices.refresh(index=stream.name)
    hits = client.search(index=stream.name)["hits"]["hits"]
    assert {hit["_id"]: hit["_source"]["text"] for hit in hits} == texts
