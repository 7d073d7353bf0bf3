"""Answers are kept as long as what they show stays as it is, and an engine that is away is said."""

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.errors import (
    ClusterError,
    DocumentMissing,
    EsSimhashError,
    IndexMissing,
    InputError,
)
from es_simhash.service.answer_cache import AnswerCache
from es_simhash.service.dispatcher import Dispatcher
from es_simhash.service.operations import ApiAnswer, Operation, Question
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ApiKey, ServiceConfig, ServiceLimits, key_digest
from tests.support.proxy import Proxy
from tests.support.service import FIRST, Serve
from tests.support.shelf import Shelf, revised
from tests.support.waiting import until

pytestmark = pytest.mark.cluster


@pytest.fixture
def versions(shelf: Shelf) -> Shelf:
    """Three versions, all but the text in one field."""
    shelf.client.indices.put_mapping(index=shelf.name, properties={"tenant": {"type": "keyword"}})
    shelf.write(
        {"id": f"v{number}", "text": revised(FIRST, number), "title": "old", "tenant": "a"}
        for number in range(3)
    )
    return shelf


def test_a_caller_that_has_the_answer_is_told_so(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    first = http.get("/v1/related/a1")
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    strong = tag.removeprefix("W/")
    for known in (tag, strong, f'"other", {tag}', "*"):
        again = http.get("/v1/related/a1", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert http.get("/v1/related/a1", headers={"If-None-Match": '"other"'}).status_code == 200
    assert http.get("/v1/related/a1?size=1").headers["etag"] != tag


def test_a_kept_answer_takes_one_search(serve: Serve, tenants: str, proxy: Proxy) -> None:
    sent: list[str] = []
    http = serve(tenants, url=proxy.url)
    first = http.get("/v1/related/a1")
    proxy.hook = lambda path, body: sent.append(path)
    assert http.get("/v1/related/a1").content == first.content
    assert [path.partition("?")[0] for path in sent] == [f"/{tenants}/_msearch"]


@pytest.mark.long
def test_without_a_cache_the_answer_is_made_each_time(
    serve: Serve, tenants: str, proxy: Proxy
) -> None:
    http = serve(tenants, ServiceConfig(cache_seconds=0), url=proxy.url)
    http.get("/v1/related/a1")

    def sent() -> list[str]:
        paths: list[str] = []
        proxy.hook = lambda path, body: paths.append(path.partition("?")[0])
        http.get("/v1/related/a1")
        return sorted(paths)

    second, third = sent(), sent()
    assert second == third
    assert {f"/{tenants}/_mget", f"/{tenants}/_msearch"} <= set(second)


def test_many_probes_ask_the_engine_once_a_second(serve: Serve, tenants: str, proxy: Proxy) -> None:
    sent: list[str] = []
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(requests_per_minute=1)), url=proxy.url)
    proxy.hook = lambda path, body: sent.append(path)
    began = time.monotonic()
    # However many they are, no limit makes the service look ill.
    assert {http.get("/readyz").status_code for _ in range(20)} == {200}
    assert 1 <= len(sent) <= 1 + (time.monotonic() - began)


def test_a_document_that_changes_is_shown_as_it_is(serve: Serve, versions: Shelf) -> None:
    http = serve(versions.name, ServiceConfig(fields=("title",)))

    def titles() -> list[str]:
        relations = http.get("/v1/related/v0").json()["relations"]
        return sorted(each["source"]["title"] for each in relations)

    assert titles() == ["old", "old"]
    versions.client.update(index=versions.name, id="v1", doc={"title": "new"}, refresh=True)
    assert titles() == ["new", "old"]
    versions.delete("v2")
    assert titles() == ["new"]
    versions.delete("v0")
    assert http.get("/v1/related/v0").status_code == 404


def test_a_hit_that_leaves_the_filter_is_not_shown_from_the_cache(
    serve: Serve, versions: Shelf
) -> None:
    http = serve(versions.name, ServiceConfig(filter={"term": {"tenant": "a"}}))
    assert len(http.get("/v1/related/v0").json()["relations"]) == 2
    versions.client.update(index=versions.name, id="v1", doc={"tenant": "b"}, refresh=True)
    assert [each["id"] for each in http.get("/v1/related/v0").json()["relations"]] == ["v2"]


