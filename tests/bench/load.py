"""Requests over loopback, at a steady rate or as fast as they are answered, and how these went.

One event loop with plain sockets: the sender shares its cores with what it measures.
"""

import asyncio
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

# Seconds after which a request counts as not answered.
_TIMEOUT = 30.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass
class Outcome:
    """How requests were answered.

    Attributes:
        seconds: From the first request to the last answer.
        times: Seconds of each answer of 200, from when its request was due.
        refusals: Seconds of each answer of 503.
        statuses: How many of each status; 0 for none.
    """

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Answers of 200 a second."""
        return len(self.times) / self.seconds

    @property
    def p95(self) -> float:
        """The 95th percentile of the times."""
        return percentile(self.times)

    @property
    def refused_p95(self) -> float:
        """The 95th percentile of the times of refusals."""
        return percentile(self.refusals)

    def __str__(self) -> str:
        if not self.times:
            return f"nothing answered, {dict(self.statuses)}"
        other = {status: count for status, count in self.statuses.items() if status != 200}
        refused = ""
        if self.refusals:
            refused = (
                f", refused after {1000 * statistics.median(self.refusals):.0f} ms "
                f"(p95 {1000 * self.refused_p95:.0f})"
            )
        return (
            f"{self.rate:.1f}/s answered, median {1000 * statistics.median(self.times):.0f} ms, "
            f"p95 {1000 * self.p95:.0f} ms; others {other or 'none'}{refused}"
        )


def percentile(values: Sequence[float], share: float = 0.95) -> float:
    """Return a percentile; 0 of none."""
    return sorted(values)[int(len(values) * share)] if values else 0.0


@dataclass(frozen=True)
class Requests:
    """Requests for paths that are chosen at random.

    Attributes:
        port: Of the service.
        paths: The paths.
        seconds: How long they are sent.
        headers: Further headers, each with its line end.
        seed: Of the choice.
    """

    port: int
    paths: Sequence[str]
    seconds: float
    headers: str = "Accept-Encoding: gzip\r\n"
    seed: int = 1

    def at_rate(self, rate: float) -> Outcome:
        """Send so many a second, whether or not those before were answered."""
        return asyncio.run(self._at_rate(rate))

    def at_once(self, connections: int) -> Outcome:
        """Send over so many connections, each the next one when it was answered."""
        return asyncio.run(self._at_once(connections))

    async def _at_rate(self, rate: float) -> Outcome:
        chosen, outcome = random.Random(self.seed), Outcome()
        idle: list[_Connection] = []
        begin = time.perf_counter()
        tasks = set()
        for number in range(int(rate * self.seconds)):
            due = begin + number / rate
            if (ahead := due - time.perf_counter()) > 0:
                await asyncio.sleep(ahead)
            elif number % 16 == 0:
                await asyncio.sleep(0)
            sending = self._send(idle, chosen.choice(self.paths), due, outcome)
            task = asyncio.create_task(sending)
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        if tasks:
            await asyncio.wait(tasks)
        outcome.seconds = max(time.perf_counter() - begin, self.seconds)
        for connection in idle:
            connection.close()
        return outcome

    async def _send(
        self, idle: list["_Connection"], path: str, due: float, outcome: Outcome
    ) -> None:
        connection = idle.pop() if idle else _Connection(self.port)
        status = await connection.ask(path, self.headers)
        taken = time.perf_counter() - due
        outcome.statuses[status] += 1
        if status == 200:
            outcome.times.append(taken)
        elif status == 503:
            outcome.refusals.append(taken)
        if connection.is_open:
            idle.append(connection)

    async def _at_once(self, connections: int) -> Outcome:
        outcome, begin = Outcome(), time.perf_counter()

        async def send(number: int) -> None:
            chosen, idle = random.Random(f"{self.seed} {number}"), [_Connection(self.port)]
            while time.perf_counter() < begin + self.seconds:
                path = chosen.choice(self.paths)
                await self._send(idle, path, time.perf_counter(), outcome)
            for connection in idle:
                connection.close()

        await asyncio.gather(*map(send, range(connections)))
        outcome.seconds = time.perf_counter() - begin
        return outcome


class _Connection:
    """A connection that is kept, opened with its first request.

    Args:
        port: Of the service.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._writer: asyncio.StreamWriter | None = None

    @property
    def is_open(self) -> bool:
        """Whether another request can be sent."""
        return self._writer is not None

    async def ask(self, path: str, headers: str) -> int:
        """Return the status of the answer to a request; 0 for none."""
        try:
            return await asyncio.wait_for(self._ask(path, headers), _TIMEOUT)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            self.close()
            return 0

    async def _ask(self, path: str, headers: str) -> int:
        if self._writer is None:
            opened = await asyncio.open_connection("127.0.0.1", self._port)
            self._reader, self._writer = opened
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if length is not None:
            await self._reader.readexactly(int(length[1]))
        if b"\r\nconnection: close" in head.lower():
            self.close()
        return int(head[9:12])

    def close(self) -> None:
        """Close it."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
