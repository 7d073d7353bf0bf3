"""Which engine answers is found out by its responses; clients of the user are told so."""

from typing import Any

import elasticsearch
import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig, TransportApiResponse

from es_simhash.store.opensearch.dialect import Sent
from es_simhash.store.opensearch.transport import Engines, dialect_of, speaking

NODE = NodeConfig("http", "localhost", 9200)
ROOT = {"version": {"distribution": "opensearch", "number": "3.6.0"}}
HEADERS = {"accept": "application/vnd.elasticsearch+json; compatible-with=8"}


def response(status: int, body: Any, **headers: str) -> TransportApiResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return TransportApiResponse(ApiResponseMeta(status, "1.1", HttpHeaders(named), 0.1, NODE), body)


def asked(
    engines: Engines, sent: Sent, *responses: TransportApiResponse
) -> tuple[list[Sent], TransportApiResponse]:
    """Return what is sent for a request, and its response."""
    steps = engines.steps(sent, HEADERS)
    requests = [next(steps)[0]]
    try:
        for each in responses:
            requests.append(steps.send(each)[0])
    except StopIteration as stop:
        return requests, stop.value
    raise AssertionError("it waits for another response")


def test_elasticsearch_is_asked_nothing_more() -> None:
    engines = Engines()
    sent = Sent("POST", "/a/_pit")
    ours = response(200, {"id": "x"}, x_elastic_product="Elasticsearch")
    assert asked(engines, sent, ours) == ([sent], ours)
    assert asked(engines, sent, ours) == ([sent], ours)
    assert engines.dialect is None


def test_opensearch_is_asked_once_what_it_is() -> None:
    engines = Engines()
    sent = Sent("POST", "/a/_pit")
    point = Sent("POST", "/a/_search/point_in_time?")
    requests, answered = asked(
        engines, sent, response(405, {}), response(200, ROOT), response(200, {"pit_id": "x"})
    )
    assert requests == [sent, Sent("GET", "/"), point]
    assert answered.body["id"] == "x"
    assert answered.meta.headers["x-elastic-product"] == "Elasticsearch"
    assert asked(engines, sent, response(200, {"pit_id": "x"}))[0] == [point]


def test_an_order_by_ids_is_not_warned_of_and_all_else_is() -> None:
    engines = Engines()
    sent = Sent("POST", "/a/_search", {"sort": ["_shard_doc"]})
    old = {"version": {"distribution": "opensearch", "number": "2.19.3"}}
    asked(engines, sent, response(200, {}), response(200, old), response(200, {}))
    by_id = '299 OpenSearch-2.19.3 "Loading the fielddata on the _id field is deprecated"'
    for warning, is_left in ((by_id, False), ('299 OpenSearch-2.19.3 "Another"', True)):
        _, answered = asked(engines, sent, response(200, {}, warning=warning))
        assert ("warning" in answered.meta.headers) is is_left


def test_what_had_an_effect_is_not_sent_again() -> None:
    engines = Engines()
    sent = Sent("DELETE", "/a")
    requests, answered = asked(engines, sent, response(200, {"a": 1}), response(200, ROOT))
    assert requests == [sent, Sent("GET", "/")]
    assert answered.body == {"a": 1}


@pytest.mark.parametrize("status", [429, 502, 503])
def test_of_a_server_that_is_busy_nothing_is_learned(status: int) -> None:
    engines = Engines()
    busy = response(status, "busy")
    assert asked(engines, Sent("GET", "/a"), busy) == ([Sent("GET", "/a")], busy)
    # Nor where it is busy when it is asked what it is: that is worth a retry.
    other = response(406, {"error": "Content-Type"})
    assert asked(engines, Sent("POST", "/a/_search", {}), other, busy)[1] is busy
    assert not engines.is_known


@pytest.mark.parametrize("root", ["<html>", None, {}, {"version": {"number": "8.1.0"}}])
def test_whatever_else_answers_is_neither(root: Any) -> None:
    engines = Engines()
    page = response(200, "<html>")
    assert asked(engines, Sent("GET", "/a"), page, response(200, root))[1] is page
    assert dialect_of(root) is None


def test_media_types_lose_their_version_and_one_search_of_several_is_json() -> None:
    engines = Engines()
    engines.dialect = dialect_of(ROOT)
    sent = [
        {},
        {"query": {"sparse_vector": {"field": "c", "query_vector": {"a": 1.0}, "_name": "n"}}},
    ]
    headers = {"content-type": "application/vnd.elasticsearch+x-ndjson; compatible-with=8"}
    target = "/a/_msearch?include_named_queries_score=true"
    _, plain = next(engines.steps(Sent("POST", target, sent), headers))
    assert plain == {"content-type": "application/json"}


def test_a_client_of_the_user_keeps_its_headers_and_options() -> None:
    with elasticsearch.Elasticsearch("http://localhost:1", basic_auth=("a", "b")) as client:
        speaks = speaking(client)
        assert speaking(speaks) is speaks
        assert speaks._headers == client._headers
        assert speaks.transport.node_pool is client.transport.node_pool
        # What was found out is known to all clients of one transport.
        assert speaking(client).transport.engines is speaks.transport.engines  # type: ignore[attr-defined]