def test_callers_with_keys_get_nothing_that_may_not_be_theirs_any_more(
    serve: Serve, tenants: str, cluster_url: str
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = {"X-Api-Key": "a key of sixteen and more"}
    config = ServiceConfig(keys=(ApiKey("site", key_digest(key["X-Api-Key"])),))
    with door(port, cluster_url) as url:
        http = serve(tenants, config, url=url)
        good = http.get("/v1/related/a1", headers=key)
        assert (good.status_code, good.headers["cache-control"]) == (200, "private, no-cache")
    assert http.get("/v1/related/a1", headers=key).status_code == 503


def test_anybody_may_keep_what_anybody_may_read(serve: Serve, tenants: str) -> None:
    answer = serve(tenants, ServiceConfig(cache_seconds=30)).get("/v1/related/a1")
    assert answer.headers["cache-control"] == (
        "public, max-age=30, stale-while-revalidate=30, stale-if-error=3600"
    )
    answer = serve(tenants, ServiceConfig(cache_seconds=0)).get("/v1/related/a1")
    assert answer.headers["cache-control"] == "private, no-cache"


@pytest.mark.variants
@pytest.mark.parametrize(
    ("accepted", "is_zipped"),
    [
        ("gzip", True),
        ("br;q=1.0, GZIP;q=0.2", True),
        ("*", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("*;q=0", False),
        ("", False),
    ],
)
def test_answers_are_compressed_for_who_takes_that(
    serve: Serve, tenants: str, accepted: str, is_zipped: bool
) -> None:
    http = serve(tenants)
    plain = http.get("/v1/related/a1", headers={"Accept-Encoding": "identity"})
    for path, method in (("/v1/related/a1", "GET"), ("/v1/related", "POST")):
        body = {"json": {"text": FIRST}} if method == "POST" else {}
        with http.stream(method, path, headers={"Accept-Encoding": accepted}, **body) as answer:
            raw = b"".join(answer.iter_raw())
        assert (answer.headers.get("content-encoding") == "gzip") is is_zipped
        assert "Accept-Encoding" in answer.headers["vary"]
        content = gzip.decompress(raw) if is_zipped else raw
        if method == "GET":
            assert content == plain.content
            assert answer.headers["etag"] == plain.headers["etag"]
            assert not is_zipped or len(raw) < len(content) / 2


@pytest.mark.long
def test_an_engine_that_is_busy_is_not_cached(serve: Serve, tenants: str, proxy: Proxy) -> None:
    http = serve(tenants, url=proxy.url)
    proxy.hook = lambda path, body: (429, b'{"error": {"type": "x", "reason": "internal-9"}}')
    for path in (
        "/v1/related/a1",
        "/v1/documents/a1",
        "/v1/compare/a1/b1",
        "/v1/families/a1",
        "/readyz",
    ):
        answer = http.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json()["title"] == "Temporarily unavailable"
        assert "internal-9" not in answer.text
    assert http.get("/healthz").status_code == 200
    proxy.hook = lambda path, body: None
    assert http.get("/v1/related/a1").status_code == 200


@contextmanager
def door(port: int, target: str) -> Iterator[str]:
    """A way to the engine at a port that is closed before and after, as are its connections."""
    with Proxy(target, port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.url
        # Connections that are kept open end with their next request.
        server.closed = True
        server.shutdown()
        thread.join()


def test_an_engine_that_goes_away_and_comes_back(
    serve: Serve, tenants: str, cluster_url: str
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with door(port, cluster_url) as url:
        http = serve(tenants, url=url)
        good = http.get("/v1/related/a1")
        assert good.status_code == 200
    stale = http.get("/v1/related/a1")
    assert (stale.status_code, stale.content) == (200, good.content)
    assert stale.headers["cache-status"] == "es-simhash; hit; fwd=stale; detail=engine-away"
    assert stale.headers["cache-control"] == "no-store"
    assert "cache-status" not in good.headers
    assert http.get("/v1/related/a2").status_code == 503
    assert http.get("/readyz").status_code == 503
    with door(port, cluster_url):
        began = time.monotonic()
        while (again := http.get("/v1/related/a1")).status_code != 200:
            assert time.monotonic() - began < 60
        assert again.content == good.content


@pytest.mark.parametrize(
    ("now", "status"),
    [
        (DocumentMissing(), 404),
        (InputError(), 422),
        (IndexMissing(), 503),
        # A document that left the filters while the answer was made.
        (ApiAnswer({"shown": "new"}, frozenset({"a", "gone"})), 200),
        # What says nothing of the document.
        (ClusterError(), 200),
    ],
    ids=["missing", "without a text", "without an index", "not cached", "still away"],
)
def test_what_was_shown_before_its_answer_changed_is_not_shown_when_the_engine_goes_away(
    now: ApiAnswer | EsSimhashError, status: int
) -> None:
    seconds = [0.0]
    told: list[ApiAnswer | EsSimhashError] = [ApiAnswer({"shown": "old"}, frozenset({"a"}))]

    def answer(question: Question) -> ApiAnswer:
        if isinstance(told[0], EsSimhashError):
            raise told[0]
        return told[0]

    source: Any = SimpleNamespace(states=lambda requests: [{("i", "a"): (1, 1)} for _ in requests])
    cache = AnswerCache(10, 1_000_000, clock=lambda: seconds[0])
    made = Dispatcher(source, cache, ServiceLimits(), serves_stale=True)
    operation, question = Operation("/v1/x/{id}", "x", "", dict, answer), Question((), ("a",))

    async def asked() -> tuple[int, bytes]:
        try:
            answered = await made.answer(operation, question)
        except Problem as problem:
            return problem.status, b""
        return 200, answered.body.content

    async def steps() -> None:
        old = await asked()
        assert old == (200, b'{"shown":"old"}')
        seconds[0], told[0] = 11.0, now
        changed = await asked()
        assert changed[0] == status
        told[0] = ClusterError()
        assert await asked() == (old if changed == old else (503, b""))

    try:
        asyncio.run(steps())
    finally:
        made.close()


def test_a_service_under_load_is_ready_while_the_index_can_be_searched(
    serve: Serve, tenants: str, proxy: Proxy
) -> None:
    limits = ServiceLimits(threads=1, waiting=0, seconds=30)
    http = serve(tenants, ServiceConfig(cache_seconds=0, limits=limits), url=proxy.url)
    has_begun, may_end = threading.Event(), threading.Event()

    def hook(path: str, body: bytes) -> Any:
        if b'"a1"' in body:
            has_begun.set()
            may_end.wait(60)

    proxy.hook = hook
    asking = threading.Thread(target=http.get, args=("/v1/related/a1",))
    asking.start()
    try:
        assert has_begun.wait(30)
        refused = http.get("/v1/related/a2")
        assert (refused.status_code, refused.json()["detail"]) == (
            503,
            "Too many requests wait; try again.",
        )
        assert http.get("/readyz").status_code == 200
        proxy.hook = lambda path, body: (429, b'{"error": {"type": "x", "reason": "y"}}')
        until(lambda: http.get("/readyz").status_code == 503)
    finally:
        may_end.set()
        asking.join()


def test_an_index_that_vanishes_is_unavailable(serve: Serve, versions: Shelf) -> None:
    http = serve(versions.name)
    assert http.get("/v1/related/v0").status_code == 200
    versions.client.indices.delete(index=versions.name)
    answer = http.get("/v1/related/v0")
    assert answer.status_code == 503
    assert versions.name not in answer.text


def test_an_engine_that_does_not_answer_in_time(serve: Serve, tenants: str, proxy: Proxy) -> None:
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(seconds=0.5)), url=proxy.url)
    late = threading.Event()

    def hook(path: str, body: bytes) -> Any:
        late.wait(60)

    proxy.hook = hook
    began = time.monotonic()
    answer = http.get("/v1/documents/a1")
    late.set()
    assert answer.status_code == 503
    assert time.monotonic() - began < 30
