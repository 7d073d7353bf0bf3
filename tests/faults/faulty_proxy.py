"""A proxy before the engine that does to requests what networks, nodes and operators do."""

import http.client
import json
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.faults.missing_shards import IN_SEARCHES, is_search, without_shard
from tests.support.engine_tests import tested_product

# Seconds after which the commands give up on a request, in place of 60.
TIMEOUT = 4.0
# What a command survives: it sends the request again.
PASSING = (
    "delay",  # the answer comes late
    "cut before",  # the connection ends before the request arrives
    "cut after",  # it ends after the request was done, before the answer
    "torn answer",  # it ends in the middle of the answer
    "half-open",  # the request is done, and no answer ever comes
    "status 429",
    "status 502",
    "status 503",
    "done, then 503",  # a proxy in between gives up on a request that is done
)
# The same of bulk requests alone; those of searches are in `missing_shards`.
IN_BULKS = (
    "half of the bulk done",  # the node dies in the middle of a bulk request
    "items rejected",  # it rejects half of the actions of one for now
)
# What ends a command, before its request arrives, after it is done, in the middle of a bulk.
ENDINGS = {
    "kill before": signal.SIGKILL,
    "kill after": signal.SIGKILL,
    "kill in the bulk": signal.SIGKILL,
    "terminate": signal.SIGTERM,
    "Ctrl-C": signal.SIGINT,
}
# What an operator or a full disk does to an index, for a moment.
BLOCKS = {"flood stage": "read_only_allow_delete", "read-only": "write"}
# What is done to the clock of the machine that a command runs on; in seconds.
JUMPS = {"clock forward": 7_200.0, "clock back": -7_200.0}
# What happens to an alias with a write index.
ROLLOVER = "rollover"
# What happens to a cluster of several nodes.
NODE_KILLED, MASTER_KILLED = "node killed", "master killed"
_REJECTED = {
    "status": 429,
    "error": {"type": "es_rejected_execution_exception", "reason": "rejected execution"},
}
_HEADERS = {"content-type", "x-elastic-product", "content-encoding"}
_NOT_PASSED_ON = {"host", "content-length", "accept-encoding"}
# How often half-open connections and late answers are chosen, which cost seconds.
_SLOW = {"half-open": 0.05, "delay": 0.4}
_BLOCKED_SECONDS = 0.3
# How often each fault of searches is chosen for one, other faults being chosen once.
_SEARCH_WEIGHT = 3
# Status, headers and body.
_Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Plan:
    """What is to happen to the requests of one command.

    Attributes:
        chosen: Decides; made from the seed.
        share: Of the requests that meet a passing fault.
        most: How many faults there are at the most.
        at: What happens at a request of that number.
    """

    chosen: random.Random
    share: float = 0.0
    most: int = 0
    at: Mapping[int, str] = field(default_factory=dict)


