"""How many requests a second the service answers over loopback, and how fast.

    python -m tests.bench.service [--documents 100000] [--seconds 60] [--rate 200]
        [--uncached-rate 25] [--workers 2] [--keep]

Documents of 2 KB of English words, one of five a version of another, with semantic features as
`install` gives them.
`GET /v1/related/ID` is sent at a steady rate by as many connections as it needs: first with a
cache, warm, for 500 documents; then without a cache, for all. A request that could not be sent in
time counts from when it was due. Prints requests a second, median and 95th percentile, errors,
and the memory of the service before and after.
"""

import argparse
import contextlib
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.ingest import ingest
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import address
from es_simhash.store.installation.install import install
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run

INDEX = "bench-service"
# The bodies, as in the figures of before.
_TEXT = IndexConfig(text_field="text")
_SENTENCES = 17
_VERSION_OF = 5
_WARM = 500
_CONNECTIONS = 32
# Seconds of the same load before it is measured.
_WARM_UP = 15.0


def documents(count: int) -> Iterator[dict[str, Any]]:
    """Yield documents; each fifth is the one before it with a sentence less."""
    before = ""
    for number, text in enumerate(synthetic.texts(0, count, _SENTENCES, english=True)):
        if number % _VERSION_OF == 1:
            text = before.partition(". ")[2]
        before = text
        yield {"id": str(number), "title": f"Document {number}", "text": text}


@contextlib.contextmanager
def served(url: str, workers: int, cache_seconds: int) -> Iterator[tuple[int, int]]:
    """Serve the index during the block; yields its port and process."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        file = Path(folder) / "service.toml"
        file.write_text(
            'fields = ["title"]\n[limits]\nrequests_per_minute = 0\n'
            f"[cache]\nseconds = {cache_seconds}\n"
        )
        line = [sys.executable, "-m", "es_simhash", "serve", INDEX, "--config", str(file)]
        line += ["--port", str(port), "--workers", str(workers)]
        environment = {**os.environ, "ELASTICSEARCH_URL": url}
        with subprocess.Popen(line, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                while not _answers(port) and process.poll() is None:
                    time.sleep(0.1)
                yield port, process.pid
            finally:
                process.terminate()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@dataclass
class Load:
    """Sends requests at a steady rate.

    Attributes:
        port: Of the service.
        ids: Of the documents, chosen at random.
        rate: Requests a second.
        seconds: How long.
    """

    port: int
    ids: Sequence[str]
    rate: float
    seconds: float

    def __post_init__(self) -> None:
        self.times: list[float] = []
        self.errors = 0
        self._sent = 0
        self._lock = threading.Lock()

    def run(self) -> float:
        """Send them and return the requests a second that were answered."""
        self._begin = time.perf_counter()
        threads = [threading.Thread(target=self._send, args=(n,)) for n in range(_CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(self.times) / (time.perf_counter() - self._begin)

    def _send(self, number: int) -> None:
        chosen = random.Random(number)
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        while True:
            with self._lock:
                due = self._begin + self._sent / self.rate
                self._sent += 1
            if due > self._begin + self.seconds:
                break
            time.sleep(max(0.0, due - time.perf_counter()))
            is_good = _is_answered(connection, f"/v1/related/{chosen.choice(self.ids)}")
            with self._lock:
                self.times.append(time.perf_counter() - due)
                self.errors += not is_good
        connection.close()


def _is_answered(connection: HTTPConnection, path: str) -> bool:
    """Send a request, and check the status of its answer.

    As pools of clients do, it opens a connection again that was closed while it was idle.
    """
    was_open = connection.sock is not None
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):
        connection.close()
        return was_open and _is_answered(connection, path)
    except (OSError, HTTPException):
        connection.close()
        return False
    return answer.status == 200


def _megabytes(pid: int) -> float:
    """Return the resident memory of a process and those it started (on Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    return own + sum(map(_megabytes, map(int, children)))


def fill(client: Elasticsearch, count: int) -> None:
    """Write the documents to a new index."""
    client.indices.delete(index=INDEX, ignore_unavailable=True)
    install(client, INDEX)
    failed = sum(not each.ok for each in ingest(client, INDEX, documents(count), config=_TEXT))
    client.indices.refresh(index=INDEX)
    if failed:
        raise EsSimhashError(f"{failed} of {count} documents were not written.")


def fill_cache(port: int, ids: Sequence[str]) -> None:
    """Request each document once."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    for id in ids:
        connection.request("GET", f"/v1/related/{id}")
        connection.getresponse().read()
    connection.close()


def measure(name: str, load: Load, pid: int) -> None:
    """Print how a load was answered."""
    before = _megabytes(pid)
    rate = load.run()
    times = sorted(load.times)
    median, high = statistics.median(times), times[int(len(times) * 0.95)]
    print(
        f"{name}: {rate:.0f} requests/s (of {load.rate:g}), median {1000 * median:.1f} ms, "
        f"p95 {1000 * high:.1f} ms, {load.errors} errors of {len(load.times)}; "
        f"memory {before:.0f} -> {_megabytes(pid):.0f} MiB",
        flush=True,
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Write the documents, serve them, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--uncached-rate", type=float, default=25.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="Use the index of a run before.")
    options = parser.parse_args(argv)
    with bench_client() as client:
        url = address(client)
        if not (options.keep and client.indices.exists(index=INDEX)):
            fill(client, options.documents)
        print(f"{client.count(index=INDEX)['count']} documents", flush=True)
        ids = [str(number) for number in range(options.documents)]
        with served(url, options.workers, 3_600) as (port, pid):
            warm = ids[:_WARM]
            for _ in range(options.workers):
                # Each process has a cache of its own, and a connection stays with one.
                fill_cache(port, warm)
            Load(port, warm, options.rate, _WARM_UP).run()
            measure("warm cache", Load(port, warm, options.rate, options.seconds), pid)
        with served(url, options.workers, 0) as (port, pid):
            Load(port, ids, options.uncached_rate, _WARM_UP).run()
            measure("no cache", Load(port, ids, options.uncached_rate, options.seconds), pid)
        if not options.keep:
            client.indices.delete(index=INDEX)


if __name__ == "__main__":
    run(main)
