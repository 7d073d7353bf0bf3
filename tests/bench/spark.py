"""Families on Spark on this machine, beside an exact scan and beside one process.

    python -m tests.bench.spark [--sets bbc_news,pep_versions]
    python -m tests.bench.spark --documents 100000 [--memory 3g] [--no-local]

The first compares collections: which pairs of texts Spark links that comparing each text with each
other links, and which others. The second measures synthetic documents: seconds, bytes that are
shuffled and that are spilled, and whether families and representatives are those of one process.
Seconds of the processor are those of Spark and its workers together, without Spark's start.
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from es_simhash.pairs.document_families import families_in_memory
from es_simhash.pairs.text_links import links_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.thresholds import VERSION_SCORE
from tests.bench.program import run
from tests.bench.synthetic import texts
from tests.support import datasets
from tests.support.processes import children
from tests.support.spark_session import spark_session

# Sentences of a synthetic document, and documents that are made at once.
_SENTENCES, _SLICE = 12, 1000
_METRICS = {
    "shuffled": ("Shuffle Write Metrics", "Shuffle Bytes Written"),
    "spilled": ("Disk Bytes Spilled",),
}


@dataclass(frozen=True)
class Run:
    """What Spark found, and what that cost."""

    links: int
    families: list[list[str]]
    hot: int
    seconds: float
    processor: float
    costs: Mapping[str, int]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="bbc_news,pep_versions", help="collections, by commas")
    parser.add_argument("--documents", type=int, help="synthetic documents instead")
    parser.add_argument("--memory", default="3g", help="memory of Spark")
    parser.add_argument("--partitions", type=int, default=8, help="partitions of a shuffle")
    parser.add_argument("--no-local", action="store_true", help="do not compare with one process")
    options = parser.parse_args()
    settings = {
        "spark.driver.memory": options.memory,
        # Of pages of 64 MB, the default collector leaves a small heap in pieces.
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        "spark.sql.shuffle.partitions": str(options.partitions),
    }
    if options.documents:
        _synthetic(options.documents, settings, is_compared=not options.no_local)
        return 0
    collections = [datasets.version_set(name) for name in options.sets.split(",")]
    return max(_collection(each.name, each.texts, settings) for each in collections)


def _collection(name: str, collection: Mapping[str, str], settings: Mapping[str, str]) -> int:
    """Compare the pairs of a collection with an exact scan; return 1 when any differs."""
    start = time.process_time()
    analysed = TextAnalyser().stored_parts(collection.values())
    by_hash = {text.content_hash: text for text in analysed if text is not None}
    exact = links_of(combinations(sorted(by_hash), 2), by_hash, VERSION_SCORE)
    scan = time.process_time() - start
    start = time.process_time()
    wanted = families_in_memory(collection)
    local = time.process_time() - start
    rows = list(collection.items())
    links: dict[tuple[str, str], float] = {}

    def read(session: Any) -> Any:
        return session.createDataFrame(rows, "id string, text string").repartition(4)

    def keep(found: Any) -> None:
        links.update({(row.one, row.other): row.score for row in found.links.collect()})

    result = _run(read, settings, keep)
    print(
        f"{name}: {len(collection):,} documents, {len(exact):,} pairs by an exact scan "
        f"({scan:.0f} s of a processor); Spark found {len(links.keys() & exact.keys()):,} of them, "
        f"{len(links.keys() - exact.keys())} others, "
        f"{sum(links.get(pair) != score for pair, score in exact.items())} with another score"
    )
    _print(result, len(collection))
    is_equal = result.families == wanted
    print(f"  families as of one process ({local:.1f} s of a processor): {is_equal}")
    return int(not is_equal or links != exact)


def _synthetic(count: int, settings: Mapping[str, str], *, is_compared: bool) -> None:
    """Measure synthetic documents, which the workers make."""

    def read(session: Any) -> Any:
        slices = session.range(0, count, _SLICE, max(4, count // 20_000))
        return slices.mapInArrow(_made, "id string, text string")

    result = _run(read, settings)
    print(f"{count:,} synthetic documents, {result.links:,} pairs, {result.hot:,} hot shingles")
    _print(result, count)
    if is_compared:
        made: dict[str, str] = {}
        for start in range(0, count, _SLICE):
            made |= _documents(start)
        begin = time.process_time()
        wanted = families_in_memory(made)
        local = time.process_time() - begin
        is_equal = result.families == wanted
        print(f"  families as of one process ({local:.0f} s of a processor): {is_equal}")


def _documents(start: int) -> dict[str, str]:
    made = texts(start, _SLICE, _SENTENCES)
    return {f"{start + number:09}": text for number, text in enumerate(made)}


def _made(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow

    for batch in batches:
        for start in batch.column(0).to_pylist():
            made = _documents(start)
            yield pyarrow.RecordBatch.from_pydict({"id": list(made), "text": list(made.values())})


def _run(
    read: Callable[[Any], Any],
    settings: Mapping[str, str],
    keep: Callable[[Any], None] = lambda found: None,
) -> Run:
    """Return the families of what is read, and their costs."""
    from es_simhash.spark.frames import families

    with tempfile.TemporaryDirectory() as log:
        logged = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": Path(log).as_uri(),
        }
        with spark_session("local[2,4]", {**settings, **logged}) as session:
            pid = session.sparkContext._gateway.proc.pid
            before, start = _processor(pid), time.perf_counter()
            found = families(read(session))
            members: dict[str, list[tuple[bool, str]]] = defaultdict(list)
            for row in found.documents.toLocalIterator():
                members[row.family].append((not row.representative, row.id))
            seconds, processor = time.perf_counter() - start, _processor(pid) - before
            links, hot = found.links.count(), found.hot.count()
            keep(found)
        families_ = sorted([id for _, id in sorted(family)] for family in members.values())
        return Run(links, families_, hot, seconds, processor, _costs(Path(log)))


def _processor(pid: int) -> float:
    """Return the seconds of the processor that a process and all that it started have taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / 100
    return own + sum(_processor(child) for child in children(pid))


def _costs(log: Path) -> dict[str, int]:
    """Return what tasks shuffled and spilled, by the events that Spark logs."""
    costs = dict.fromkeys(_METRICS, 0)
    for file in log.rglob("*"):
        lines = file.read_text("utf-8").splitlines() if file.is_file() else []
        for line in lines:
            if '"SparkListenerTaskEnd"' not in line:
                continue
            metrics = json.loads(line).get("Task Metrics") or {}
            for name, path in _METRICS.items():
                value: Any = metrics
                for key in path:
                    value = value.get(key, {})
                costs[name] += value or 0
    return costs


def _print(result: Run, documents: int) -> None:
    shuffled, spilled = result.costs["shuffled"], result.costs["spilled"]
    print(
        f"  {result.seconds:.0f} s, {result.processor:.0f} s of a processor "
        f"({1000 * result.processor / documents:.2f} ms a document), "
        f"{shuffled / 1e6:.0f} MB shuffled ({shuffled / documents / 1000:.1f} KB a document), "
        f"{spilled / 1e6:.0f} MB spilled"
    )


if __name__ == "__main__":
    run(main)