class FaultyProxy(ThreadingHTTPServer):
    """Passes requests on, but for the faults of its plan, which it counts."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target)
        self.injected: Counter[str] = Counter()
        # Ends the command that sends the requests.
        self.strike: Callable[[int], None] = lambda number: None
        # Blocks writes to the index, and lifts the block.
        self.block: Callable[[str, bool], None] = lambda name, on: None
        # Lets an alias write to another index.
        self.roll: Callable[[], None] = lambda: None
        # Sets the clock of the command.
        self.jump: Callable[[float], None] = lambda seconds: None
        # Kills a node of the cluster, and starts it again.
        self.kill_node: Callable[[str], None] = lambda fault: None
        self.recover: Callable[[], None] = lambda: None
        self.requests = 0
        self._plan = Plan(random.Random(0))
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def send_to(self, target: str) -> None:
        """Send the requests of new connections to another node."""
        self.target = urlsplit(target)

    def begin(self, plan: Plan) -> None:
        """Follow another plan, from its first request on."""
        with self._lock:
            self._plan, self.requests = plan, 0

    def count(self, fault: str) -> None:
        """Count a fault that happened."""
        with self._lock:
            self.injected[fault] += 1

    def next_fault(self, possible: Sequence[str] = PASSING) -> str | None:
        """Return what happens to the next request; None for nothing.

        Args:
            possible: What it survives.
        """
        with self._lock:
            number, plan = self.requests, self._plan
            self.requests += 1
            if number in plan.at:
                return plan.at[number]
            if plan.most <= 0 or plan.chosen.random() >= plan.share:
                return None
            kind = plan.chosen.choice(possible)
            if plan.chosen.random() >= _SLOW.get(kind, 1.0):
                kind = "cut after"
            plan.most -= 1
            return kind

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultyProxy

    def setup(self) -> None:
        super().setup()
        self._upstream = http.client.HTTPConnection(
            self.server.target.hostname or "", self.server.target.port, timeout=60
        )

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self._upstream.close()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        actions = bulk_actions(body) if "_bulk" in self.path else []
        fault = self.server.next_fault(self._possible(is_bulk=bool(actions)))
        if fault is None:
            self._respond(*self._passed_on(body))
            return
        self.server.count(fault)
        if fault in (NODE_KILLED, MASTER_KILLED):
            self.server.kill_node(fault)
            self._respond(*self._passed_on(body))
        elif fault == ROLLOVER:
            self.server.roll()
            self._respond(*self._passed_on(body))
        elif fault in JUMPS:
            self.server.jump(JUMPS[fault])
            self._respond(*self._passed_on(body))
        elif fault in BLOCKS:
            self._blocked(fault, body)
        elif fault in ENDINGS:
            self._ended(fault, body, actions)
        else:
            self._faulty(fault, body, actions)

    def _possible(self, *, is_bulk: bool) -> Sequence[str]:
        """Return what may happen to the request, but for what a plan names."""
        if is_bulk:
            return (*PASSING, *IN_BULKS)
        if is_search(self.command, self.path):
            return (*PASSING, *IN_SEARCHES * _SEARCH_WEIGHT)
        return PASSING

    def _blocked(self, fault: str, body: bytes) -> None:
        self.server.block(BLOCKS[fault], True)
        timer = threading.Timer(_BLOCKED_SECONDS, self.server.block, (BLOCKS[fault], False))
        timer.start()
        self._respond(*self._passed_on(body))

    def _ended(self, fault: str, body: bytes, actions: list[bytes]) -> None:
        if fault == "kill after":
            self._passed_on(body)
        elif fault == "kill in the bulk" and actions:
            self._passed_on(b"".join(actions[: (len(actions) + 1) // 2]))
        self.server.strike(ENDINGS[fault])
        if fault in ("terminate", "Ctrl-C"):
            # It may go on with this request while it ends.
            self._respond(*self._passed_on(body))
        else:
            self.close_connection = True

    def _faulty(self, fault: str, body: bytes, actions: list[bytes]) -> None:
        if fault.startswith("status "):
            self._respond_error(int(fault.removeprefix("status ")))
            return
        if fault == "cut before":
            self.close_connection = True
            return
        half = (len(actions) + 1) // 2
        if fault == "half of the bulk done":
            self._passed_on(b"".join(actions[:half]))
            self.close_connection = True
            return
        if fault == "items rejected":
            self._respond(*self._half_rejected(actions, half))
            return
        answer = self._passed_on(body)
        if fault in IN_SEARCHES:
            self._respond(*self._without_shard(fault, body, answer))
        elif fault == "delay":
            time.sleep(self.server.requests % 5 * 0.03)
            self._respond(*answer)
        elif fault == "done, then 503":
            self._respond_error(503)
        elif fault == "torn answer":
            self._respond(*answer, sent=len(answer[2]) // 2)
        else:
            if fault == "half-open":
                time.sleep(TIMEOUT + 0.5)
            self.close_connection = True

    def _half_rejected(self, actions: list[bytes], half: int) -> _Answer:
        """Do the first actions and answer that the others are rejected for now."""
        if half == len(actions):
            status, headers, content = 200, {}, b'{"errors":true,"items":[]}'
        else:
            status, headers, content = self._passed_on(b"".join(actions[:half]))
        if status != http.HTTPStatus.OK:
            return status, headers, content
        answer = json.loads(content)
        for action in actions[half if half < len(actions) else 0 :]:
            (name,) = json.loads(action.split(b"\n", 1)[0])
            answer["items"].append({name: _REJECTED})
        answer["errors"] = True
        return status, headers, json.dumps(answer).encode()

    def _without_shard(self, fault: str, body: bytes, answer: _Answer) -> _Answer:
        """Return the answer to a search for which a shard is missing."""
        status, headers, content = answer
        if status == http.HTTPStatus.OK:
            status, content = without_shard(fault, self.path, body, content)
        return status, headers, content

    def _passed_on(self, body: bytes) -> _Answer:
        # The length is that of what is sent; an answer that is put together here is not compressed.
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in _NOT_PASSED_ON
        }
        self._upstream.request(self.command, self.path, body, headers)
        response = self._upstream.getresponse()
        kept = {name: value for name, value in response.getheaders() if name.lower() in _HEADERS}
        return response.status, kept, response.read()

    def _respond_error(self, status: int) -> None:
        body = {"error": {"type": "injected", "reason": "a fault of the tests"}, "status": status}
        self._respond(status, {"content-type": "application/json"}, json.dumps(body).encode())

    def _respond(
        self, status: int, headers: Mapping[str, str], content: bytes, sent: int | None = None
    ) -> None:
        """Send an answer, or only the beginning of it."""
        named = {name.lower(): value for name, value in headers.items()}
        named.setdefault("content-type", "application/json")
        if tested_product() == "elasticsearch":
            named.setdefault("x-elastic-product", "Elasticsearch")
        self.send_response(status)
        for name, value in named.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content if sent is None else content[:sent])
        if sent is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer


def bulk_actions(body: bytes) -> list[bytes]:
    """Return the lines of each action of a bulk request."""
    actions: list[bytes] = []
    lines = iter(body.splitlines(keepends=True))
    for line in lines:
        follows = b"" if next(iter(json.loads(line))) == "delete" else next(lines, b"")
        actions.append(line + follows)
    return actions


@contextmanager
def faulty_proxy(target: str) -> Iterator[FaultyProxy]:
    """Run a proxy during the block."""
    with FaultyProxy(target) as server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
