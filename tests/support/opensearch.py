"""An OpenSearch for tests and benches: it runs Painless for real.

The Elasticsearch distribution on Maven Central comes without its script and ingest modules, that of
OpenSearch with all of them.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scripts.local_node import node
from scripts.local_node.distribution import OPENSEARCH
from tests.support.shared_node import leased

VERSION = OPENSEARCH.version

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def request(url: str, method: str = "GET", body: object = None, *, timeout: float = 600) -> Any:
    """Return what a request answers, parsed; an answer that refuses has a member `error`.

    Bodies that are bytes are sent as they are (bulk requests), others as JSON.
    """
    raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
    asked = urllib.request.Request(url, raw, {"Content-Type": kind}, method=method)
    try:
        with _opener.open(asked, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error)


def runs_painless(url: str) -> bool:
    """Check whether the engine at an address has the modules that run ingest scripts."""
    nodes = request(f"{url}/_nodes/plugins?filter_path=nodes.*.modules.name")["nodes"]
    names = {module["name"] for node in nodes.values() for module in node["modules"]}
    return {"lang-painless", "ingest-common"} <= names


@contextmanager
def opensearch(heap: str = "1g") -> Iterator[str]:
    """Give the address of an OpenSearch without data, which the last user stops and deletes.

    Raises:
        NodeError: It cannot be fetched or started; the sentence says why.
    """
    name = f"opensearch-{heap}"

    def start() -> tuple[str, bool]:
        started = node.start(name, release=OPENSEARCH, heap=heap, in_memory=True)
        return started.url, started.started

    with leased(name, start, lambda: node.remove(name)) as url:
        yield url
