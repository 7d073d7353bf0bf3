"""The Elasticsearch to work with: ELASTICSEARCH_URL if it answers, Docker, or a local node."""

import gc
import importlib
import importlib.util
import logging
import os
import urllib.error
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from ssl import SSLError
from typing import Any, Literal

from es_simhash.errors import NodeError
from es_simhash.local_node import lifecycle
from es_simhash.local_node.health import get_json, wait_until_ready
from es_simhash.local_node.settings import DEFAULT_HEAP, DEFAULT_VERSION
from es_simhash.text.escaping import masked_url

VARIABLE = "ELASTICSEARCH_URL"
UNKNOWN_VERSION = "unknown"

Source = Literal["ELASTICSEARCH_URL", "docker", "local node"]

_logger = logging.getLogger(__name__)
# A container is removed when its object is deleted; these are kept until the process ends.
_containers: list[Any] = []


@dataclass(frozen=True)
class Engine:
    """An Elasticsearch that answers; `started` says whether this call started it."""

    url: str = field(repr=False)  # may hold a password
    source: Source
    version: str
    started: bool = False

    def __str__(self) -> str:
        """Name version, source and address, without a password."""
        return f"Elasticsearch {self.version} ({self.source}) at {masked_url(self.url)}"


def choose_source() -> Source:
    """Return where `find_engine` takes the engine from, without starting anything.

    An ELASTICSEARCH_URL where nothing answers is ignored, with a warning in the log.
    """
    url = os.environ.get(VARIABLE)
    if url and _version_at(url) is not None:
        return "ELASTICSEARCH_URL"
    if url:
        _logger.warning("%s is %s, where nothing answers: ignored.", VARIABLE, masked_url(url))
    return "docker" if _docker_answers() else "local node"


def find_engine(*, name: str | None = None, heap: str = DEFAULT_HEAP) -> Engine:
    """Return an engine: ELASTICSEARCH_URL if it answers, else Docker, else a local node.

    A cluster at ELASTICSEARCH_URL that is down is thus replaced by another one, and the data go
    there; the log says so.

    Args:
        name: Name of the local node, if one is started; by default its version.
        heap: Heap size of an engine that has to be started.

    Raises:
        NodeError: No engine answers and none can be started.
    """
    source = choose_source()
    if source == "ELASTICSEARCH_URL":
        url = os.environ[VARIABLE]
        return Engine(url, source, _version_at(url) or UNKNOWN_VERSION)
    if source == "docker":
        return _start_container(heap)
    node = lifecycle.start(name=name, heap=heap, report=_logger.info)
    return Engine(node.url, source, node.version, node.started)


def _version_at(url: str) -> str | None:
    """Return the version of an engine, "unknown" if it rejects the request, None if it is down."""
    base = url.rstrip("/")
    try:
        return str(get_json(base)["version"]["number"])
    except urllib.error.HTTPError as error:
        error.close()
    except urllib.error.URLError as error:
        # Its certificate is not trusted here; the client may be configured to trust it.
        return UNKNOWN_VERSION if isinstance(error.reason, SSLError) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return _version_of_nodes(base)


def _version_of_nodes(url: str) -> str:
    """Return the version of the nodes, where `GET /` has none, as with Maven Central's."""
    try:
        nodes = get_json(f"{url}/_nodes/_local?filter_path=nodes.*.version")["nodes"]
        return str(next(iter(nodes.values()))["version"])
    except urllib.error.HTTPError as error:
        error.close()
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        pass
    return UNKNOWN_VERSION


def _docker_answers() -> bool:
    """Check whether the `docker` extra is installed and a Docker engine answers within 2 s."""
    if importlib.util.find_spec("testcontainers") is None:
        return False
    with warnings.catch_warnings():
        # The Docker client drops its socket unclosed when no engine answers.
        warnings.simplefilter("ignore", ResourceWarning)
        is_up = _ping_docker()
        gc.collect()
    return is_up


def _ping_docker() -> bool:
    with suppress(Exception):  # whatever the Docker client raises, there is no Docker
        client = importlib.import_module("docker").from_env(timeout=2)
        try:
            return bool(client.ping())
        finally:
            client.close()
    return False


def _start_container(heap: str) -> Engine:
    """Start Elasticsearch in a container that is removed when this process ends.

    A plain container: the ready-made one of testcontainers rejects server versions that it does
    not know, and has moved between modules.
    """
    image = f"elasticsearch:{DEFAULT_VERSION}"
    module = importlib.import_module("testcontainers.core.container")
    environment = {
        "discovery.type": "single-node",
        "xpack.security.enabled": "false",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
        "ES_JAVA_OPTS": f"-Xms{heap} -Xmx{heap}",
    }
    try:
        container = module.DockerContainer(image).with_exposed_ports(9200).with_envs(**environment)
        _containers.append(container.start())
        url = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(9200)}"
    except Exception as error:
        raise NodeError(
            f"Docker could not start {image} ({error}). Start one by hand and set {VARIABLE}."
        ) from error
    if not wait_until_ready(url, seconds=120, alive=lambda: True):
        raise NodeError(f"{image} in Docker does not answer at {url}. See docker logs.")
    return Engine(url, "docker", _version_at(url) or UNKNOWN_VERSION, started=True)
