"""Connections that are opened at once, and the workers that answer them."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from es_simhash.service.connections import BoundedProtocol
from es_simhash.service.even_connections import ConnectionCount, EvenServer

# Each worker answers with its process.
NAMED = """
import os, sys
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from es_simhash.service.server import serve
from es_simhash.service.service_config import ServiceConfig

async def process(request):
    return PlainTextResponse(str(os.getpid()))

class Named:
    def __call__(self):
        return Starlette(routes=[Route("/", process)])

if __name__ == "__main__":
    serve(Named(), ServiceConfig(), host="127.0.0.1", port=int(sys.argv[1]), workers=2)
"""


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a service of two workers, which have both started."""
    program = tmp_path_factory.mktemp("service") / "named.py"
    program.write_text(NAMED, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, str(program), str(port)]) as process:
        try:
            until, seen = time.monotonic() + 60, Counter[str]()
            while len(seen) < 2:
                assert time.monotonic() < until
                with ExitStack() as stack:
                    seen += Counter(answers(port, 4, stack))
            yield port
        finally:
            process.send_signal(signal.SIGTERM)


def answers(port: int, count: int, stack: ExitStack) -> list[str]:
    """Open connections at once and ask on each; they stay open."""
    opened = [
        stack.enter_context(closing(HTTPConnection("127.0.0.1", port, timeout=10)))
        for _ in range(count)
    ]
    bodies = []
    try:
        for connection in opened:
            connection.connect()
        for connection in opened:
            connection.request("GET", "/")
            bodies.append(connection.getresponse().read().decode())
    except OSError:
        # It has not started yet.
        time.sleep(0.1)
    return bodies


def test_connections_of_one_burst_are_divided(two_workers: int) -> None:
    for count in (4, 16, 40):
        greater = []
        for _ in range(6):
            with ExitStack() as stack:
                shares = Counter(answers(two_workers, count, stack))
            greater.append(max(shares.values()) / count)
        # A worker that other processes keep from its turn, once, is not waited for; mostly all are
        # of one without the division, and here it is half.
        assert sum(greater) / len(greater) <= 0.85


@pytest.mark.long
def test_a_worker_that_lost_connections_gets_the_next(two_workers: int) -> None:
    with ExitStack() as held:
        opened = [
            held.enter_context(closing(HTTPConnection("127.0.0.1", two_workers, timeout=10)))
            for _ in range(12)
        ]
        of_worker: dict[bytes, list[HTTPConnection]] = {}
        for connection in opened:
            connection.request("GET", "/")
            of_worker.setdefault(connection.getresponse().read(), []).append(connection)
        first, _ = of_worker
        for connection in of_worker[first]:
            connection.close()
        # Were those that it lost still counted, half would be left to it. A worker that other
        # processes keep from its turn is not waited for: one of several bursts finds it ready.
        shares = []
        for _ in range(12):
            time.sleep(0.1)
            with ExitStack() as stack:
                burst = answers(two_workers, len(of_worker[first]), stack)
            shares.append(burst.count(first.decode()) / len(burst))
        assert max(shares) > 0.8


@pytest.fixture
def living() -> Iterator[int]:
    """A process that is alive."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid


def test_a_worker_is_ahead_of_another_that_lives(tmp_path: Path, living: int) -> None:
    count = ConnectionCount(tmp_path)
    other = tmp_path / f"connections-{living}"
    assert not count.is_ahead()
    other.write_bytes(bytes(8))
    assert not count.is_ahead()
    count.add(2)
    assert count.is_ahead()
    for held, is_ahead in ((1, True), (2, False), (3, False)):
        other.write_bytes(held.to_bytes(8, "little"))
        assert count.is_ahead() is is_ahead
    # One is just being written, or is none.
    other.write_bytes(b"")
    (tmp_path / "connections-nobody").write_bytes(bytes(8))
    assert not count.is_ahead()


def test_a_worker_that_ended_is_not_waited_for(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    (tmp_path / f"connections-{ended.pid}").write_bytes(bytes(8))
    count = ConnectionCount(tmp_path)
    count.add(1)
    assert not count.is_ahead()


def test_where_the_others_do_not_accept_the_connection_is_taken(
    tmp_path: Path, living: int
) -> None:
    (tmp_path / f"connections-{living}").write_bytes(bytes(8))
    count = ConnectionCount(tmp_path)
    count.add(5)
    own = tmp_path / f"connections-{os.getpid()}"

    async def ask() -> bytes:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            server = EvenServer(loop, Echo, listening, count)
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(b"still there?")
            answer = await reader.read(100)
            assert int.from_bytes(own.read_bytes(), "little") == 6
            server.close()
            await server.wait_closed()
            writer.close()
            while int.from_bytes(own.read_bytes(), "little") > 5:
                await asyncio.sleep(0.01)
            return answer

    assert asyncio.run(asyncio.wait_for(ask(), 30)) == b"still there?"


class Echo(asyncio.Protocol):
    """Sends back what it receives; says when it is lost as the protocol of the service does."""

    def __init__(self) -> None:
        self._is_lost, self._on_lost = False, None

    on_lost = BoundedProtocol.on_lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)  # type: ignore[attr-defined]

    def connection_lost(self, exc: Exception | None) -> None:
        if self._on_lost is not None:
            self._on_lost()
