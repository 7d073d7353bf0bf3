"""Counts of runs as a file of Prometheus: `--metrics` of `ingest`, `backfill` and `sweep`.

A run ends before a scrape would find it, so the counts go to a file that the textfile collector of
the node exporter reads. Each run adds to those that the file has.
"""

import json
import logging
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from es_simhash.cli.files import refused_file
from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.whole_files import replace_file

_PREFIX = "es_simhash_run"
# Name, whether runs add to it, and what it is.
_METRICS = {
    f"{_PREFIX}s_total": "Runs, by whether they came to their end.",
    f"{_PREFIX}_documents_total": "Documents processed, by outcome.",
    f"{_PREFIX}_versions_total": "Versions found, by action.",
    f"{_PREFIX}_events_total": "Retries, waits, conflicts and what else delayed runs.",
    f"{_PREFIX}_wait_seconds_total": "Time that runs waited, by the event that they waited for.",
    f"{_PREFIX}_seconds": "Duration of the last run.",
    f"{_PREFIX}_time_seconds": "When the last run ended, in seconds since 1970.",
    f"{_PREFIX}_success_time_seconds": "When the last run came to its end, in seconds since 1970.",
}
_LABEL = r'\w+="(?:[^"\\]|\\.)*"'
_SAMPLE = re.compile(rf"({_PREFIX}\w+)\{{({_LABEL}(?:,{_LABEL})*)\}} (\S+)")
_LOGGER = logging.getLogger("es_simhash")

Samples = dict[tuple[str, str], float]


@dataclass
class RunCounts:
    """What a run did.

    Attributes:
        documents: Documents by status.
        versions: Versions by what was done with them.
    """

    documents: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)


class RunMetrics:
    """The file, and the labels of the runs of one command over one index.

    Args:
        path: The file; None for none.
        command: Name of the command.
        index: The index.

    Raises:
        InputError: The file cannot be read, or has something else than these counts.
    """

    def __init__(self, path: Path | None, command: str, index: str) -> None:
        self._path = path
        self._labels = {"command": command, "index": index}
        self._read()

    @contextmanager
    def run(self, counts: Callable[[], RunCounts]) -> Iterator[None]:
        """Add a run to the file in the end, also where an error ends it.

        Args:
            counts: Returns what the run did so far.

        Raises:
            InputError: The file cannot be written.
        """
        if self._path is None:
            yield
            return
        started, result = time.monotonic(), "failed"
        with _counted_events() as events:
            try:
                yield
                result = "ok"
            finally:
                self._write(self._samples(counts(), events, result, time.monotonic() - started))

    def _samples(
        self, counts: RunCounts, events: "_Events", result: str, seconds: float
    ) -> Samples:
        """Return what a run adds to the file, or takes the place of there."""
        now = round(time.time(), 3)
        samples = {self._key("s_total", result=result): 1.0}
        for name, by_value, values in (
            ("_documents_total", "status", counts.documents),
            ("_versions_total", "action", counts.versions),
            ("_events_total", "event", events.counts),
            ("_wait_seconds_total", "event", events.seconds),
        ):
            samples |= {
                self._key(name, **{by_value: value}): number for value, number in values.items()
            }
        samples[self._key("_seconds")] = round(seconds, 3)
        samples[self._key("_time_seconds")] = now
        if result == "ok":
            samples[self._key("_success_time_seconds")] = now
        return samples

    def _key(self, name: str, **labels: str) -> tuple[str, str]:
        pairs = {**self._labels, **labels}.items()
        # Prometheus escapes what JSON does of a label that can be one.
        return f"{_PREFIX}{name}", ",".join(
            f"{label}={json.dumps(value, ensure_ascii=False)}" for label, value in pairs
        )

    def _read(self) -> Samples:
        """Return the samples of the file; none where it is not there yet."""
        if self._path is None or not self._path.exists():
            return {}
        try:
            lines = self._path.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise self._foreign("it cannot be read") from error
        samples = {}
        for number, line in enumerate(lines, 1):
            if not line or line.startswith("#"):
                continue
            sample = _SAMPLE.fullmatch(line)
            try:
                assert sample is not None
                samples[sample[1], sample[2]] = float(sample[3])
            except (AssertionError, ValueError) as error:
                raise self._foreign(f"line {number} is none of its counts") from error
        return samples

    def _foreign(self, reason: str) -> InputError:
        return InputError(
            f"{self._path} is no file of metrics of runs: {reason}. Name another file.",
            parameter="metrics",
        )

    def _write(self, added: Samples) -> None:
        """Put the file in the place of the last one, so that a reader finds it whole."""
        assert self._path is not None
        samples = self._read()
        for key, value in added.items():
            is_sum = key[0].endswith("_total")
            samples[key] = value + (samples.get(key, 0.0) if is_sum else 0.0)
        try:
            replace_file(self._path, _exposition(samples))
        except OSError as error:
            raise refused_file(self._path, error, "metrics") from error


def _exposition(samples: Samples) -> str:
    """Return samples in Prometheus' text format, those of a metric together."""
    lines = []
    for name, help in _METRICS.items():
        of_metric = sorted((key[1], value) for key, value in samples.items() if key[0] == name)
        if of_metric:
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{{{labels}}} {value:.15g}" for labels, value in of_metric]
    return "".join(f"{line}\n" for line in lines)


class _Events(logging.Handler):
    """Counts the records that are events of a run, whether or not they are printed."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.counts: dict[str, float] = defaultdict(float)
        self.seconds: dict[str, float] = defaultdict(float)

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        event = getattr(record, "event", None)
        if event is None:
            return
        self.counts[event] += 1
        if seconds := getattr(record, "seconds", None):
            self.seconds[event] += seconds


@contextmanager
def _counted_events() -> Iterator[_Events]:
    events, level = _Events(), _LOGGER.level
    _LOGGER.addHandler(events)
    # Who logs more than that goes on to do so.
    _LOGGER.setLevel(min(level or logging.INFO, logging.INFO))
    try:
        yield events
    finally:
        _LOGGER.removeHandler(events)
        _LOGGER.setLevel(level)
