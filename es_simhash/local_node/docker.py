"""Docker: whether it answers, and Elasticsearch in a container.

The few requests of its API that this takes are made here, so that no package has to be installed
for a machine that may have Docker.
"""

import atexit
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

from es_simhash.errors import NodeError
from es_simhash.local_node.settings import choose_port

_VARIABLE = "DOCKER_HOST"
_DEFAULT_HOST = "unix:///var/run/docker.sock"
# Seconds until a daemon that says nothing counts as none; and until one that works has failed.
_PING_TIMEOUT, _TIMEOUT = 2, 60
# Pulling an image says something every now and then.
_PULL_TIMEOUT = 300
_PORT = "9200/tcp"
_REMOVED_AT_EXIT = {"es-simhash": "removed when the process that started it ends"}


class DockerError(Exception):
    """The daemon does not do what it was asked."""


class _UnixConnection(HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class Daemon:
    """A Docker daemon.

    Attributes:
        host: Its address, `unix://` or `tcp://`, without TLS.
        prefix: Version of its API, as requests have it.
    """

    host: str
    prefix: str = ""

    @property
    def is_local(self) -> bool:
        """True when the ports that it publishes are on this machine."""
        return self.host.startswith("unix://")

    def request(
        self, method: str, path: str, body: Any = None, *, timeout: float = _TIMEOUT
    ) -> bytes:
        """Return the body of a response.

        Raises:
            DockerError: The daemon does not answer, or with an error.
        """
        content = None if body is None else json.dumps(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection = self._connection(timeout)
        try:
            connection.request(method, f"{self.prefix}{path}", content, headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, HTTPException) as error:
            raise DockerError(f"no answer from {self.host}, {error}") from error
        finally:
            connection.close()
        if response.status >= 300:
            raise DockerError(_message(answer) or f"{self.host} answers {response.status}")
        return answer

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Return a response that is JSON.

        Raises:
            DockerError: The daemon does not answer, or not with JSON.
        """
        try:
            return json.loads(self.request(method, path, body))
        except ValueError as error:
            raise DockerError(f"{self.host} answers {path} without JSON") from error

    def _connection(self, timeout: float) -> HTTPConnection:
        parts = urlsplit(self.host)
        if self.is_local:
            return _UnixConnection(parts.path, timeout)
        return HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)


def find_daemon() -> Daemon | None:
    """Return the daemon at DOCKER_HOST, or at the usual socket, when it answers within 2 s."""
    host = os.environ.get(_VARIABLE) or _DEFAULT_HOST
    try:
        daemon = Daemon(host)
        if urlsplit(host).scheme not in ("unix", "tcp"):
            return None
        if daemon.request("GET", "/_ping", timeout=_PING_TIMEOUT).strip() != b"OK":
            return None
        return Daemon(host, f"/v{daemon.json('GET', '/version')['ApiVersion']}")
    except (DockerError, ValueError, KeyError, TypeError):
        return None


def run_until_exit(daemon: Daemon, image: str, environment: Mapping[str, str]) -> list[str]:
    """Start a container that serves port 9200, and remove it when this process ends.

    Returns:
        The URLs at which the port may be reached, the most likely first.

    Raises:
        NodeError: The daemon cannot pull the image, or start the container.
    """
    with _explained(image):
        _pull(daemon, image)
        body = _container(image, environment, _published(daemon, ""))
        container = _create(daemon, "", {**body, "Labels": _REMOVED_AT_EXIT})
        atexit.register(_remove, daemon, container)
        daemon.request("POST", f"/containers/{container}/start")
        return _urls(_inspected(daemon, container), daemon)


def run_on(daemon: Daemon, name: str, image: str, environment: Mapping[str, str]) -> list[str]:
    """Start a container that serves port 9200 and keeps running, unless there is one of this name.

    The port is published as 9200 where that is free, as it is without Docker.

    Returns:
        The URLs at which the port may be reached, the most likely first.

    Raises:
        NodeError: The daemon cannot pull the image, or start the container.
    """
    with _explained(image):
        if not _exists(daemon, name):
            _pull(daemon, image)
            port = str(choose_port(None)) if daemon.is_local else ""
            body = _container(image, environment, _published(daemon, port))
            _create(daemon, f"?name={name}", body)
        if not _inspected(daemon, name)["State"]["Running"]:
            daemon.request("POST", f"/containers/{name}/start")
        return _urls(_inspected(daemon, name), daemon)


@contextmanager
def _explained(image: str) -> Iterator[None]:
    """Turn what goes wrong with a container into one sentence."""
    try:
        yield
    except (DockerError, LookupError, TypeError) as error:
        raise NodeError(
            f"Docker could not start {image} ({error}). Start one by hand and set "
            "ELASTICSEARCH_URL."
        ) from error


def _pull(daemon: Daemon, image: str) -> None:
    """Pull an image that the daemon does not have."""
    with suppress(DockerError):
        daemon.request("GET", f"/images/{quote(image, safe='')}/json")
        return
    repository, _, tag = image.rpartition(":")
    path = f"/images/create?fromImage={quote(repository, safe='')}&tag={quote(tag, safe='')}"
    # Errors on the way come as lines of a response that began well.
    for line in daemon.request("POST", path, timeout=_PULL_TIMEOUT).splitlines():
        if error := _message(line):
            raise DockerError(error)


def _published(daemon: Daemon, port: str) -> dict[str, str]:
    # Without passwords, the port is for this machine alone, where the daemon is on it.
    return {"HostIp": "127.0.0.1" if daemon.is_local else "", "HostPort": port}


def _container(
    image: str, environment: Mapping[str, str], published: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "Image": image,
        "Env": [f"{name}={value}" for name, value in environment.items()],
        "ExposedPorts": {_PORT: {}},
        "HostConfig": {"PortBindings": {_PORT: [dict(published)]}},
    }


def _create(daemon: Daemon, query: str, body: Mapping[str, Any]) -> str:
    return str(daemon.json("POST", f"/containers/create{query}", body)["Id"])


def _exists(daemon: Daemon, name: str) -> bool:
    try:
        _inspected(daemon, name)
    except DockerError:
        return False
    return True


def _inspected(daemon: Daemon, container: str) -> Any:
    return daemon.json("GET", f"/containers/{container}/json")


def _urls(inspected: Any, daemon: Daemon) -> list[str]:
    """Return where the port of a container may be reached from here.

    From another container that is the address of the container, for the loopback interface with
    the published port is the daemon's.
    """
    network = inspected["NetworkSettings"]
    host = "127.0.0.1" if daemon.is_local else urlsplit(daemon.host).hostname
    published = [f"http://{host}:{each['HostPort']}" for each in network["Ports"][_PORT]]
    addresses = [each["IPAddress"] for each in network["Networks"].values()]
    return published + [f"http://{address}:9200" for address in addresses if address]


def _remove(daemon: Daemon, container: str) -> None:
    with suppress(DockerError):
        daemon.request("DELETE", f"/containers/{container}?force=true&v=true")


def _message(answer: bytes) -> str:
    """Return the error of a response; empty when there is none."""
    try:
        content = json.loads(answer)
    except ValueError:
        return ""
    if not isinstance(content, dict):
        return ""
    return str(content.get("message") or content.get("error") or "")
