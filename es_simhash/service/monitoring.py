"""Logs in JSON and metrics for Prometheus: no texts, credentials, ids or messages of errors."""

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

LOGGER = logging.getLogger("es_simhash.service")
# What the server says of its own start and end is left out: the command prints the address.
_LOGGERS = {LOGGER.name: logging.INFO, "uvicorn.error": logging.WARNING}
_FIELDS = "fields"


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; of an error its type and where it was raised."""
        moment = datetime.fromtimestamp(record.created, timezone.utc)
        line: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, _FIELDS, {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["at"] = [f"{frame.name}:{frame.lineno}" for frame in frames[-8:]]
        return msgspec.json.encode(line).decode()


def log(level: int, event: str, *, error: bool = False, **fields: Any) -> None:
    """Write an event.

    Args:
        level: As of `logging`.
        event: Name of the event, in a few words.
        error: Whether the error that is being handled is logged.
        fields: Further members of the line.
    """
    LOGGER.log(level, event, exc_info=error, extra={_FIELDS: fields})


def stop_logging() -> None:
    """Write none of these records: the terminal shows something else."""
    for name in _LOGGERS:
        logging.getLogger(name).handlers = [logging.NullHandler()]
        logging.getLogger(name).propagate = False


def start_logging() -> None:
    """Send the records of the service and of its server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in _LOGGERS.items():
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


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


@lru_cache(maxsize=1_000)
def request_metrics(route: str, status: int) -> tuple[Counter, Histogram]:
    """Return what counts, and what times, the requests of a route with a status."""
    return REQUESTS.labels(route, str(status)), SECONDS.labels(route)


CACHE = Counter("es_simhash_cache_total", "Answers by whether the cache had them.", ["result"])
ENGINE_FAILURES = Counter(
    "es_simhash_engine_failures_total", "Requests that the search engine did not answer."
)
# Parts of the service that wait for threads: `question` and `comparison`.
WAITING = Gauge(
    "es_simhash_waiting", "Requests that wait for a thread.", ["part"], multiprocess_mode="livesum"
)
IN_FLIGHT = Gauge(
    "es_simhash_in_flight", "Requests that have a thread.", ["part"], multiprocess_mode="livesum"
)
WAITING_SECONDS = Histogram(
    "es_simhash_waiting_seconds",
    "Seconds that requests waited for a thread.",
    ["part"],
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
)
CONNECTIONS = Gauge(
    "es_simhash_connections", "Connections that are open.", multiprocess_mode="livesum"
)
REFUSALS = Counter(
    "es_simhash_refusals_total", "Requests and connections that were refused.", ["reason"]
)


def exposition() -> bytes:
    """Return the metrics of all workers in the text format of Prometheus."""
    if FOLDER_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(_WorkerDeaths())
    return generate_latest(registry)


_DEATHS = "worker-deaths"


def note_start(pid: int | None) -> None:
    """Log that a worker has not started yet."""
    log(logging.INFO, "waiting for worker", pid=pid)


def note_death(pid: int | None, exit_code: int | None) -> None:
    """Log and count a worker that ended by itself, and forget its gauges.

    Its parent has no metrics of its own: it counts in a file of the folder, a byte for each.
    """
    log(logging.ERROR, "worker died", pid=pid, exit_code=exit_code)
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
    with (Path(os.environ[FOLDER_VARIABLE]) / _DEATHS).open("ab") as file:
        file.write(b".")


class _WorkerDeaths(Collector):
    def collect(self) -> Iterator[Metric]:
        """Yield how many workers died."""
        file = Path(os.environ[FOLDER_VARIABLE]) / _DEATHS
        count = file.stat().st_size if file.exists() else 0
        name, help = "es_simhash_worker_deaths", "Workers that ended by themselves."
        yield CounterMetricFamily(name, help, value=count)
