"""A proxy before the engine that sees and can refuse each request."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.engine_tests import tested_product

# What each engine says of its responses.
_HEADERS = {
    "elasticsearch": {
        "content-type": "application/vnd.elasticsearch+json;compatible-with=8",
        "x-elastic-product": "Elasticsearch",
    },
    "opensearch": {"content-type": "application/json"},
}

Answer = tuple[int, bytes]
Hook = Callable[[str, bytes], Answer | None]


class Proxy(ThreadingHTTPServer):
    """Passes requests on, unless the hook answers them."""

    daemon_threads = True

    # Whether requests on connections that were opened before are dropped.
    closed = False
    # The engine behind it.
    product = tested_product()

    def __init__(self, target: str, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.target = urlsplit(target)
        self.hook: Hook = lambda path, body: None
        # The credentials that were sent.
        self.keys: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def lose_a_bulk_request(
        self, client: Any, is_wanted: Callable[[bytes], bool] = lambda body: True
    ) -> list[Any]:
        """Have one bulk request done without an answer: 503, as of a proxy that gives up.

        Args:
            client: Of the engine behind.
            is_wanted: Whether it is the request with this body; the first one by default.

        Returns:
            The engine's answer, as soon as there is one.
        """
        lost: list[Any] = []

        def hook(path: str, body: bytes) -> Answer | None:
            index, found, _ = path.partition("/_bulk")
            if not found or lost or not is_wanted(body):
                return None
            lines = [json.loads(line) for line in body.splitlines()]
            lost.append(client.bulk(index=index.strip("/") or None, operations=lines))
            return 503, b"{}"

        self.hook = hook
        return lost

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def _answer(self) -> None:
        if self.server.closed:
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.keys.update(self.headers.get_all("authorization") or ())
        refused = self.server.hook(self.path, body)
        status, content = refused if refused else self._passed_on(body)
        self.send_response(status)
        for header in _HEADERS[self.server.product].items():
            self.send_header(*header)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _passed_on(self, body: bytes) -> Answer:
        connection = http.client.HTTPConnection(
            self.server.target.hostname or "", self.server.target.port
        )
        try:
            headers = {
                name: value
                for name, value in self.headers.items()
                # What comes back is passed on without a header that says how it is encoded.
                if name.lower() not in ("host", "accept-encoding")
            }
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer


@pytest.fixture
def proxy(cluster_url: str) -> Iterator[Proxy]:
    """A proxy before the engine, on the loopback interface."""
    with Proxy(cluster_url) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
