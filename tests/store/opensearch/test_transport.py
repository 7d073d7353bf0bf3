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


def test_a_server_without_values_of_vectors_is_asked_for_the_source_from_then_on() -> None:
    engines = Engines()
    body = {"docvalue_fields": [{"field": "v", "format": "binary"}], "_source": False}
    other = {"docvalue_fields": [], "_source": ["v"]}
    sent, again = (Sent("POST", "/a/_search?x=y", each) for each in (body, other))
    reason = "Field [v] of type [dense_vector] doesn't support docvalue_fields or aggregations"
    rejected = response(400, {"error": {"reason": reason}}, x_elastic_product="Elasticsearch")

    def answered() -> TransportApiResponse:
        hit = {"_id": "1", "_source": {"v": "ff"}}
        return response(200, {"hits": {"hits": [hit]}}, x_elastic_product="Elasticsearch")

    requests, first = asked(engines, sent, rejected, answered())
    assert requests == [sent, again]
    assert first.body["hits"]["hits"] == [{"_id": "1", "fields": {"v": ["/w=="]}}]
    assert first.meta.status == 200
    assert asked(engines, sent, answered())[0] == [again]
    # What asks for no vector is sent as it is; that of an index is a document.
    for target in ("/a/_doc/1", "/a/_bulk"):
        written = Sent("PUT", target, body)
        assert asked(engines, written, answered())[0] == [written]


def test_a_client_of_version_9_speaks_to_servers_8() -> None:
    newer = {"accept": "application/vnd.elasticsearch+json; compatible-with=9", "x-opaque-id": "9"}
    _, headers = next(Engines().steps(Sent("GET", "/a"), newer))
    assert headers == {**HEADERS, "x-opaque-id": "9"}


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


def test_what_it_is_is_asked_with_the_credentials_of_the_request() -> None:
    given = {"content-type": "application/vnd.elasticsearch+json", "authorization": "Basic x"}
    steps = Engines().steps(Sent("POST", "/a/_search", {}), given | HEADERS)
    next(steps)
    sent, headers = steps.send(response(406, {}))
    assert sent == Sent("GET", "/")
    assert headers == {"accept": "application/json", "authorization": "Basic x"}


@pytest.mark.parametrize("status", [401, 403])
def test_who_may_not_ask_what_it_is_is_told_so(status: int) -> None:
    engines = Engines()
    refused = response(status, {"error": {"reason": "no permissions for [cluster:monitor/main]"}})
    for first in (response(406, {"error": "Content-Type"}), response(200, {"a": {}})):
        _, answered = asked(engines, Sent("POST", "/a/_search", {}), first, refused)
        assert (answered.meta.status, answered.body) == (status, refused.body)
    assert not engines.is_known


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


def test_what_another_thread_learned_stays_known() -> None:
    engines = Engines()
    sent = Sent("POST", "/a/_search", {"size": 1})
    slow = engines.steps(sent, HEADERS)
    next(slow)
    slow.send(response(406, {"error": "Content-Type"}))
    assert asked(
        engines, sent, response(406, {}), response(200, ROOT), response(200, {"hits": {}})
    )[1].body == {"hits": {}}
    with pytest.raises(StopIteration):
        slow.send(response(429, "busy"))
    # Not as to Elasticsearch, which OpenSearch answers with 406.
    _, headers = next(engines.steps(sent, HEADERS))
    assert headers["accept"] == "application/json"


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("POST", 406)])
def test_a_server_that_takes_the_address_of_another_is_asked_anew(method: str, status: int) -> None:
    engines = Engines()
    sent = Sent(method, "/a/_search", {"size": 1})
    asked(engines, sent, response(200, {}, x_elastic_product="Elasticsearch"))
    requests, answered = asked(
        engines, sent, response(status, {}), response(200, ROOT), response(200, {"hits": {}})
    )
    assert requests == [sent, Sent("GET", "/"), sent]
    assert answered.body == {"hits": {}}


def test_an_error_of_a_proxy_says_nothing_of_what_is_behind_it() -> None:
    engines = Engines()
    sent = Sent("POST", "/a/_search", {"size": 1})
    asked(engines, sent, response(200, {}, x_elastic_product="Elasticsearch"))
    requests, answered = asked(engines, sent, response(404, {}))
    assert (requests, answered.meta.status) == ([sent], 404)


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
        {"query": {"bool": {"should": [], "_name": "concepts"}}},
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
