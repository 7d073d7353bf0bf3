"""Values that take seconds to compute: one at a time in a thread, and kept for some minutes."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from es_simhash.errors import ClusterError, EsSimhashError
from es_simhash.service.responses import Problem, unavailable

Value = TypeVar("Value")
# Seconds a value is kept, and how many are.
KEPT_SECONDS = 300.0
_KEPT = 32
# Values that are computed or wait for it.
_WAITING = 8


class Background:
    """Computes values by key; safe to use from several threads.

    Args:
        clock: Seconds.
        seconds: How long a value is kept.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, seconds: float = KEPT_SECONDS
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(1, "es-simhash-overview")
        self._lock = threading.Lock()
        self._futures: OrderedDict[str, tuple[float, Future[Any]]] = OrderedDict()

    async def value(self, key: str, make: Callable[[], Value], seconds: float) -> Value | None:
        """Return a value; None while it is not there after some seconds.

        Args:
            key: Everything the value depends on.
            make: Computes it.
            seconds: Longest wait.

        Raises:
            Problem: It cannot be computed, which is not kept; or too many values wait.
        """
        future = self._started(key, make)
        waiting = asyncio.wrap_future(future)
        done, _ = await asyncio.wait([waiting], timeout=seconds)
        if not done:
            # It goes on; the next request finds it.
            waiting.add_done_callback(_read)
            return None
        try:
            return waiting.result()
        except ClusterError as error:
            raise unavailable() from error
        except EsSimhashError as error:
            raise Problem(422, "The documents of this index have no fingerprints yet.") from error

    def close(self) -> None:
        """End the thread, as soon as what it does is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _started(self, key: str, make: Callable[[], Value]) -> "Future[Value]":
        with self._lock:
            known = self._futures.get(key)
            if known is not None and (self._clock() < known[0] or not known[1].done()):
                self._futures.move_to_end(key)
                return known[1]
            pending = sum(not future.done() for _, future in self._futures.values())
            if pending >= _WAITING:
                raise unavailable("Too many requests wait; try again.")
            future = self._pool.submit(make)
            self._futures[key] = (self._clock() + self._seconds, future)
            self._drop_oldest()
        future.add_done_callback(lambda done: self._forget_failure(key, done))
        return future

    def _drop_oldest(self) -> None:
        for key in [key for key, (_, future) in self._futures.items() if future.done()]:
            if len(self._futures) <= _KEPT:
                return
            del self._futures[key]

    def _forget_failure(self, key: str, done: "Future[Any]") -> None:
        if done.cancelled() or done.exception() is not None:
            with self._lock:
                known = self._futures.get(key)
                if known is not None and known[1] is done:
                    del self._futures[key]


def _read(done: "asyncio.Future[Any]") -> None:
    if not done.cancelled():
        done.exception()  # Read, or asyncio complains of one that nobody waited for.
