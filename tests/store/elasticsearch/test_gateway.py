"""The gateway: requests, retries, and errors of the cluster as ours."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash.errors import ClusterError, IndexMissing
from es_simhash.relation.references import DocumentRef
from es_simhash.store.elasticsearch.bulk import send_body
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.documents import get_all, get_by_id
from es_simhash.store.elasticsearch.errors import PointInTimeExpired, RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import conditions_of, version_of
from es_simhash.store.elasticsearch.pages import PointInTime, all_hits
from es_simhash.store.elasticsearch.retry import RETRYABLE, RetryPolicy, Stopped
from es_simhash.store.elasticsearch.searches import count, search

pytestmark = pytest.mark.cluster

QUICK = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.3)
EVERY: dict[str, Any] = {"query": {"match_all": {}}}


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """An index of five documents."""
    actions = [[{"index": {"_id": str(n)}}, {"n": n, "t": "x" * n}] for n in range(5)]
    gateway = Gateway(client)
    gateway.create_index_if_missing(
        index_name, mappings={"properties": {"n": {"type": "long"}, "t": {"type": "keyword"}}}
    )
    assert all(result["status"] == 201 for result in gateway.bulk(actions, index=index_name))
    gateway.refresh(index_name)
    return index_name


@pytest.fixture
def retrying(proxy: Any) -> Iterator[Gateway]:
    """A gateway with a policy, through the proxy."""
    with Gateway(connect(proxy.url), QUICK) as gateway:
        yield gateway


def rejecting(proxy: Any, status: int, times: int) -> list[str]:
    """Let the proxy answer the first requests with a status, and return what it sees."""
    seen: list[str] = []

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        seen.append(path)
        return (status, b"{}") if len(seen) <= times else None

    proxy.hook = hook
    return seen


@pytest.mark.parametrize("status", sorted(RETRYABLE))
def test_a_run_retries_what_may_pass(
    retrying: Gateway, proxy: Any, index: str, status: int
) -> None:
    seen = rejecting(proxy, status, 3)
    assert retrying.run(count(index)) == 5
    assert len(seen) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_what_does_not_pass_is_not_retried(
    retrying: Gateway, proxy: Any, index: str, status: int
) -> None:
    seen = rejecting(proxy, status, 99)
    with pytest.raises(RequestRejected) as raised:
        retrying.run(count(index))
    assert raised.value.status == status
    assert len(seen) == 1


@pytest.mark.long
def test_in_the_end_a_run_gives_up(retrying: Gateway, proxy: Any, index: str) -> None:
    rejecting(proxy, 503, 999)
    with pytest.raises(ClusterError, match=r"it answers 503.*Run it again later to resume"):
        retrying.run(count(index))


def test_a_search_of_many_that_is_busy_is_retried(
    retrying: Gateway, proxy: Any, index: str
) -> None:
    busy = json.dumps({"responses": [{"status": 429, "error": {"type": "busy"}}]}).encode()
    seen: list[str] = []

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        seen.append(path)
        return (200, busy) if len(seen) == 1 else None

    proxy.hook = hook
    (response,) = retrying.search_all(index, [EVERY])
    assert len(response["hits"]["hits"]) == 5
    assert len(seen) == 2


def test_what_is_stopped_waits_no_longer(proxy: Any, index: str) -> None:
    rejecting(proxy, 429, 9999)
    with connect(proxy.url) as client:
        gateway = Gateway(client, RetryPolicy(initial_delay=60, max_delay=60))
        timer = threading.Timer(0.2, gateway.stop)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopped):
            gateway.run(count(index))
        timer.join()
    assert time.monotonic() - began < 30


def test_stopping_one_run_stops_no_other(client: Any, index: str) -> None:
    first = Gateway.of(client, QUICK)
    first.stop()
    second = Gateway.of(first, QUICK)
    second.wait(0)
    assert Gateway.of(first) is first
    with pytest.raises(Stopped):
        first.wait(0)


def test_only_actions_that_were_rejected_are_sent_again(
    retrying: Gateway, proxy: Any, index: str
) -> None:
    sent: list[bytes] = []
    busy = {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "busy"}}

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        sent.append(body)
        if len(sent) > 1:
            return None
        items = [{"index": {"status": 201}}, {"index": busy}]
        return 200, json.dumps({"errors": True, "items": items}).encode()

    proxy.hook = hook
    actions = [[{"index": {"_id": id}}, {"n": 9}] for id in ("a", "b")]
    assert [result["status"] for result in retrying.bulk(actions, index=index)] == [201, 201]
    assert [json.loads(line) for line in sent[1].splitlines()] == actions[1]


def test_the_block_of_a_full_disk_is_not_waited_for(
    retrying: Gateway, proxy: Any, index: str
) -> None:
    error = {"type": "cluster_block_exception", "reason": "disk usage exceeded flood-stage"}
    items = [{"index": {"status": 429, "error": error}}]
    content = json.dumps({"errors": True, "items": items}).encode()
    proxy.hook = lambda path, body: (200, content)
    (result,) = retrying.bulk([[{"index": {}}, {"n": 1}]], index=index)
    assert result["error"] == error
    with pytest.raises(ClusterError, match="remove the block"):
        send_body(retrying, index, b'{"index":{}}\n{}\n', [16])


def test_a_document_at_fault_is_rejected_alone_and_not_quoted(client: Any, index: str) -> None:
    lines = [b'{"index":{"_id":"%d"}}\n{"n":%s}\n' % (n, value)
             for n, value in enumerate([b"1", b'"secret text"', b"3"])]  # fmt: skip
    ends = [sum(map(len, lines[: n + 1])) for n in range(3)]
    rejections = send_body(Gateway(client), index, b"".join(lines), ends)
    assert rejections.keys() == {1}
    assert (rejections[1].status, rejections[1].kind) == (400, "document_parsing_exception")
    assert "secret" not in rejections[1].reason


def test_a_conflict_has_its_status(client: Any, index: str) -> None:
    gateway = Gateway(client)
    (entry,) = gateway.run(get_all([DocumentRef(index, "1")], ["n"]))
    version = version_of(entry)
    action = [{"index": {"_index": index, "_id": "1", **conditions_of(version)}}, {"n": 7}]
    assert gateway.bulk([action])[0]["status"] == 200
    assert gateway.bulk([action])[0]["status"] == 409


def test_documents_are_read_before_any_refresh(client: Any, index: str) -> None:
    gateway = Gateway(client)
    client.index(index=index, id="new", document={"n": 6, "t": "y"}, routing="elsewhere")
    refs = [DocumentRef(None, "new", "elsewhere"), DocumentRef(index, "3"), DocumentRef(None, "no")]
    new, three, no = gateway.run(get_all(refs, index=index, excluded=["t"]))
    assert (new["_source"], three["_source"]) == ({"n": 6}, {"n": 3})
    assert not no["found"]
    assert "_source" not in gateway.run(get_all(refs[1:2], []))[0]
    assert gateway.run(get_all([], index=index)) == []


def test_documents_by_id_are_found_behind_an_alias(client: Any, index: str) -> None:
    second = f"{index}-second"
    gateway = Gateway(client)
    gateway.create_index_if_missing(second, mappings={})
    try:
        gateway.bulk([[{"index": {"_id": "s"}}, {"n": 1}]], index=second)
        gateway.refresh(second)
        both = f"{index},{second}"
        entries = gateway.run(get_by_id(both, ["s", "2", "no"], ["n"]))
        assert [entry["found"] for entry in entries] == [True, True, False]
        gateway.bulk([[{"index": {"_id": "2"}}, {"n": 1}]], index=second)
        gateway.refresh(second)
        with pytest.raises(ClusterError, match="several indices"):
            gateway.run(get_by_id(both, ["2"], ["n"]))
    finally:
        client.indices.delete(index=second)


def test_pages_give_every_document_once(client: Any, index: str) -> None:
    body = {"size": 2, **EVERY}
    found = [hit["_id"] for hit in Gateway(client).pages(index, body)]
    assert sorted(found) == ["0", "1", "2", "3", "4"]
    assert [hit["_id"] for hit in Gateway(client).pages(index, body, shard=0)] == found


def test_what_one_page_holds_is_read_by_one_search(
    client: Any, index: str, requests_of: list[str]
) -> None:
    sorted_body = {"sort": [{"n": "desc"}, "_shard_doc"], **EVERY}
    hits = list(Gateway(client).pages(index, {"size": 6, **sorted_body}))
    assert requests_of == [f"POST /{index}/_refresh", f"POST /{index}/_search"]
    # As many as a page: there may be more.
    assert [hit["_id"] for hit in Gateway(client).pages(index, {"size": 5, **sorted_body})] == [
        hit["_id"] for hit in hits
    ]
    assert f"POST /{index}/_pit" in requests_of
    assert [hit["_source"]["n"] for hit in hits] == sorted(
        (hit["_source"]["n"] for hit in hits), reverse=True
    )


def test_a_point_in_time_that_expired_can_be_opened_again(client: Any, index: str) -> None:
    point = PointInTime(Gateway(client, QUICK), index)
    with point:
        client.close_point_in_time(id=point._id)
        with pytest.raises(PointInTimeExpired):
            point.search(EVERY)
        with pytest.raises(PointInTimeExpired):
            point.search_all([EVERY])
        client.index(index=index, id="new", document={"n": 6}, refresh=True)
        point.open()
        assert len(list(point.hits({**EVERY, "size": 4}))) == 6


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_a_point_in_time_is_closed_where_its_search_is_interrupted(
    client: Any, index: str, monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    sent: list[str] = []
    gateway = Gateway(client)
    send = gateway.send

    def interrupted(method: str, path: str, body: Any = None, **more: Any) -> Any:
        sent.append(f"{method} {path}")
        answer = send(method, path, body, **more)
        if path == "/_search":
            raise interruption
        return answer

    monkeypatch.setattr(gateway, "send", interrupted)
    with pytest.raises(interruption):
        gateway.run(all_hits(index, {**EVERY, "size": 2}))
    assert sent == [f"POST /{index}/_pit", "POST /_search", "DELETE /_pit"]


def test_an_index_is_created_once(client: Any, index: str) -> None:
    gateway = Gateway(client)
    assert gateway.exists(index)
    assert not gateway.exists(f"{index}-no")
    gateway.create_index_if_missing(index, mappings={"properties": {"m": {"type": "long"}}})
    gateway.put_mapping(index, {"properties": {"k": {"type": "keyword"}}})
    (mapping,) = gateway.mappings(index).values()
    assert mapping["properties"].keys() == {"n", "t", "k"}
    (settings,) = gateway.settings(index, "index.uuid").values()
    assert settings.keys() == {"index.uuid"}


def test_what_is_missing_is_reported(client: Any, index_name: str) -> None:
    gateway = Gateway(client)
    for ask in (
        lambda: gateway.mappings(index_name),
        lambda: gateway.mappings(f"{index_name}*"),
        lambda: gateway.run(search(index_name, EVERY)),
        lambda: gateway.search_all(index_name, [EVERY]),
        lambda: list(gateway.pages(index_name, EVERY)),
    ):
        with pytest.raises(IndexMissing, match=index_name):
            ask()
    assert not gateway.refresh_if_allowed(index_name)


@pytest.mark.parametrize("status", sorted(RETRYABLE))
def test_a_refresh_that_is_refused_for_now_is_waited_for(
    client: Any, index: str, proxy: Any, status: int
) -> None:
    busy: list[str] = []

    def hook(path: str, body: bytes) -> Any:
        busy.append(path)
        return (status, b"{}") if len(busy) < 3 else None

    proxy.hook = hook
    with connect(proxy.url) as behind:
        quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
        assert Gateway(behind, quick).refresh_if_allowed(index)
        assert len(busy) == 3
        proxy.hook = lambda path, body: (status, b"{}")
        with pytest.raises(ClusterError):
            Gateway(behind, quick).refresh_if_allowed(index)
        with pytest.raises(ClusterError):
            Gateway(behind).refresh_if_allowed(index)
        proxy.hook = lambda path, body: (403, b"{}")
        assert not Gateway(behind, quick).refresh_if_allowed(index)


def test_the_name_of_an_index_is_quoted() -> None:
    assert index_path("<logs-{now/d}>", "_search") == "/%3Clogs-%7Bnow%2Fd%7D%3E/_search"
    assert index_path("a,b*", "_count") == "/a,b*/_count"
    assert index_path(None, "_msearch") == "/_msearch"


def test_a_gateway_shows_no_password() -> None:
    with Gateway(connect("http://elastic:secret@localhost:9200")) as gateway:
        assert "secret" not in repr(gateway)
