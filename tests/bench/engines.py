"""The engine the benchmarks run on, named in their output."""

from collections.abc import Iterator
from contextlib import contextmanager

import elasticsearch

from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node.engine import find_engine


@contextmanager
def bench_client(heap: str = "2g") -> Iterator[elasticsearch.Elasticsearch]:
    """Return a client of the engine `find_engine` chooses, and print which one that is.

    A local node that this had to start goes on running; `make node-stop` ends it.
    """
    engine = find_engine(heap=heap)
    print(f"on {engine}")
    with connect(engine.url, timeout=600) as client:
        yield client
