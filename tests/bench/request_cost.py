"""What our requests cost a node: its memory, its circuit breakers and the threads of its searches.

    python -m tests.bench.request_cost [--documents 20000] [--heap 512m] [--url URL]

On a node of its own with little heap, or at an address: while each command runs, the node is asked
every few milliseconds. Prints, for each, the most that the breaker of requests counted (collectors
and aggregations of searches), the bytes of requests that were under way, the heap in use, the
searches that ran and that waited for a thread, the writes that waited; and how many requests were
rejected and breakers tripped, of which there may be none: the exit status is 1 then.
"""

import argparse
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from es_simhash import Index
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import Selection
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.store.elasticsearch.connection import connect
from tests.bench.engines import own_node
from tests.bench.program import run
from tests.bench.served_index import fill, made_up
from tests.soak.probes import refused_by

INDEX = "bench-request-cost"
_NODE = "request-cost"
_MIB = 1 << 20
_EVERY = 0.005
# Characters of the longest text that is asked about, and questions at once by that many threads.
_LONG, _THREADS = 100_000, 8
# Documents that are ingested.
_WRITTEN = 2_000
_COLUMNS = (
    ("request breaker, MiB", 1 / _MIB),
    ("in flight, MiB", 1 / _MIB),
    ("heap, %", 1),
    ("searches", 1),
    ("searches waiting", 1),
    ("writes waiting", 1),
    ("rejected", 1),
    ("tripped", 1),
)
_REFUSED = ("rejected", "tripped")


def now(client: Any) -> Counter[str]:
    """Return what a node has under way, and what it has refused since it started."""
    nodes = client.nodes.stats(metric="breaker,thread_pool,jvm")["nodes"].values()
    seen = Counter(refused_by(nodes))
    for node in nodes:
        breakers, pools = node["breakers"], node["thread_pool"]
        # OpenSearch has another name for it.
        under_way = breakers.get("inflight_requests") or breakers["in_flight_requests"]
        seen["request breaker, MiB"] += breakers["request"]["estimated_size_in_bytes"]
        seen["in flight, MiB"] += under_way["estimated_size_in_bytes"]
        seen["heap, %"] = max(seen["heap, %"], node["jvm"]["mem"]["heap_used_percent"])
        seen["searches"] += pools["search"]["active"]
        seen["searches waiting"] += pools["search"]["queue"]
        seen["writes waiting"] += pools["write"]["queue"]
    return seen


@contextmanager
def watched(url: str) -> Iterator[Counter[str]]:
    """Ask a node again and again during the block; yields the most of each figure, afterwards."""
    most: Counter[str] = Counter()
    ended = threading.Event()
    with connect(url) as client:
        before = now(client)
        thread = threading.Thread(target=_ask, args=(client, most, ended))
        thread.start()
        try:
            yield most
        finally:
            ended.set()
            thread.join()
        most |= now(client)
    for name in _REFUSED:
        most[name] -= before[name]


def _ask(client: Any, most: Counter[str], ended: threading.Event) -> None:
    while not ended.wait(_EVERY):
        most |= now(client)


def commands(client: Any, documents: Sequence[Mapping[str, Any]]) -> dict[str, Callable[[], Any]]:
    """Return what is measured, by its name."""
    index = Index(client, INDEX)
    texts = [str(document["text"]) for document in documents]
    long = " ".join(texts)[:_LONG]
    new, revised = (
        [{"id": f"{kind}{number}", "text": f"{text} {kind}."} for number, text in enumerate(some)]
        for kind, some in (("new", texts[:_WRITTEN]), ("revised", texts[_WRITTEN : 2 * _WRITTEN]))
    )

    def at_once() -> None:
        with ThreadPoolExecutor(_THREADS) as threads:
            list(threads.map(lambda text: index.related(text=text), texts[: 20 * _THREADS]))

    return {
        "related, 2 KB": lambda: [index.related(text=text) for text in texts[:20]],
        "related, 100 KB": lambda: [index.related(text=long) for _ in range(5)],
        f"related, {_THREADS} at once": at_once,
        "ingest": lambda: list(ingest(client, INDEX, new)),
        "ingest --on-version flag": lambda: list(
            ingest(client, INDEX, revised, on_version=OnVersion("flag"))
        ),
        "backfill": lambda: list(backfill(client, INDEX, selection=Selection(check=True))),
        "families run": lambda: find_families(
            client, INDEX, options=FamilyOptions(everything=True)
        ),
        "copies": lambda: find_copies(client, INDEX),
        "sweep": lambda: sweep(client, INDEX),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each command and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--heap", default="512m", help="of the node that is started")
    parser.add_argument("--url", help="of a node; by default one is started")
    options = parser.parse_args(argv)
    documents = list(made_up(options.documents))
    with own_node(_NODE, options.url, options.heap) as url, connect(url) as client:
        fill(client, documents, INDEX)
        print(f"{options.documents} documents; the most while each runs")
        print("  ".join(["", *(name for name, _ in _COLUMNS)]))
        refused = 0.0
        for name, command in commands(client, documents).items():
            with watched(url) as most:
                command()
            figures = (f"{most[column] * unit:{len(column)}.1f}" for column, unit in _COLUMNS)
            print(f"{name:26}  {'  '.join(figures)}", flush=True)
            refused += sum(most[column] for column in _REFUSED)
            client.indices.refresh(index=INDEX)
    return 1 if refused else 0


if __name__ == "__main__":
    run(main)
