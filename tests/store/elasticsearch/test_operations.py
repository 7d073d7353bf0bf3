"""Spans of OpenTelemetry: the client's own, each called as what it does."""

from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import AsyncIndex, Index, connect
from es_simhash.store.elasticsearch.operations import operation
from tests.support.made_up_texts import make_text


@pytest.mark.parametrize(
    ("method", "path", "name", "index"),
    [
        ("POST", "/a,b*/_msearch", "msearch", "a,b*"),
        ("GET", "/%3Ca-%7Bnow%7D%3E/_mapping", "indices.get_mapping", "<a-{now}>"),
        ("PUT", "/a", "indices.create", "a"),
        ("GET", "/", "info", None),
        ("DELETE", "/_pit", "close_point_in_time", None),
        ("POST", "/a/_update/_id", "update", "a"),
        ("PATCH", "/a/_mapping", None, "a"),
        ("GET", "/_something/else", None, None),
    ],
)
def test_a_request_is_called_as_the_method_of_the_client(
    method: str, path: str, name: str | None, index: str | None
) -> None:
    parts = {} if index is None else {"index": index}
    assert operation(method, path) == {"endpoint_id": name, "path_parts": parts}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The spans of clients that are made from here on, kept in memory."""
    pytest.importorskip("opentelemetry.sdk", reason="needs opentelemetry-sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # As the client takes it from the provider of the program.
    monkeypatch.setattr("elasticsearch._otel._tracer", provider.get_tracer("test"))
    yield exporter
    provider.shutdown()


def _run_everything(index: Index) -> None:
    index.install()
    texts = {"a": make_text(1), "b": make_text(1) + " Once more.", "c": make_text(2)}
    documents = [{"id": id, "text": text} for id, text in texts.items()]
    assert all(outcome.ok for outcome in index.ingest(documents))
    index.families()
    list(index.backfill())
    index.sweep()
    index.related(id="a")


@pytest.mark.long
@pytest.mark.cluster
def test_every_request_of_a_run_has_a_span_of_its_name(
    spans: Any, cluster_url: str, index_name: str
) -> None:
    with connect(cluster_url) as client:
        _run_everything(Index(client, index_name))
    found = spans.get_finished_spans()
    names = {span.name for span in found}
    assert {"indices.create", "bulk", "msearch", "open_point_in_time"} <= names
    named = [span for span in found if "db.operation.name" in span.attributes]
    assert named == list(found)
    related = [span for span in found if span.name == "msearch"][-1]
    assert related.attributes["db.operation.parameter.index"] == index_name


@pytest.mark.cluster
def test_requests_of_an_awaited_index_have_the_same_names(
    spans: Any, client: Any, cluster_url: str, index_name: str
) -> None:
    import asyncio

    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")
    Index(client, index_name).install()
    spans.clear()

    async def ask() -> None:
        async with elasticsearch.AsyncElasticsearch(cluster_url) as waiting:
            await AsyncIndex(waiting, index_name).related(text=make_text(1))

    asyncio.run(ask())
    assert {"indices.get_mapping", "msearch"} <= {span.name for span in spans.get_finished_spans()}
