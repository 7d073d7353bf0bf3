"""No page of another site asks the service in a reader's browser, whatever its name points at."""

import socket
from typing import Any

import pytest

from es_simhash.service.requested_hosts import is_loopback, is_unspecified, with_hosts
from es_simhash.service.service_config import ApiKey, ServiceConfig, TokenRules
from tests.support.service import Serve

KEYED = ServiceConfig(keys=(ApiKey("site", "0" * 64),))
TOKENS = ServiceConfig(tokens=TokenRules("HS256", "x" * 32))


@pytest.mark.parametrize(
    ("config", "host", "allowed"),
    [
        (ServiceConfig(), "127.0.0.1", ("localhost", "127.0.0.1", "::1")),
        (ServiceConfig(), "0.0.0.0", ("localhost", "127.0.0.1", "::1")),
        (ServiceConfig(), "::", ("localhost", "127.0.0.1", "::1")),
        (ServiceConfig(), "Search.Example", ("localhost", "127.0.0.1", "::1", "search.example")),
        (KEYED, "0.0.0.0", ("*",)),
        (TOKENS, "127.0.0.1", ("*",)),
        (ServiceConfig(allowed_hosts=("x.example",)), "0.0.0.0", ("x.example",)),
    ],
)
def test_hosts_are_those_of_this_machine_where_no_key_is_shown(
    config: ServiceConfig, host: str, allowed: tuple[str, ...]
) -> None:
    assert with_hosts(config, host).allowed_hosts == allowed


@pytest.mark.parametrize(
    ("host", "unspecified", "loopback"),
    [
        ("0.0.0.0", True, False),
        ("::", True, False),
        ("127.0.0.1", False, True),
        ("127.8.8.8", False, True),
        ("::1", False, True),
        ("localhost", False, True),
        ("10.0.0.5", False, False),
        ("search.example", False, False),
    ],
)
def test_what_an_address_stands_for(host: str, unspecified: bool, loopback: bool) -> None:
    assert (is_unspecified(host), is_loopback(host)) == (unspecified, loopback)


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("LOCALHOST.", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8000", 200),
        ("search.example", 200),
        ("www.sub.example:80", 200),
        ("sub.example", 421),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("notsearch.example", 421),
        ("", 421),
    ],
)
def test_other_hosts_are_rejected(serve: Serve, tenants: str, host: str, status: int) -> None:
    allowed = ("localhost", "127.0.0.1", "::1", "search.example", "*.sub.example")
    http = serve(tenants, ServiceConfig(allowed_hosts=allowed))
    for path in ("/v1/related/a1", "/explorer/", "/v1/openapi.json", "/metrics"):
        answer = http.get(path, headers={"Host": host})
        assert answer.status_code == status, path
        assert answer.headers["x-request-id"]
        if status == 421:
            assert answer.headers["content-type"] == "application/problem+json"
            assert "allowed_hosts" in answer.json()["detail"]
    # Whatever looks whether it runs asks by its address.
    assert http.get("/healthz", headers={"Host": host}).status_code == 200
    assert http.get("/readyz", headers={"Host": host}).status_code == 200


def raw(address: str, request: str) -> str:
    """Send a request as it is, and return the answer."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(request.encode())
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    return answer.decode("latin-1")


@pytest.mark.cluster
def test_two_lengths_close_the_connection(serve: Serve, tenants: str) -> None:
    address = str(serve(tenants).base_url).rstrip("/")
    body = "2\r\n{}\r\n0\r\n\r\n"
    hidden = "GET /v1/documents/a1 HTTP/1.1\r\nHost: x\r\n\r\n"
    for lengths in (
        f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked",
        f"Transfer-Encoding: chunked\r\nContent-Length: {len(body)}",
    ):
        answer = raw(
            address,
            f"POST /v1/related HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{lengths}"
            f"\r\n\r\n{body}{hidden}",
        )
        assert answer.startswith("HTTP/1.1 400")
        assert answer.count("HTTP/1.1") == 1
        assert "Title of a1" not in answer


@pytest.mark.cluster
def test_two_hosts_are_rejected(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(allowed_hosts=("localhost",)))
    address = str(http.base_url).rstrip("/")
    hosts: Any = "Host: localhost\r\nHost: evil.example"
    answer = raw(address, f"GET /v1/related/a1 HTTP/1.1\r\n{hosts}\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] in ("400", "421")
