"""What Prometheus reads: requests, their time, answers from the cache, failures of the engine."""

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

METRICS_TYPE = CONTENT_TYPE_LATEST
# Variable that prometheus_client reads: a folder in which several workers count together.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

REQUESTS = Counter(
    "es_simhash_requests_total", "Requests by route and status.", ["route", "status"]
)
SECONDS = Histogram(
    "es_simhash_request_seconds",
    "Seconds until a request was answered.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
CACHE = Counter("es_simhash_cache_total", "Answers by whether the cache had them.", ["result"])
ENGINE_FAILURES = Counter(
    "es_simhash_engine_failures_total", "Requests that the search engine did not answer."
)


def exposition() -> bytes:
    """Return the metrics of all workers in the text format of Prometheus."""
    if FOLDER_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
