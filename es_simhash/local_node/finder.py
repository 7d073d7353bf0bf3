"""The Elasticsearch to work with: ELASTICSEARCH_URL if it answers, Docker, or a local node."""

import logging
import os
import time
import urllib.error
from dataclasses import dataclass, field
from functools import lru_cache
from ssl import SSLError
from typing import Literal

from es_simhash.errors import NodeError
from es_simhash.local_node import lifecycle
from es_simhash.local_node.docker import find_daemon, run_on, run_until_exit
from es_simhash.local_node.health import get_json, wait_until_ready
from es_simhash.local_node.settings import DEFAULT_HEAP, DEFAULT_VERSION
from es_simhash.text.escaping import masked_url

VARIABLE = "ELASTICSEARCH_URL"
UNKNOWN_VERSION = "unknown"
# Until Elasticsearch in a container has to answer.
_CONTAINER_SECONDS = 120
IMAGE = f"docker.io/library/elasticsearch:{DEFAULT_VERSION}"
# Container that is kept.
CONTAINER = "es-simhash"

Source = Literal["ELASTICSEARCH_URL", "docker", "local node"]

_logger = logging.getLogger(__name__)


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
    return "docker" if find_daemon() is not None else "local node"


def find_engine(*, name: str | None = None, heap: str = DEFAULT_HEAP, keep: bool = False) -> Engine:
    """Return an engine: ELASTICSEARCH_URL if it answers, else Docker, else a local node.

    A cluster at ELASTICSEARCH_URL that is down is thus replaced by another one, and the data go
    there; the log says so.

    Args:
        name: Name of the local node, if one is started; by default its version.
        heap: Heap size of an engine that has to be started.
        keep: Leave a container running, under the name `es-simhash`, for later processes; otherwise
            it is removed when this one ends. A local node keeps running in any case.

    Raises:
        NodeError: No engine answers and none can be started.
    """
    source = choose_source()
    if source == "ELASTICSEARCH_URL":
        url = os.environ[VARIABLE]
        return Engine(url, source, _version_at(url) or UNKNOWN_VERSION)
    if source == "docker":
        return _container(CONTAINER, heap) if keep else _container_of_this_process(heap)
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


def _container(name: str | None, heap: str) -> Engine:
    """Return Elasticsearch in a container: one of a name, or one that ends with this process."""
    daemon = find_daemon()
    if daemon is None:
        raise NodeError(f"Docker does not answer any more. Start a node and set {VARIABLE}.")
    environment = {
        "discovery.type": "single-node",
        "xpack.security.enabled": "false",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
        "ES_JAVA_OPTS": f"-Xms{heap} -Xmx{heap}",
    }
    if name is None:
        urls = run_until_exit(daemon, IMAGE, environment)
    else:
        urls = run_on(daemon, name, IMAGE, environment)
    deadline = time.monotonic() + _CONTAINER_SECONDS
    while time.monotonic() < deadline:
        for url in urls:
            if wait_until_ready(url, seconds=1, alive=lambda: True):
                version = _version_at(url) or UNKNOWN_VERSION
                return Engine(url, "docker", version, started=name is None)
    raise NodeError(
        f"{IMAGE} in Docker does not answer at {' or '.join(urls)}. See docker logs, or set "
        f"{VARIABLE}."
    )


@lru_cache(maxsize=1)
def _container_of_this_process(heap: str) -> Engine:
    return _container(None, heap)
