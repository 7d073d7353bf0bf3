"""Requests that are too large, too slow, too deep, too many, or made to confuse."""

import asyncio
import json
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from es_simhash.service.callers import RateLimit
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.service import FIRST, KEYS, Serve, bearer, tenant_config
from tests.support.subjects import LANGUAGES, texts_of

pytestmark = pytest.mark.cluster

JSON = {"Content-Type": "application/json"}


def limited(**limits: Any) -> ServiceConfig:
    return ServiceConfig(limits=ServiceLimits(**limits))


def raw(http: Any, request: bytes) -> bytes:
    """Send bytes as they are and return the answer."""
    address = urlsplit(str(http.base_url))
    with socket.create_connection((address.hostname, address.port), 10) as connection:
        connection.sendall(request)
        received = b""
        while part := connection.recv(65_536):
            received += part
        return received


def test_a_body_that_is_too_large_is_rejected(serve: Serve, tenants: str) -> None:
    http = serve(tenants, limited(body_bytes=1_000))
    body = json.dumps({"text": "x" * 2_000}).encode()
    assert http.post("/v1/related", content=body, headers=JSON).status_code == 413
    parts = (body[start : start + 100] for start in range(0, len(body), 100))
    answer = http.post("/v1/related", content=parts, headers=JSON)  # in chunks, of unknown length
    assert answer.status_code == 413
    assert "1000 bytes" in answer.json()["detail"]
    small = json.dumps({"text": "x" * 500}).encode()
    assert http.post("/v1/related", content=small, headers=JSON).status_code == 200


def test_a_length_of_many_digits_is_rejected(serve: Serve, tenants: str) -> None:
    head = b"POST /v1/related HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    answer = raw(serve(tenants), head + b"Content-Length: " + b"9" * 18 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")


def test_a_body_that_comes_too_slowly_is_rejected(serve: Serve, tenants: str) -> None:
    head = b"POST /v1/related HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    http = serve(tenants, limited(seconds=0.5))
    began = time.monotonic()
    answer = raw(http, head + b'Content-Length: 100\r\n\r\n{"te')
    assert answer.startswith(b"HTTP/1.1 408")
    # Without the limit it would be the default, 10 seconds.
    assert time.monotonic() - began < 9


