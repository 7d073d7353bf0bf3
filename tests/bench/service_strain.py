"""How fast light requests are while others ask for heavy comparisons and go away.

    python -m tests.bench.service_strain [--characters 648000] [--requests 10] [--idle 600]

Sends comparisons of two long texts, gives each up after half a second, and keeps connections open
whose headers never end. Meanwhile it asks for `/healthz` and for the relations of a short document.
Prints how long these took, when the next comparison was answered, and the memory of the service
before, at most, and after.
"""

import argparse
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path

from es_simhash.ingestion.ingest import ingest
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.service import INDEX, documents, served
from tests.bench.synthetic import texts

_NODE = "bench-strain"
_GIVEN_UP = 0.5
_SECONDS = 10.0
_MIB = 1 << 20


def main(argv: Sequence[str] | None = None) -> None:
    """Put the service under strain, and print what it still answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=648_000)
    parser.add_argument("--requests", type=int, default=10)
    parser.add_argument("--idle", type=int, default=600)
    options = parser.parse_args(argv)
    node = nodes.start(name=_NODE, heap="512m")
    try:
        with connect(node.url) as client:
            client.indices.delete(index=INDEX, ignore_unavailable=True)
            install(client, INDEX)
            long = " ".join(texts(10_000, 1_000, 40, english=True))[: options.characters]
            other = " ".join(texts(20_000, 1_000, 40, english=True))
            changed = long[: len(long) // 2] + other[: len(long) // 2]
            heavy = [{"id": "long", "text": long}, {"id": "changed", "text": changed}]
            failed = sum(not each.ok for each in ingest(client, INDEX, [*documents(1_000), *heavy]))
            client.indices.refresh(index=INDEX)
        print(f"on Elasticsearch {node.version}, 1002 documents, {failed} failed")
        with served(node.url, 1, 0) as (port, process):
            _strain(port, process, options.requests, options.idle)
    finally:
        nodes.stop(_NODE)


def _strain(port: int, process: int, requests: int, idle: int) -> None:
    # What is loaded with the first questions is no strain.
    for path in ("/v1/related/0", "/v1/compare/0/1"):
        _asked(port, path)
    before = _memory(process)
    with _half_open(port, idle):
        strain = [threading.Thread(target=_give_up, args=(port,)) for _ in range(requests)]
        for thread in strain:
            thread.start()
        most, taken = before, {"/healthz": [0.0], "/v1/related/1?size=1": [0.0]}
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            for path, seconds in taken.items():
                seconds.append(_asked(port, path))
            most = max(most, _memory(process))
            time.sleep(0.05)
        for thread in strain:
            thread.join()
        free = _asked(port, "/v1/compare/0/2")
    print(f"{requests} comparisons given up after {_GIVEN_UP} s, {idle} connections half open")
    for path, seconds in taken.items():
        slow = 1000 * max(seconds)
        print(f"{path}: {len(seconds) - 1} answered, the slowest in {slow:.0f} ms")
    print(f"the next comparison, of short texts: {1000 * free:.0f} ms")
    print(f"memory: {before:.0f} MiB before, at most {most:.0f}, {_memory(process):.0f} after")


def _asked(port: int, path: str) -> float:
    """Ask, and return how many seconds the answer took."""
    begin = time.monotonic()
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
    finally:
        connection.close()
    return time.monotonic() - begin


def _give_up(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=_GIVEN_UP)
    try:
        connection.request("GET", "/v1/compare/long/changed")
        connection.getresponse()
    except OSError:
        pass
    finally:
        connection.close()


@contextmanager
def _half_open(port: int, count: int) -> Iterator[None]:
    """Keep connections open during the block whose headers never end."""
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        yield


def _memory(process: int) -> float:
    """Return the memory that a process has, in MiB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / _MIB


if __name__ == "__main__":
    run(main)
