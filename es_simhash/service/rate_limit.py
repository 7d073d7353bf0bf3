"""How many requests one caller may send."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from es_simhash.service.problems import Problem

# Callers that are remembered; the one that was seen longest ago is forgotten first.
_MAX_CALLERS = 100_000


class RateLimit:
    """A bucket of tokens for each caller; safe to use from several threads.

    Args:
        per_minute: Requests in a minute, and as many at once; 0 for any number.
        clock: Seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._burst = float(per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Count a request.

        Raises:
            Problem: 429, when there were too many.
        """
        if not self._rate:
            return
        with self._lock:
            now = self._clock()
            left, seen = self._buckets.pop(caller, (self._burst, now))
            left = min(self._burst, left + (now - seen) * self._rate)
            self._buckets[caller] = (left - 1 if left >= 1 else left, now)
            if len(self._buckets) > _MAX_CALLERS:
                self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self._rate)
            raise Problem(
                429, "Too many requests; wait before the next one.", {"Retry-After": str(wait)}
            )