@pytest.mark.variants
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 500_000, b'{"text":' * 100_000, b'{"text": "\\ud800"}', b'{"text": 1}', b"{}",
        b'{"text": ""}', b'{"text": "a", "filters": []}', b"null", b"", b"\xff", b'{"text": NaN}',
    ],
    ids=lambda body: repr(body[:20]),
)  # fmt: skip
def test_a_body_that_is_no_text(serve: Serve, tenants: str, body: bytes) -> None:
    answer = serve(tenants).post("/v1/related", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


def test_another_media_type_is_rejected(serve: Serve, tenants: str) -> None:
    # Also what a form of a foreign page can send without being asked for leave.
    http = serve(tenants)
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = http.post("/v1/related", content=b'{"text": "a"}', headers={"Content-Type": kind})
        assert answer.status_code == 415


def test_a_text_of_too_many_chunks_is_no_failure_of_the_service(serve: Serve, tenants: str) -> None:
    answer = serve(tenants).post("/v1/related", json={"text": "A b. " * 100_000})
    assert answer.status_code in (200, 422)


def test_every_answer_has_an_id_and_is_no_page(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    for path in (
        "/v1/related/a1",
        "/v1/related/none",
        "/none",
        "/healthz",
        "/v1/related/a1?size=x",
    ):
        headers = http.get(path).headers
        assert len(headers["x-request-id"]) == 32
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
        assert "html" not in headers["content-type"]


@pytest.mark.variants
@pytest.mark.parametrize("given", ["a b", "x" * 65, "é", '"', "<script>", ""])
def test_a_request_id_cannot_carry_anything(serve: Serve, tenants: str, given: str) -> None:
    http = serve(tenants)
    answer = http.get("/healthz", headers={"X-Request-Id": given.encode()})
    assert answer.headers["x-request-id"] != given
    assert http.get("/healthz", headers={"X-Request-Id": "ab-1"}).headers["x-request-id"] == "ab-1"


def test_a_line_break_starts_no_header(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    for path in (b"/v1/documents/a%0d%0aX-Evil:%201", b"/v1/related/a1?size=%0d%0aX-Evil:%201"):
        answer = raw(http, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.split(b"\r\n")[0] in (b"HTTP/1.1 404 Not Found", b"HTTP/1.1 400 Bad Request")
        assert b"X-Evil" not in answer.split(b"\r\n\r\n")[0]


@pytest.mark.variants
@pytest.mark.parametrize(
    "path",
    [
        b"/v1/documents/../../etc/passwd%00", b"/v1/documents/..%2f..%2f_cluster%2fhealth",
        b"/widget/../pyproject.toml", b"/widget/..%2f..%2fpyproject.toml",
        b"/widget/related-documents.js%00", b"//etc/passwd", b"/v1/documents/a1/_source",
        b"/v1/documents/a1%3Fpretty", b"/v1/documents/*", b"/v1/documents/_all",
        b"/v1/related/%C0%AE%C0%AE", b"/%2e%2e/metrics", b"/v1/documents/a1,b1",
    ],
)  # fmt: skip
def test_a_path_leads_nowhere_else(serve: Serve, tenants: str, path: bytes) -> None:
    request = b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = raw(serve(tenants), request)
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"application/problem+json" in answer


def test_too_many_requests_of_one_key_do_not_count_for_another(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config(limits=ServiceLimits(requests_per_minute=2)))
    statuses = [
        http.get("/v1/documents/a1", headers=bearer(KEYS["a"])).status_code for _ in range(4)
    ]
    assert statuses == [200, 200, 429, 429]
    answer = http.get("/v1/documents/a1", headers=bearer(KEYS["a"]))
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert http.get("/v1/documents/b1", headers=bearer(KEYS["b"])).status_code == 200
    # Guesses count, too.
    guesses = [http.get("/v1/documents/a1", headers=bearer("guess")).status_code for _ in range(3)]
    assert guesses == [401, 401, 429]


def test_work_counts_for_more_than_what_is_kept(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config(limits=ServiceLimits(requests_per_minute=13)))
    a, b = bearer(KEYS["a"]), bearer(KEYS["b"])
    # A comparison of whole texts for ten requests, the same from the cache for one.
    statuses = [http.get("/v1/compare/a1/a2", headers=a).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 200, 429]
    # A batch for each of its ids, the last of which may exceed the limit.
    batch = {"ids": ["b1", "b2", "b3", "none"]}
    sent = [http.post("/v1/batch/related", headers=b, json=batch).status_code for _ in range(5)]
    assert sent == [200, 200, 200, 200, 429]


def test_work_may_leave_less_than_nothing_and_no_more_than_a_minute() -> None:
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    limit.take("x")
    limit.charge("x", 1_000)
    with pytest.raises(Problem) as caught:
        limit.take("x")
    assert caught.value.headers == {"Retry-After": "61"}
    now[0] = 62.0
    limit.take("x")
    free = RateLimit(0)
    free.charge("x", 1_000)
    free.take("x")


def test_the_rate_limit_recovers() -> None:
    now = [0.0]
    limit = RateLimit(60, clock=lambda: now[0])
    for _ in range(60):
        limit.take("x")
    with pytest.raises(Problem) as caught:
        limit.take("x")
    assert caught.value.headers == {"Retry-After": "1"}
    now[0] = 1.0
    limit.take("x")


def test_forwarded_addresses_count_only_from_a_trusted_proxy(serve: Serve, tenants: str) -> None:
    http = serve(tenants, limited(requests_per_minute=1))
    statuses = [
        http.get("/v1/documents/a1", headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code
        for n in range(2)
    ]
    assert statuses == [200, 429]


def test_only_allowed_origins_may_read_answers(serve: Serve, tenants: str) -> None:
    site = "https://www.example.org"
    http = serve(tenants, tenant_config(origins=(site,)))
    for path in ("/v1/related/a1", "/healthz", "/none"):
        own = http.get(path, headers={"Origin": site, **bearer(KEYS["a"])})
        assert own.headers["access-control-allow-origin"] == site
        other = http.get(path, headers={"Origin": "https://evil.example", **bearer(KEYS["a"])})
        assert "access-control-allow-origin" not in other.headers
    preflight = {
        "Origin": site,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization",
    }
    assert http.options("/v1/related/a1", headers=preflight).status_code == 200


@pytest.mark.long
def test_a_thousand_connections_at_once(serve: Serve, tenants: str) -> None:
    http = serve(tenants, limited(requests_per_minute=0, seconds=60))
    address = urlsplit(str(http.base_url))
    assert http.get("/v1/related/a1").status_code == 200

    async def one() -> bytes:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(b"GET /v1/related/a1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer.split(b"\r\n")[0]

    async def all_at_once() -> list[bytes]:
        return list(await asyncio.gather(*(one() for _ in range(1_000))))

    assert set(asyncio.run(all_at_once())) == {b"HTTP/1.1 200 OK"}


def test_more_requests_than_may_wait_are_told_to_come_back(serve: Serve, tenants: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    http = serve(tenants, limited(threads=1, waiting=0, requests_per_minute=0))
    with ThreadPoolExecutor(8) as pool:
        # Each another question: the same one is answered once for all.
        texts = [{"text": f"{FIRST} {number}"} for number in range(40)]
        answers = list(pool.map(lambda text: http.post("/v1/related", json=text), texts))
    assert {answer.status_code for answer in answers} == {200, 503}
    busy = next(answer for answer in answers if answer.status_code == 503)
    assert busy.headers["retry-after"] == "2"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/documents/{}",
        "/v1/related/{}",
        "/v1/families/{}",
        "/v1/compare/a1/{}",
        "/v1/evidence/{}/a1",
    ],
)
def test_an_id_of_ten_thousand_characters_is_no_document(
    serve: Serve, tenants: str, path: str
) -> None:
    http = serve(tenants)
    missing = http.get(path.format("none"))
    for id in ("x" * 10_000, "%E4%B8%AD" * 3_333):
        answer = http.get(path.format(id))
        assert (answer.status_code, answer.json()) == (404, missing.json())


def test_ids_of_ten_thousand_characters_in_a_body_are_invalid(serve: Serve, tenants: str) -> None:
    answer = serve(tenants).post("/v1/batch/related", json={"ids": ["x" * 10_000]})
    assert answer.status_code == 400
    assert len(answer.text) < 300


@pytest.mark.variants
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_of_any_script_at_the_size_limit_is_answered(
    serve: Serve, tenants: str, language: str
) -> None:
    texts = texts_of(language)
    text = texts.join(texts.harbour, texts.school, texts.bees)
    limit = 60_000
    http = serve(tenants, limited(body_bytes=limit, seconds=60.0))
    # As JSON has it: of letters beyond ASCII two to four bytes each.
    room = limit - len(b'{"text":""}')
    cut = (text * (room // len(text) + 1)).encode()[:room].decode(errors="ignore")
    body = json.dumps({"text": cut}, ensure_ascii=False, separators=(",", ":")).encode()
    assert limit - 4 < len(body) <= limit
    for path in ("/v1/related", "/v1/duplicates"):
        answer = http.post(path, content=body, headers=JSON)
        assert answer.status_code == 200, answer.text
