"""The command line as a user calls it, and servers that answer what no engine here does."""

import contextlib
import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from es_simhash.cli import main
from es_simhash.described import parameters
from es_simhash.store.connection import Connection


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    def refusal(self) -> str:
        """The one sentence of a refusal; anything else fails the test."""
        assert self.status == 1, self
        assert self.out == ""
        assert self.err.startswith("Error: ")
        assert self.err.count("\n") == 1, self.err
        assert self.err.endswith("\n")
        return self.err

    def wrong_usage(self) -> str:
        """The sentence after the usage line; anything else fails the test."""
        assert self.status == 2, self
        assert self.out == ""
        *usage, sentence = self.err.splitlines()
        assert usage[0].startswith("Usage: ")
        assert "Traceback" not in self.err
        assert sentence.startswith("Error: ")
        return sentence


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `es-simhash` with these arguments; an exception that escapes fails the test."""
    for parameter in parameters(Connection).values():
        monkeypatch.delenv(str(parameter.variable), raising=False)
    # No profile of whoever runs the tests.
    monkeypatch.setenv("XDG_CONFIG_HOME", os.devnull)

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["es-simhash", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return call


@pytest.fixture
def call(run: Run, cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on the engine, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    return lambda *arguments: run(*arguments, "--url", cluster_url)


class Request(NamedTuple):
    """A request that reached the server."""

    method: str
    path: str
    body: bytes


class Fake(ThreadingHTTPServer):
    """Answers every request alike, and keeps them."""

    daemon_threads = True
    status = 200
    body = b"{}"
    is_elasticsearch = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.headers: set[str] = set()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Fake

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.headers |= {name.lower() for name in self.headers}
        self.server.requests.append(Request(self.command, self.path, body))
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(self.server.body)))
        if self.server.is_elasticsearch:
            self.send_header("x-elastic-product", "Elasticsearch")
            self.send_header("content-type", "application/json")
        else:
            self.send_header("content-type", "text/html")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    do_GET = do_POST = do_PUT = do_HEAD = _answer


@pytest.fixture
def fake() -> Iterator[Fake]:
    """A server on the loopback interface that is told what to answer."""
    with Fake() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _refuse_plain_http(server: socket.socket, answers_in_http: bool) -> None:
    """Answer as TLS servers do: to TLS in TLS, to http with 400 or by closing the connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    while True:
        try:
            connection = server.accept()[0]
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            if connection.recv(1, socket.MSG_PEEK) != b"\x16":
                connection.recv(65_536)
                if answers_in_http:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            else:
                # Without a certificate the server sends an alert, which is TLS as well.
                context.wrap_socket(connection, server_side=True)


@pytest.fixture
def tls_port() -> Iterator[Callable[..., int]]:
    """Start servers that speak TLS; gives the port of each."""
    servers = []

    def start(answers_in_http: bool = False) -> int:
        server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(
            target=_refuse_plain_http, args=(server, answers_in_http), daemon=True
        ).start()
        servers.append(server)
        port: int = server.getsockname()[1]
        return port

    yield start
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port where nothing listens, and that nobody else gets meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]
