"""Timing of single calls and of whole passes."""

import os
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import elasticsearch


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


def rate(work: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how many things a second `work` does, which returns how many it did.

    Args:
        work: What is measured.
        clock: `time.process_time` for work of one process on a machine that others use as well.
    """
    start = clock()
    done = work()
    return done / (clock() - start)


def own_seconds() -> float:
    """Return the processor time of this process and of those it has ended."""
    return sum(os.times()[:4])


def engine_seconds(client: elasticsearch.Elasticsearch) -> float:
    """Return the processor time of all nodes."""
    nodes = client.nodes.stats(metric="process")["nodes"].values()
    return float(sum(node["process"]["cpu"]["total_in_millis"] for node in nodes)) / 1000
