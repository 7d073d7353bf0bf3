"""Waiting while the nodes of a cluster have more to do than a run may add to."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.text.escaping import one_line

_logger = logging.getLogger(__name__)
PATH = "/_nodes/stats/os,breaker,thread_pool"
_POOLS, _THREADS = ("search", "write"), ("threads", "active", "queue")
_MEMORY = ("limit", "estimated")
PARAMS = {
    "filter_path": ",".join(
        f"nodes.*.{each}"
        for each in (
            "name",
            "os.cpu.percent",
            *(f"thread_pool.{pool}.{of}" for pool in _POOLS for of in _THREADS),
            *(f"breakers.*.{of}_size_in_bytes" for of in _MEMORY),
        )
    )
}
# Requests that cost a node something.
_COSTLY = frozenset({"_bulk", "_mget", "_msearch", "_search"})
_FULL = 100.0
# Share of the limit of a circuit breaker above which a node may soon reject requests.
_NEARLY = 0.9
# Seconds for which a reading counts: the node itself measures no more often.
_FRESH = 1.0
# Seconds of the first wait, which is doubled each time, and of the longest.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
# Seconds of waiting after which a request is sent all the same.
_PATIENCE = 60.0


class Load(NamedTuple):
    """How busy a node is.

    Attributes:
        percent: Share of its processors in use, from 0 to 100; 100 where it is about to reject
            requests.
        node: Its name.
        reason: In words, for a log.
    """

    percent: float
    node: str
    reason: str


def load_of(stats: Mapping[str, Any]) -> Load:
    """Return the load of the busiest node.

    Args:
        stats: What the cluster answers to `PATH`.
    """
    return max((_load(node) for node in stats.get("nodes", {}).values()), default=Load(0, "", ""))


def _load(node: Mapping[str, Any]) -> Load:
    name = one_line(str(node.get("name", "")))
    for pool, threads in node.get("thread_pool", {}).items():
        if threads["queue"] and threads["active"] >= threads["threads"]:
            return Load(_FULL, name, f"{threads['queue']} requests wait for a {pool} thread")
    for breaker, memory in node.get("breakers", {}).items():
        limit, used = memory["limit_size_in_bytes"], memory["estimated_size_in_bytes"]
        if limit > 0 and used > _NEARLY * limit:
            share = _FULL * used / limit
            return Load(
                _FULL, name, f"circuit breaker {one_line(breaker)} is at {share:.0f} % of its limit"
            )
    # Minus one where the node does not know.
    percent = float(max(0, node.get("os", {}).get("cpu", {}).get("percent", 0)))
    return Load(percent, name, f"its processors are {percent:.0f} % in use")


def is_costly(path: str) -> bool:
    """Check whether a request costs the nodes something.

    Args:
        path: Of the request.
    """
    return path.partition("?")[0].rpartition("/")[2] in _COSTLY


class LoadBound:
    """Holds requests back while a node is busier than a run may add to; shared by its threads.

    A node is busy by its processors; and where searches or writes wait for a thread, or a circuit
    breaker has more than nine tenths of its limit, whatever the bound: then it is about to reject
    requests. Where that lasts for a minute, one request is sent all the same.

    Args:
        max_load: Percent of the processors of a node in use; more than 0 and less than 100.

    Raises:
        InputError: It is no such number.
    """

    def __init__(self, max_load: float) -> None:
        if not 0 < max_load < _FULL:
            raise InputError(
                f"max_load must be more than 0 and less than 100, got {max_load}.",
                parameter="max_load",
            )
        self.max_load = max_load
        self._lock = threading.Lock()
        self._fresh_until = 0.0
        self._has_warned = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.max_load})"

    def hold(self, stats: Callable[[], Any], wait: Callable[[float], None]) -> None:
        """Wait until the nodes are less busy.

        Args:
            stats: Returns what the cluster answers to `PATH`.
            wait: Waits for so many seconds.

        Raises:
            ClusterError: The cluster does not say how busy it is.
            Stopped: The run has ended.
        """
        with self._lock:
            if time.monotonic() < self._fresh_until:
                return
            waited, seconds = 0.0, _FIRST_WAIT
            load = load_of(stats())
            while load.percent > self.max_load and waited < _PATIENCE:
                self._log(load, seconds)
                wait(seconds)
                waited, seconds = waited + seconds, min(2 * seconds, _LONGEST_WAIT)
                load = load_of(stats())
            if load.percent <= self.max_load:
                self._fresh_until = time.monotonic() + _FRESH

    def _log(self, load: Load, seconds: float) -> None:
        """Log a wait; the first of a run as a warning."""
        _logger.log(
            logging.INFO if self._has_warned else logging.WARNING,
            "Node %s is busy (%s), above the bound of %g %%: wait %.1f s.",
            load.node,
            load.reason,
            self.max_load,
            seconds,
            extra={"event": "load", "node": load.node, "load": load.percent, "seconds": seconds},
        )
        self._has_warned = True
