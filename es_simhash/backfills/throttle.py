"""No more documents a second than allowed."""

import math
import threading
import time

from es_simhash.engine.retry import Stopped
from es_simhash.errors import InputError


class Throttle:
    """Lets documents through at a rate, over all threads.

    Args:
        rate: Documents a second; None for no bound.

    Raises:
        InputError: The rate is not positive.
    """

    def __init__(self, rate: float | None) -> None:
        if rate is not None and not 0 < rate < math.inf:
            raise InputError(f"{rate} documents a second is no speed; give a number above 0.")
        self._rate = rate
        self._lock = threading.Lock()
        self._free_at = 0.0
        self._stopped = threading.Event()

    def take(self, count: int) -> None:
        """Wait until so many documents may go on.

        Raises:
            Stopped: The run has ended.
        """
        if self._rate is None:
            return
        if self._stopped.wait(self.reserve(count, time.monotonic())):
            raise Stopped

    def reserve(self, count: int, now: float) -> float:
        """Return the seconds to wait for so many documents; later ones wait behind them."""
        assert self._rate is not None
        with self._lock:
            start = max(self._free_at, now)
            self._free_at = start + count / self._rate
        return start - now

    def stop(self) -> None:
        """End all waiting."""
        self._stopped.set()
