"""The engine to work with: ELASTICSEARCH_URL if it answers, Docker, or a local node."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx

from es_simhash.text.escaping import masked_url
from scripts.local_node import node
from scripts.local_node.distribution import ELASTICSEARCH, RELEASES
from scripts.local_node.java import NodeError
from scripts.local_node.server import wait_until_ready

VARIABLE = "ELASTICSEARCH_URL"
IMAGE = f"docker.io/library/elasticsearch:{ELASTICSEARCH.version}"
_UNKNOWN = "unknown"
_SOCKET = Path("/var/run/docker.sock")
_CONTAINER_SECONDS = 120

Source = Literal["ELASTICSEARCH_URL", "docker", "local node"]
Product = Literal["elasticsearch", "opensearch"]
TITLES: Mapping[Product, str] = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}


@dataclass(frozen=True)
class Engine:
    """An engine that answers; `started` says whether this call started it."""

    url: str = field(repr=False)  # may hold a password
    source: Source
    version: str
    name: str = node.DEFAULT_NAME
    started: bool = False
    product: Product = "elasticsearch"

    def __str__(self) -> str:
        """Name product, version, source and address, without a password."""
        product = TITLES[self.product]
        return f"{product} {self.version} ({self.source}) at {masked_url(self.url)}"

    def stop(self) -> None:
        """Stop what was started under its name: a container is removed, a node keeps its data."""
        if self.source == "docker":
            with _docker() as docker:
                container = docker.client.containers.get(_container_name(self.name))
                container.remove(force=True, v=True)
        elif self.source == "local node":
            node.stop(self.name)


def choose_source(product: Product = "elasticsearch") -> Source:
    """Return where `find_engine` takes the engine from, without starting anything.

    An ELASTICSEARCH_URL where nothing answers is ignored, with a warning.
    """
    url = os.environ.get(VARIABLE)
    if url and version_at(url) is not None:
        return "ELASTICSEARCH_URL"
    if url:
        print(f"{VARIABLE} is {masked_url(url)}, where nothing answers: ignored.", file=sys.stderr)
    if product == "opensearch":
        return "local node"
    with _docker() as docker:
        return "local node" if docker is None else "docker"


def product_of(engine: str) -> Product:
    """Return the product of an engine by its name, such as `opensearch-2`."""
    return "opensearch" if engine.startswith("opensearch") else "elasticsearch"


def find_engine(
    engine: str = "elasticsearch",
    *,
    name: str = node.DEFAULT_NAME,
    heap: str = node.DEFAULT_HEAP,
    in_memory: bool = False,
    settings: Mapping[str, object] | None = None,
) -> Engine:
    """Return an engine: ELASTICSEARCH_URL if it answers, else Docker, else a local node.

    Args:
        engine: Which engine, where one has to be started, by its name in `RELEASES`; what is not
            just `elasticsearch` as a local node alone.
        name: Name of the container or node, which keeps running until it is stopped.
        heap: Heap size of an engine that has to be started.
        in_memory: Keep the data of a local node in memory where that is possible.
        settings: Settings of a local node that has to be started.

    Raises:
        NodeError: No engine answers and none can be started.
    """
    product, release = product_of(engine), RELEASES[engine]
    source = choose_source(product)
    if source == "ELASTICSEARCH_URL":
        url = os.environ[VARIABLE].rstrip("/")
        return Engine(url, source, version_at(url) or _UNKNOWN, product=product)
    if source == "docker" and release is None:
        return _container(name, heap)
    local = node.start(name, release=release, heap=heap, in_memory=in_memory, settings=settings)
    return Engine(local.url, "local node", local.version, name, local.started, product)


def version_at(url: str) -> str | None:
    """Return the version of an engine, "unknown" if it rejects the request, None if it is down."""
    # The root of Maven Central's Elasticsearch answers nothing: its nodes have the version.
    path = "_nodes/_local?filter_path=nodes.*.version"
    try:
        answer = httpx.get(f"{url.rstrip('/')}/{path}", timeout=10, trust_env=False)
        if not answer.is_success:
            return _UNKNOWN
        return str(next(iter(answer.json()["nodes"].values()))["version"])
    except httpx.ConnectError as error:
        # A certificate that is not trusted here: the client may be configured to trust it.
        return _UNKNOWN if "CERTIFICATE" in str(error) else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError, AttributeError):
        return None


def _container(name: str, heap: str) -> Engine:
    """Return Elasticsearch in the container of a name, which is started if need be."""
    from docker.errors import DockerException, NotFound

    label = _container_name(name)
    try:
        with _docker() as docker:
            try:
                container, started = docker.client.containers.get(label), False
                container.start()
            except NotFound:
                container, started = _run(docker, label, heap), True
            url = f"http://{docker.host()}:{docker.port(container.id, 9200)}"
    except (DockerException, AttributeError, ConnectionError) as error:
        raise NodeError(f"Docker could not start {IMAGE} ({error}). Set {VARIABLE}.") from error
    if not wait_until_ready(url, _CONTAINER_SECONDS, lambda: True):
        raise NodeError(f"{IMAGE} does not answer at {url}: see docker logs {label}.")
    return Engine(url, "docker", version_at(url) or _UNKNOWN, name, started)


def _run(docker: Any, label: str, heap: str) -> Any:
    environment = {
        "discovery.type": "single-node",
        "xpack.security.enabled": "false",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
        "ES_JAVA_OPTS": f"-Xms{heap} -Xmx{heap}",
    }
    # Without passwords, the port is for this machine alone, where the daemon is on it; the commands
    # use 9200 by themselves.
    port = ("127.0.0.1", node.free_port()) if docker.host() == "localhost" else None
    return docker.run(IMAGE, detach=True, name=label, environment=environment, ports={9200: port})


def _container_name(name: str) -> str:
    return f"es-simhash-{name}"


@contextmanager
def _docker() -> Iterator[Any]:
    """Give a client of the Docker daemon; None where none answers."""
    from docker.errors import DockerException
    from testcontainers.core.docker_client import DockerClient

    try:
        if not (os.environ.get("DOCKER_HOST") or _SOCKET.exists()):
            raise DockerException("there is no socket of a daemon")
        client = DockerClient(timeout=60)
    except (DockerException, OSError, ValueError):
        yield None
        return
    with closing(client.client):
        yield client
