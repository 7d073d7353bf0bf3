"""How fast light requests are while others ask for what is heavy, and keep connections open.

    python -m tests.bench.service_strain [--characters 648000] [--requests 10] [--idle 1000]
        [--half-open 600] [--rest 60]

Sends comparisons of two long texts, gives each up after half a second, keeps connections open
that send nothing and others whose headers never end, reads an answer at a byte a second, and sends
bodies of 50 MB. Meanwhile it asks for `/healthz` and for the relations of a short document. Prints
how long these took, when the next comparison was answered, and the memory of the service before, at
most, and after a rest.
"""

import argparse
import resource
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from statistics import median

from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.served_index import fill, made_up, memory, served
from tests.bench.synthetic import texts

_NODE = "bench-strain"
_GIVEN_UP = 0.5
_SECONDS = 20.0
_BODY = 50_000_000
_WARM_UP = 300


def main(argv: Sequence[str] | None = None) -> None:
    """Put the service under strain, and print what it still answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=648_000)
    parser.add_argument("--requests", type=int, default=10)
    parser.add_argument("--idle", type=int, default=1_000)
    parser.add_argument("--half-open", type=int, default=600)
    parser.add_argument("--rest", type=float, default=60.0)
    options = parser.parse_args(argv)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    node = nodes.start(name=_NODE, heap="512m")
    try:
        long = " ".join(texts(10_000, 1_000, 40, english=True))[: options.characters]
        other = " ".join(texts(20_000, 1_000, 40, english=True))
        changed = long[: len(long) // 2] + other[: len(long) // 2]
        heavy = [{"id": "long", "text": long}, {"id": "changed", "text": changed}]
        with connect(node.url) as client:
            count = fill(client, [*made_up(1_000), *heavy])
        print(f"on Elasticsearch {node.version}, {count} documents")
        with served(node.url, 1, 0) as (port, process):
            # Ours: the service keeps the limit that it was started with.
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, most), most))
            _strain(port, process, options)
    finally:
        nodes.stop(_NODE)


def _strain(port: int, process: int, options: argparse.Namespace) -> None:
    # What is loaded and compiled with the first questions is no strain.
    for path in (*(f"/v1/related/{number}" for number in range(_WARM_UP)), "/v1/compare/0/1"):
        _asked(port, path)
    before = most = memory(process)
    taken: dict[str, list[float]] = {"/healthz": [], "/v1/related/1?size=1": []}
    rest = {path: max(_asked(port, path) for _ in range(20)) for path in taken}
    with ExitStack() as stack:
        stack.enter_context(_open(port, options.idle, b""))
        head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        stack.enter_context(_open(port, options.half_open, head))
        stack.enter_context(_slow_reader(port))
        strain = [threading.Thread(target=_give_up, args=(port,)) for _ in range(options.requests)]
        strain += [threading.Thread(target=_send_much, args=(port,)) for _ in range(3)]
        for thread in strain:
            thread.start()
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            for path, seconds in taken.items():
                seconds.append(_asked(port, path))
            most = max(most, memory(process))
            time.sleep(0.05)
        for thread in strain:
            thread.join()
        free = _asked(port, "/v1/compare/0/2")
    print(
        f"{options.requests} comparisons given up after {_GIVEN_UP} s, {options.idle} idle and "
        f"{options.half_open} half-open connections, a reader of a byte a second, bodies of 50 MB"
    )
    for path, seconds in taken.items():
        print(
            f"{path}: {len(seconds)} answered, half of them in {1000 * median(seconds):.0f} ms, "
            f"the slowest in {1000 * max(seconds):.0f} ms; before in {1000 * rest[path]:.0f} ms"
        )
    print(f"the next comparison, of short texts: {1000 * free:.0f} ms")
    time.sleep(options.rest)
    after = memory(process)
    print(
        f"memory: {before:.0f} MiB before, at most {most:.0f}, {after:.0f} after "
        f"{options.rest:g} s ({after / before:.2f} times)"
    )


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


def _send_much(port: int) -> None:
    """Send a body that is far too large."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection, suppress(OSError):
        head = f"POST /v1/related HTTP/1.1\r\nHost: localhost\r\nContent-Length: {_BODY}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        for _ in range(_BODY // 100_000):
            connection.sendall(b"x" * 100_000)


@contextmanager
def _slow_reader(port: int) -> Iterator[None]:
    """Read a byte of an answer a second during the block."""
    stop = threading.Event()
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        connection.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)

        def read() -> None:
            with suppress(OSError):
                while not stop.wait(1) and connection.recv(1):
                    pass

        thread = threading.Thread(target=read)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


@contextmanager
def _open(port: int, count: int, sent: bytes) -> Iterator[None]:
    """Keep connections open during the block that sent this and no more."""
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            with suppress(OSError):
                connection.sendall(sent)
        yield


if __name__ == "__main__":
    run(main)
