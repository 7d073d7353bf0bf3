"""A cluster of three nodes on this machine, of which one is killed and started again."""

import os
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
from scripts.local_node.node import Node
from tests.faults.faulty_proxy import MASTER_KILLED, FaultyProxy

NAMES = ("faults-a", "faults-b", "faults-c")
_HEAP = "400m"
_SECONDS = 120
# Seconds after which a node that was killed is started again.
_AWAY = 3.0


class ThreeNodes:
    """The cluster; its proxies send to a node that lives.

    Args:
        ports: Of the nodes for each other.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = dict(zip(NAMES, ports, strict=True))
        self._nodes: dict[str, Node] = {}
        self._proxies: list[FaultyProxy] = []
        self._killed: str | None = None
        self._starting: threading.Timer | None = None

    @property
    def url(self) -> str:
        """Address of a node that lives."""
        return next(node.url for name, node in self._nodes.items() if name != self._killed)

    @property
    def version(self) -> str:
        """What runs."""
        return self._nodes[NAMES[0]].version

    def start(self) -> None:
        """Start all nodes, the first of which makes the cluster."""
        for name in NAMES:
            self._start(name)

    def remove(self) -> None:
        """Stop all nodes, and delete their data."""
        for name in NAMES:
            nodes.remove(name)

    def serve(self, proxy: FaultyProxy) -> None:
        """Let a proxy send to a node that lives, and kill nodes."""
        self._proxies.append(proxy)
        proxy.kill_node = self.kill
        proxy.recover = self.recover

    def kill(self, fault: str) -> None:
        """Kill the master, or the first of the others, at once."""
        if self._killed is not None:
            return
        master = self._master()
        is_chosen = master.__eq__ if fault == MASTER_KILLED else master.__ne__
        self._killed = next(filter(is_chosen, NAMES))
        os.kill(self._nodes[self._killed].pid, signal.SIGKILL)
        for proxy in self._proxies:
            proxy.send_to(self.url)
        # A shard that had no copy yet is there again when the node is.
        self._starting = threading.Timer(_AWAY, self._start, (self._killed,))
        self._starting.start()

    def recover(self) -> None:
        """Start the node that was killed, and wait until all shards have their copies."""
        if self._starting is not None:
            self._starting.join()
            self._starting = self._killed = None
        with connect(self.url, timeout=_SECONDS) as client:
            client.cluster.health(wait_for_status="green", timeout=f"{_SECONDS}s")

    def _master(self) -> str:
        with connect(self.url) as client:
            masters: Any = client.cat.master(format="json")
        return str(masters[0]["node"])

    def _start(self, name: str) -> None:
        before = self._nodes.get(name)
        first = {"cluster.initial_master_nodes": [NAMES[0]]} if name == NAMES[0] else {}
        settings = {
            "discovery.type": "multi-node",
            "cluster.name": "es-simhash-three-nodes",
            "transport.port": self._ports[name],
            "discovery.seed_hosts": [f"127.0.0.1:{port}" for port in self._ports.values()],
            **first,
        }
        port = None if before is None else int(before.url.rpartition(":")[2])
        self._nodes[name] = nodes.start(
            name, heap=_HEAP, settings=settings, in_memory=True, port=port
        )


@contextmanager
def three_nodes() -> Iterator[ThreeNodes]:
    """Run the cluster during the block."""
    sockets = [socket.socket() for _ in NAMES]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    cluster = ThreeNodes(ports)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.remove()
