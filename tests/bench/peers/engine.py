"""A search engine over HTTP: Elasticsearch and OpenSearch by the same requests."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import elastic_transport
import elasticsearch
from elastic_transport.client_utils import url_to_node_config

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node.java import NodeError
from tests.bench.peers.model import Kind

_TIMEOUT = 600
# Seconds between two looks at the processor time, and after which it should have been read.
_POLL, _SETTLED = 0.25, 10.0
_JSON = {"accept": "application/json", "content-type": "application/json"}
_LINES = {"accept": "application/json", "content-type": "application/x-ndjson"}


@dataclass(frozen=True)
class Engines:
    """Addresses of the engines of a run.

    Attributes:
        elasticsearch_url: Of the Elasticsearch; empty where there is none.
        opensearch_url: Of the OpenSearch; empty where there is none.
        missing: Why there is none, as one sentence, by the kind of engine.
        versions: Versions of those there are, by the kind of engine.
    """

    elasticsearch_url: str = ""
    opensearch_url: str = ""
    missing: Mapping[Kind, str] = field(default_factory=dict)
    versions: Mapping[Kind, str] = field(default_factory=dict)

    def open(self, kind: Kind) -> "Engine":
        """Return an engine of this process.

        Raises:
            NodeError: There is none of this kind.
        """
        url = self.elasticsearch_url if kind == "Elasticsearch" else self.opensearch_url
        if not url:
            raise NodeError(self.missing.get(kind, f"No {kind} runs; start one."))
        return _elasticsearch(url) if kind == "Elasticsearch" else _opensearch(url)

    def client(self) -> elasticsearch.Elasticsearch:
        """Return the client of Elasticsearch of this process."""
        return _client(self.elasticsearch_url)


@dataclass(frozen=True)
class Engine:
    """An engine that is sent requests.

    Attributes:
        send: Sends one: method, path, body and headers.
    """

    send: Callable[[str, str, Any, dict[str, str]], Any]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return what a request answers; a body that is a list is sent as lines.

        Raises:
            ClusterError: The engine rejects it.
        """
        headers = _LINES if isinstance(body, list) else _JSON if body is not None else {}
        try:
            return self.send(method, path, body, dict(headers))
        except elastic_transport.TransportError as error:
            raise ClusterError(f"{method} {path} failed: {error}.") from error

    def cpu_seconds(self) -> float:
        """Return the processor time that the nodes have used since they were started.

        Nodes read it once a second, so they are polled until each has read it anew.

        Raises:
            ClusterError: A node has not read it after ten seconds.
        """
        nodes = self._process_stats()
        requested = {id: node["timestamp"] for id, node in nodes.items()}
        deadline = time.monotonic() + _SETTLED
        while old := _read_before(requested, nodes):
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"Node {old[0]!r} has not read its processor time for {_SETTLED:g} s. Run it "
                    "again."
                )
            time.sleep(_POLL)
            nodes = self._process_stats()
        times = [node["process"]["cpu"]["total_in_millis"] for node in nodes.values()]
        return float(sum(times) / 1000)

    def _process_stats(self) -> dict[str, Any]:
        nodes: dict[str, Any] = self.call("GET", "/_nodes/stats/process")["nodes"]
        return nodes

    def memory(self) -> int:
        """Return the bytes of memory of the nodes, files that are mapped left out.

        Nodes on other machines count as nothing.
        """
        nodes = self.call("GET", "/_nodes/process")["nodes"].values()
        return sum(_anonymous_memory(node["process"]["id"]) for node in nodes)

    def delete(self, index: str) -> None:
        """Delete an index if it exists."""
        self.call("DELETE", f"/{index}?ignore_unavailable=true")

    def stored_bytes(self, index: str) -> int:
        """Return the bytes of an index, its segments merged into one."""
        self.call("POST", f"/{index}/_forcemerge?max_num_segments=1&flush=true")
        self.call("POST", f"/{index}/_refresh")
        stats = self.call("GET", f"/{index}/_stats/store")
        return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])

    def fill(self, index: str, documents: Iterable[dict[str, Any]], *, batch: int = 200) -> None:
        """Index documents under their positions, and refresh.

        Raises:
            ClusterError: One of them is rejected.
        """
        lines: list[dict[str, Any]] = []
        for number, document in enumerate(documents):
            lines += [{"index": {"_id": str(number)}}, document]
            if len(lines) == 2 * batch:
                self._bulk(index, lines)
                lines = []
        if lines:
            self._bulk(index, lines)
        self.call("POST", f"/{index}/_refresh")

    def _bulk(self, index: str, lines: list[dict[str, Any]]) -> None:
        answer = self.call("POST", f"/{index}/_bulk", lines)
        if answer["errors"]:
            items = (item["index"] for item in answer["items"])
            reason = next(item["error"] for item in items if "error" in item)
            raise ClusterError(f"Index {index!r} rejects a document: {reason}.")


@lru_cache(maxsize=1)
def _client(url: str) -> elasticsearch.Elasticsearch:
    return connect(url, timeout=_TIMEOUT)


def _elasticsearch(url: str) -> Engine:
    client = _client(url)

    def send(method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        try:
            answer = client.perform_request(method, path, body=body, headers=headers)
        except elasticsearch.ApiError as error:
            raise ClusterError(f"{method} {path} failed: {error}.") from error
        return answer.body

    return Engine(send)


@lru_cache(maxsize=1)
def _opensearch(url: str) -> Engine:
    # The client of Elasticsearch refuses other products; what it sends with does not.
    transport = elastic_transport.Transport([url_to_node_config(url)])

    def send(method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        answer = transport.perform_request(
            method, path, body=body, headers=headers, request_timeout=_TIMEOUT
        )
        if answer.meta.status >= 400:
            raise ClusterError(f"{method} {path} failed: {answer.body}.")
        return answer.body

    return Engine(send)


def _read_before(times: Mapping[str, int], nodes: Mapping[str, Any]) -> list[str]:
    """Return the names of nodes that read their processor time before some time of theirs."""
    return [
        node["name"]
        for id, node in nodes.items()
        if node["process"]["timestamp"] < times.get(id, 0)
    ]


def _anonymous_memory(process: int) -> int:
    status = Path(f"/proc/{process}/status")
    found = re.search(r"^RssAnon:\s+(\d+) kB", status.read_text() if status.exists() else "", re.M)
    return int(found[1]) * 1024 if found else 0
