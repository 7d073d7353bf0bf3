"""Which work may wait for a thread: what would wait too long is refused at once.

Without that, a queue grows until each request in it is answered just before nobody waits for it any
more, or after: the more is asked, the less is answered in time.
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from es_simhash.service.monitoring import IN_FLIGHT, REFUSALS, WAITING, WAITING_SECONDS
from es_simhash.service.responses import ENGINE_RETRY, unavailable

# How much the last work of a kind counts in the estimate of what it costs.
_WEIGHT = 0.1
# Seconds that work is taken to cost before any of its kind was done.
_UNKNOWN = 0.1
# Whose work it is where that does not matter.
NOBODY = ""


@dataclass(eq=False)
class _Task:
    """Work that waits for a thread, or has one.

    Attributes:
        work: The work.
        kind: What its cost is estimated by.
        caller: Whose it is.
        cost: Seconds that it probably takes.
        future: Its result.
        since: When it came, and from then on when it began.
    """

    work: Callable[[], Any]
    kind: str
    caller: str
    cost: float
    future: "asyncio.Future[Any]"
    since: float = field(default=0.0)


class Admission:
    """Threads for work, the callers in turn; used in one event loop.

    Work is refused when it would wait for longer than a bound, and for longer than it takes itself.

    Args:
        name: Of the threads, in logs and metrics.
        threads: How many there are.
        seconds: For how long work may wait.
        most: How much work may wait.
        clock: Seconds.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        seconds: float,
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, f"es-simhash-{name}")
        self._name = name
        self._threads = threads
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._costs: dict[str, float] = {}
        self._running: set[_Task] = set()
        # Of each caller that waits, in the order of their turns.
        self._queues: OrderedDict[str, deque[_Task]] = OrderedDict()
        self._queued = 0
        for gauge in (WAITING, IN_FLIGHT):
            gauge.labels(name)

    def submit(
        self, work: Callable[[], Any], *, kind: str, caller: str = NOBODY
    ) -> "asyncio.Future[Any]":
        """Return the result of work, which begins when it is the caller's turn.

        Args:
            work: The work.
            kind: What it is; work of one kind is taken to cost the same.
            caller: Whose it is: who asks for much waits behind who asks for little.

        Raises:
            Problem: It would wait for too long.
        """
        cost = self._costs.get(kind, _UNKNOWN)
        waiting = self.expected_seconds(caller)
        if waiting > max(self._seconds, cost):
            raise self._refused("wait", waiting)
        if self._is_full and self._queued >= self._most:
            raise self._refused("queue", waiting)
        future = asyncio.get_running_loop().create_future()
        # Read, or asyncio complains of an error that nobody waited for.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        task = _Task(work, kind, caller, cost, future, self._clock())
        if self._is_full:
            self._queues.setdefault(caller, deque()).append(task)
            self._count_queued(1)
            future.add_done_callback(lambda _: self._leave(task))
        else:
            self._begin(task)
        return future

    def expected_seconds(self, caller: str) -> float:
        """Return how long new work of a caller would wait."""
        if not self._is_full:
            return 0.0
        now = self._clock()
        # What takes longer than its kind does probably takes as long again.
        ahead = sum(abs(task.cost - (now - task.since)) for task in self._running)
        turns = len(self._queues.get(caller, ())) + 1
        for queue in self._queues.values():
            ahead += sum(task.cost for task in islice(queue, turns))
        return ahead / self._threads

    def close(self) -> None:
        """End the threads, as soon as what they do is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def _is_full(self) -> bool:
        return len(self._running) >= self._threads

    def _refused(self, reason: str, waiting: float) -> Exception:
        REFUSALS.labels(reason).inc()
        return unavailable(
            "Too many requests wait; try again.", max(ENGINE_RETRY, math.ceil(waiting))
        )

    def _begin(self, task: _Task) -> None:
        now = self._clock()
        WAITING_SECONDS.labels(self._name).observe(now - task.since)
        task.since = now
        self._running.add(task)
        IN_FLIGHT.labels(self._name).inc()
        done = asyncio.get_running_loop().run_in_executor(self._pool, task.work)
        done.add_done_callback(lambda future: self._end(task, future))

    def _end(self, task: _Task, done: "asyncio.Future[Any]") -> None:
        self._running.discard(task)
        IN_FLIGHT.labels(self._name).dec()
        taken = self._clock() - task.since
        before = self._costs.get(task.kind, taken)
        self._costs[task.kind] = before + _WEIGHT * (taken - before)
        _pass_on(done, task.future)
        while self._queues and not self._is_full:
            self._begin(self._next())

    def _next(self) -> _Task:
        """Return the first work of the caller whose turn it is."""
        caller, queue = self._queues.popitem(last=False)
        task = queue.popleft()
        if queue:
            self._queues[caller] = queue
        self._count_queued(-1)
        return task

    def _leave(self, task: _Task) -> None:
        """Take work that nobody waits for any more out of the queue, if it is still there."""
        queue = self._queues.get(task.caller)
        if queue is None or task not in queue:
            return
        queue.remove(task)
        if not queue:
            del self._queues[task.caller]
        self._count_queued(-1)

    def _count_queued(self, change: int) -> None:
        self._queued += change
        WAITING.labels(self._name).inc(change)


def _pass_on(done: "asyncio.Future[Any]", future: "asyncio.Future[Any]") -> None:
    error = None if done.cancelled() else done.exception()
    if future.done():
        return
    if done.cancelled():
        future.cancel()
    elif error is not None:
        future.set_exception(error)
    else:
        future.set_result(done.result())
