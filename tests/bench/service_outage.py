"""What the service answers while Elasticsearch is killed and started again.

    python -m tests.bench.service_outage [--seconds 60] [--rate 25]

A node of its own is killed (SIGKILL) after a sixth of the time and started again after a third,
under a steady rate of `GET /v1/related/ID` without a cache. Prints how many requests were answered
with which status, and the seconds from when the index could be searched again to the first good
answer.
"""

import argparse
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException

from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.served_index import INDEX, fill, made_up, served

_NODE = "bench-outage"
_DOCUMENTS = 1_000
_CONNECTIONS = 16
_GOOD = 200


class Answers:
    """Sends requests at a steady rate, and keeps when each was answered and with which status."""

    def __init__(self, port: int, rate: float, seconds: float) -> None:
        self.found: list[tuple[float, int]] = []
        self._port, self._rate, self._seconds = port, rate, seconds
        self._begin = time.monotonic()
        self._threads = [
            threading.Thread(target=self._send, args=(number,)) for number in range(_CONNECTIONS)
        ]

    def start(self) -> None:
        """Start sending."""
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Wait until all was sent and answered."""
        for thread in self._threads:
            thread.join()

    def _send(self, number: int) -> None:
        step = _CONNECTIONS / self._rate
        due = self._begin + number / self._rate
        while due < self._begin + self._seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            try:
                connection.request("GET", f"/v1/related/{int(due * 1000) % _DOCUMENTS}")
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, HTTPException):
                status = 0
            finally:
                connection.close()
            self.found.append((time.monotonic(), status))
            due += step


def main(argv: Sequence[str] | None = None) -> None:
    """Kill the node, start it again, and print what was answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=25.0)
    options = parser.parse_args(argv)
    node = nodes.start(name=_NODE, heap="512m")
    try:
        with connect(node.url) as client:
            count = fill(client, made_up(_DOCUMENTS))
        print(f"on Elasticsearch {node.version}, {count} documents")
        with served(node.url, 1, 0) as (port, _):
            answers = Answers(port, options.rate, options.seconds)
            answers.start()
            time.sleep(options.seconds / 6)
            os.kill(node.pid, signal.SIGKILL)
            killed = time.monotonic()
            time.sleep(options.seconds / 6)
            back = _started_again(node)
            answers.wait()
        _report(answers.found, killed, back)
    finally:
        nodes.stop(_NODE)


def _started_again(node: nodes.Node) -> float:
    """Start the node where it was; return when the index could be searched."""
    port = int(node.url.rpartition(":")[2])
    with connect(nodes.start(name=node.name, port=port, heap="512m").url) as client:
        client.cluster.health(index=INDEX, wait_for_status="yellow", timeout="60s")
    return time.monotonic()


def _report(found: Sequence[tuple[float, int]], killed: float, back: float) -> None:
    counts = Counter(status for _, status in found)
    before = Counter(status for at, status in found if at < killed)
    print(f"answers by status: {dict(counts)}; before the kill: {dict(before)}")
    print(f"away for {back - killed:.1f} s")
    good = [at - back for at, status in found if status == _GOOD and at > killed]
    later = [gap for gap in good if gap > 0]
    first = min(later, default=float("nan"))
    print(f"first good answer {first:.2f} s after the index could be searched again")
    late = sum(status != _GOOD for at, status in found if at > back + first)
    print(f"after that {len(later)} good answers, {late} others")


if __name__ == "__main__":
    run(main)
