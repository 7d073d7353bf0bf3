"""Timing of single calls and of whole passes."""

import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any


def percentiles(call: Callable[[Any], object], arguments: Iterable[Any]) -> tuple[float, float]:
    """Return the median and the 90th percentile of a call, in milliseconds.

    The first fifth of the calls warms up and is not counted.
    """
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append((time.perf_counter() - start) * 1000)
    counted = sorted(times[len(times) // 5 :])
    return statistics.median(counted), counted[int(len(counted) * 0.9)]


def rate(work: Callable[[], int]) -> float:
    """Return how many things a second `work` does, which returns how many it did."""
    start = time.perf_counter()
    done = work()
    return done / (time.perf_counter() - start)
