"""Connections that keep a descriptor for nothing are closed; `/healthz` answers throughout."""

import contextlib
import resource
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash.service.connections import BoundedProtocol, most_connections
from tests.support.service import Serve

pytestmark = pytest.mark.cluster
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def opened(http: Any, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection((http.base_url.host, http.base_url.port), timeout=20)
    connection.sendall(sent)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Wait until the service closes a connection."""
    with contextlib.suppress(ConnectionResetError):
        return connection.recv(1) == b""
    return True


@pytest.fixture
def soft_limit() -> Iterator[Any]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield lambda count: resource.setrlimit(resource.RLIMIT_NOFILE, (count, before[1]))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.long
def test_headers_that_never_end_are_not_waited_for(
    serve: Serve, tenants: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_seconds", 0.5)
    http = serve(tenants)
    with opened(http, HEAD) as slow:
        with contextlib.suppress(OSError):
            for _ in range(100):
                slow.sendall(b"X-Slow: 1\r\n")
                time.sleep(0.05)
        assert is_closed(slow)
    # Also after a request that was answered.
    with opened(http, HEAD + b"\r\n") as second:
        answer = second.recv(4_096)
        # The body may come by itself.
        while not answer.endswith(b"}"):
            answer += second.recv(4_096)
        assert answer.startswith(b"HTTP/1.1 200")
        second.sendall(HEAD)
        assert is_closed(second)
    assert 'es_simhash_refusals_total{reason="headers"}' in http.get("/metrics").text


def test_a_request_in_small_parts_is_answered(serve: Serve, tenants: str) -> None:
    with opened(serve(tenants)) as connection:
        for byte in HEAD + b"\r\n":
            connection.sendall(bytes([byte]))
        assert connection.recv(4_096).startswith(b"HTTP/1.1 200")


def test_headers_without_end_do_not_fill_the_memory(serve: Serve, tenants: str) -> None:
    with opened(serve(tenants), HEAD) as connection:
        with contextlib.suppress(OSError):
            for _ in range(100):
                connection.sendall(b"X: " + b"x" * 10_000 + b"\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert not connection.recv(4_096).startswith(b"HTTP/1.1 200")


def test_more_connections_than_descriptors_leave_room_for_a_probe(
    serve: Serve, tenants: str, monkeypatch: Any
) -> None:
    from es_simhash.service import connections

    monkeypatch.setattr(connections, "most_connections", lambda: 50)
    http = serve(tenants)
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(opened(http)) for _ in range(60)]
        half = [stack.enter_context(opened(http, HEAD)) for _ in range(60)]
        for _ in range(5):
            began = time.monotonic()
            assert http.get("/healthz").status_code == 200
            assert time.monotonic() - began < 5
        # Those that were idle for longest made room.
        assert is_closed(idle[0])
        half[-1].sendall(b"\r\n")
        assert half[-1].recv(4_096).startswith(b"HTTP/1.1 200")
    open_ones = next(
        line for line in http.get("/metrics").text.splitlines()
        if line.startswith("es_simhash_connections ")
    )  # fmt: skip
    assert float(open_ones.split()[1]) <= 60


def test_the_bound_follows_the_descriptors(soft_limit: Any) -> None:
    soft_limit(1_024)
    assert most_connections() == 864
    soft_limit(256)
    assert most_connections() == 96
