"""Requests of Elasticsearch as OpenSearch takes them, and its replies."""

from typing import Any

import pytest

from es_simhash.store.opensearch.dialect import Dialect, Reply, Sent

NEW, OLD = Dialect((3, 6)), Dialect((2, 19))
SCORED = {
    "query": {
        "bool": {
            "should": [
                {
                    "bool": {
                        "should": [{"term": {"s.concepts": {"value": "a", "boost": 1.0}}}],
                        "_name": "concepts",
                    }
                }
            ]
        }
    }
}
ALL: dict[str, Any] = {"query": {"match_all": {}}}


def exchanged(sent: Sent, *replies: Reply, dialect: Dialect = NEW) -> tuple[list[Sent], Reply]:
    """Return what is sent for a request, and what it is answered."""
    exchange = dialect.exchange(sent)
    requests = [next(exchange)]
    try:
        for reply in replies:
            requests.append(exchange.send(reply))
    except StopIteration as stop:
        return requests, stop.value
    raise AssertionError("it waits for another reply")


def test_a_point_in_time_is_opened_and_closed() -> None:
    (opened,), reply = exchanged(
        Sent("POST", "/a,b/_pit?keep_alive=15m"), Reply(200, {"pit_id": "x"})
    )
    assert opened == Sent("POST", "/a,b/_search/point_in_time?keep_alive=15m")
    assert reply.body["id"] == "x"
    (closed,), _ = exchanged(Sent("DELETE", "/_pit", {"id": "x"}), Reply(200, {"pits": []}))
    assert closed == Sent("DELETE", "/_search/point_in_time", {"pit_id": ["x"]})


def test_what_is_rejected_is_answered_as_it_is() -> None:
    rejected = Reply(404, {"error": {"type": "index_not_found_exception"}})
    assert exchanged(Sent("POST", "/a/_pit"), rejected)[1] == rejected
    assert exchanged(Sent("POST", "/a/_msearch", [{}, ALL]), rejected)[1] == rejected


def test_a_search_whose_clauses_are_scored_goes_alone_and_comes_in_its_place() -> None:
    header = {"allow_partial_search_results": False}
    sent = Sent(
        "POST",
        "/a/_msearch?include_named_queries_score=true",
        [header, ALL, header, SCORED, {"index": "b"}, ALL],
    )
    first, second = {"hits": {"hits": [1]}, "status": 200}, {"hits": {"hits": []}, "status": 200}
    alone = {"hits": {"hits": [{"matched_queries": {"concepts": 0.5}}]}}
    (together, single), reply = exchanged(
        sent, Reply(200, {"responses": [first, second]}), Reply(200, alone)
    )
    assert together == Sent("POST", "/a/_msearch", [header, ALL, {"index": "b"}, ALL])
    path, _, params = single.target.partition("?")
    assert path == "/a/_search"
    assert params == "allow_partial_search_results=false&include_named_queries_score=true"
    assert reply.body["responses"] == [first, {**alone, "status": 200}, second]


def test_one_that_is_rejected_has_its_status() -> None:
    sent = Sent("POST", "/a/_msearch?include_named_queries_score=true", [{}, SCORED])
    error = {"error": {"type": "x"}, "status": 429}
    requests, reply = exchanged(sent, Reply(429, error))
    assert len(requests) == 1
    assert reply == Reply(200, {"responses": [error]})
    _, reply = exchanged(sent, Reply(502, "Bad Gateway"))
    assert reply.body["responses"][0]["status"] == 502


@pytest.mark.parametrize("target", ["/a", "/a/_mapping", "/_component_template/c"])
def test_mappings_are_written_and_read_in_its_types(target: str) -> None:
    ours = {"properties": {"v": {"type": "sparse_vector"}}}
    theirs = {"properties": {"v": {"type": "rank_features"}}}
    (sent,), _ = exchanged(Sent("PUT", target, ours), Reply(200, {}))
    assert sent.body == theirs
    assert exchanged(Sent("GET", target), Reply(200, theirs))[1].body == ours


def test_documents_are_the_same() -> None:
    document = {"type": "rank_features"}
    put = Sent("PUT", "/a/_doc/1", document)
    assert exchanged(put, Reply(201, {}))[0] == [put]
    assert exchanged(Sent("GET", "/a/_doc/1"), Reply(200, document))[1].body == document


def test_vectors_and_bytes_of_hits_are_read() -> None:
    body = {"docvalue_fields": ["s.chunks", {"field": "s.fingerprint", "format": "binary"}, "f"]}
    values = {"s.chunks": ["AQ"], "s.fingerprint": ["00ff"], "f": ["AQ"]}
    _, reply = exchanged(
        Sent("POST", "/a/_search", body), Reply(200, {"hits": {"hits": [{"fields": values}]}})
    )
    (hit,) = reply.body["hits"]["hits"]
    assert hit["fields"] == {"s.chunks": ["AQ=="], "s.fingerprint": ["AP8="], "f": ["AQ"]}


def test_an_older_server_pages_a_point_in_time_by_ids() -> None:
    sent = Sent("POST", "/_search", {"sort": ["n", "_shard_doc"]})
    (kept,), _ = exchanged(sent, Reply(200, {}))
    # Of several indices, documents may have one place.
    assert kept.body["sort"] == ["n", {"_index": "asc"}, "_shard_doc"]
    (paged,), _ = exchanged(sent, Reply(200, {}), dialect=OLD)
    assert paged.body["sort"] == ["n", {"_index": "asc"}, {"_id": "asc"}]


@pytest.mark.parametrize("order", ["_doc", {"date": "desc"}])
def test_one_order_need_not_be_in_a_list(order: Any) -> None:
    (sent,), _ = exchanged(Sent("POST", "/a/_search", {"sort": order}), Reply(200, {}))
    assert sent.body["sort"] == [order]


def test_a_count_is_a_search_that_names_the_shards_it_lacks() -> None:
    sent = Sent("POST", "/a/_count?preference=_shards:1", ALL)
    found = {"hits": {"total": {"value": 7}}, "_shards": {"total": 1}}
    (search,), reply = exchanged(sent, Reply(200, found))
    assert search.target.startswith("/a/_search?preference=_shards%3A1&allow_partial_search")
    assert search.body == {**ALL, "size": 0, "track_total_hits": True}
    assert reply.body == {"count": 7, "_shards": {"total": 1}}
    reason = "Search rejected due to missing shards [[a][0], [b][1]]. Consider using `x`"
    _, reply = exchanged(sent, Reply(503, {"error": {"caused_by": {"reason": reason}}}))
    assert [(each["index"], each["shard"]) for each in reply.body["_shards"]["failures"]] == [
        ("a", 0),
        ("b", 1),
    ]
    missing = Reply(404, {"error": {"type": "index_not_found_exception", "index": "a"}})
    assert exchanged(sent, missing)[1] == missing
    invalid = {"index": "a", "shard": 0, "reason": {"type": "number_format_exception"}}
    _, reply = exchanged(sent, Reply(400, {"error": {"failed_shards": [invalid]}}))
    assert reply.body["_shards"]["failures"] == [invalid]
