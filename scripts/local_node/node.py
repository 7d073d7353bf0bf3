"""Local nodes: started, found again and stopped by name."""

import fcntl
import json
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import xxhash

from es_simhash.store.home_folder import home_folder
from scripts.local_node.distribution import (
    ELASTICSEARCH,
    ELASTICSEARCH_8,
    Release,
    open_folder,
    require_distribution,
)
from scripts.local_node.java import NodeError, find_java
from scripts.local_node.server import PortTaken, Server

DEFAULT_NAME = "default"
DEFAULT_HEAP = "1g"
_PORT = 9200
# How many ports may be taken while a server starts.
_PORTS = 3
_MEMORY = Path("/dev/shm")
_SECONDS = 180.0
# The setting with which Elasticsearch answers to HTTPS alone.
_TLS = "xpack.security.http.ssl.enabled"


@dataclass(frozen=True)
class Node:
    """A running local node; `started` says whether this call started it."""

    name: str
    version: str
    url: str
    pid: int
    started: bool = False


def start(
    name: str = DEFAULT_NAME,
    *,
    release: Release | None = None,
    port: int | None = None,
    heap: str = DEFAULT_HEAP,
    settings: Mapping[str, object] | None = None,
    in_memory: bool = False,
    before: Callable[[Server, Path, Path], None] = lambda *_: None,
) -> Node:
    """Start a local node and return it when it answers, or the one that runs already.

    Args:
        name: Name of the node and of its folder; its data stay when it stops.
        release: What to run; Elasticsearch by default, 8 when there is no JDK 21.
        port: HTTP port; by default 9200, or another one when that is taken.
        heap: Heap size of the JVM.
        settings: Settings of the server, beside those that each node has.
        in_memory: Keep the data in memory where that is possible: writes need no disk, and what was
            written is gone when the machine stops.
        before: Called before the start with the server, the folder of its distribution and the
            home of its JDK.

    Raises:
        NodeError: Something is missing, or the server does not come up.
    """
    with _lock():
        if (node := find(name)) is not None:
            return node
        release, java = _choose(release)
        distribution = require_distribution(release, java)
        server = _server(name)
        open_folder(server.root)
        common: dict[str, object] = {"cluster.name": f"es-simhash-{name}", "node.name": name}
        if release.product == "elasticsearch":
            common |= {"xpack.security.enabled": False, "xpack.ml.enabled": False}

        def launch(port: int) -> Node:
            values = {**common, "http.port": port, **(settings or {})}
            data = _memory_folder(name) if in_memory else None
            server.configure(distribution, values, heap, data)
            before(server, distribution, java)
            scheme = "https" if values.get(_TLS) else "http"
            url = f"{scheme}://127.0.0.1:{port}"
            pid = server.launch(distribution, java, url, _SECONDS)
            record = {"version": release.version, "scheme": scheme, "port": port, "heap": heap}
            (server.root / "node.json").write_text(json.dumps(record), "utf-8")
            return Node(name, release.version, url, pid, started=True)

        return launch(port) if port else _at_free_port(launch)


def find(name: str) -> Node | None:
    """Return the node of this name when it runs."""
    server = _server(name)
    try:
        record = json.loads((server.root / "node.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if (pid := server.pid()) is None:
        return None
    url = f"{record.get('scheme', 'http')}://127.0.0.1:{record['port']}"
    return Node(name, record["version"], url, pid)


def running() -> list[Node]:
    """Return all nodes that run, by name."""
    names = sorted(path.parent.name for path in home_folder().glob("nodes/*/node.json"))
    return [node for name in names if (node := find(name)) is not None]


def stop(name: str = DEFAULT_NAME) -> int | None:
    """Stop the node of this name; return the process id it had, None when it did not run."""
    return _server(name).terminate()


def remove(name: str) -> None:
    """Stop the node of this name, and delete its data."""
    stop(name)
    for folder in (_server(name).root, _memory_folder(name)):
        shutil.rmtree(folder, ignore_errors=True)


def _server(name: str) -> Server:
    return Server(home_folder() / "nodes" / name)


def _memory_folder(name: str) -> Path:
    return _MEMORY / f"es-simhash-{name}-{xxhash.xxh32_hexdigest(str(home_folder()).encode())}"


def _choose(release: Release | None) -> tuple[Release, Path]:
    """Return what to run, and a JDK for it."""
    if release is not None:
        return release, find_java(release.java)
    try:
        return ELASTICSEARCH, find_java(ELASTICSEARCH.java)
    except NodeError:
        return ELASTICSEARCH_8, find_java(ELASTICSEARCH_8.java)


def _at_free_port(launch: Callable[[int], Node]) -> Node:
    """Launch a node at a free port, and at another one where that was taken meanwhile.

    The lock of a home says nothing to nodes of other homes, which look for a port at the same time.
    """
    for _ in range(_PORTS):
        try:
            return launch(free_port())
        except PortTaken:
            continue
    return launch(free_port())


@contextmanager
def _lock() -> Iterator[None]:
    """Hold the lock of the home folder: one start at a time downloads, unpacks, picks a port."""
    home = home_folder()
    try:
        open_folder(home)
        lock = (home / "start.lock").open("w")
    except OSError as error:
        raise NodeError(f"{home} is not writable ({error}). Set ES_SIMHASH_HOME.") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def free_port() -> int:
    """Return 9200 where it is free on loopback, else a port that is."""
    for port in (_PORT, 0):
        with socket.socket() as probe:
            # As Elasticsearch does, so that a port in TIME_WAIT counts as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise NodeError("No port is free on the loopback interface.")
