"""A server on a Unix socket that answers as the Docker daemon does.

It has no containers: the one that is started "serves" on a port that the test names, where an
Elasticsearch may answer.
"""

import json
import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

API = "1.51"
ID = "c0ffee"
Answer = tuple[int, bytes]


class DockerDaemon(socketserver.ThreadingUnixStreamServer):
    """Answers requests on a socket, and keeps them."""

    daemon_threads = True

    def __init__(self, socket: Path, port: int) -> None:
        super().__init__(str(socket), _Handler)
        self.host = f"unix://{socket}"
        self.requests: list[str] = []
        self.created: dict[str, Any] = {}
        self.port = port
        self.image_exists = True
        self.exists = self.runs = False
        self.pulled: Answer = (200, b'{"status":"Pulling"}\r\n{"status":"Done"}\r\n')
        self.ping: Answer = (200, b"OK")

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        """Return the status and body of a response."""
        self.requests.append(f"{method} {path}")
        if path == "/_ping":
            return self.ping
        if path == "/version":
            return _json({"Version": "28.3.3", "ApiVersion": API})
        if not path.startswith(f"/v{API}/"):
            return _json({"message": "page not found"}, 404)
        return self._answer(method, path.removeprefix(f"/v{API}"), body)

    def _answer(self, method: str, path: str, body: bytes) -> Answer:
        if path.startswith("/images/create"):
            return self.pulled
        if path.startswith("/images/"):
            return _json({}) if self.image_exists else _json({"message": "No such image"}, 404)
        if path.partition("?")[0] == "/containers/create":
            self.created, self.exists = json.loads(body), True
            return _json({"Id": ID, "Warnings": []}, 201)
        if not self.exists:
            return _json({"message": "No such container"}, 404)
        if re.fullmatch(r"POST /containers/[\w-]+/start", f"{method} {path}"):
            self.runs = True
            return 204, b""
        if (method, path) == ("DELETE", f"/containers/{ID}?force=true&v=true"):
            self.exists = self.runs = False
            return 204, b""
        if re.fullmatch(r"/containers/[\w-]+/json", path):
            ports = {"9200/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(self.port)}]}
            networks = {"bridge": {"IPAddress": "127.0.0.1"}}
            settings = {"Ports": ports, "Networks": networks}
            return _json({"State": {"Running": self.runs}, "NetworkSettings": settings})
        return _json({"message": "page not found"}, 404)


def _json(value: Any, status: int = 200) -> Answer:
    return status, json.dumps(value).encode()


class _Handler(BaseHTTPRequestHandler):
    server: DockerDaemon

    def _respond(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        status, body = self.server.answer(self.command, self.path, self.rfile.read(length))
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        """Return a name: a Unix socket has no address."""
        return "unix"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    do_GET = do_POST = do_DELETE = _respond


@contextmanager
def _running(socket: Path, port: int) -> Iterator[DockerDaemon]:
    with DockerDaemon(socket, port) as daemon:
        thread = threading.Thread(target=daemon.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield daemon
        daemon.shutdown()
        thread.join()


@pytest.fixture
def docker_daemon(open_tmp_path: Path) -> Callable[[int], AbstractContextManager[DockerDaemon]]:
    """Start a daemon whose container serves on a port of this machine."""
    return lambda port: _running(open_tmp_path / "docker.sock", port)
