"""The engine the benchmarks run on, named in their output."""

from collections.abc import Iterator
from contextlib import contextmanager

import elasticsearch

from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
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


@contextmanager
def own_node(name: str, url: str | None, heap: str) -> Iterator[str]:
    """Start a node for the block where none is given; yields its address.

    Args:
        name: Its name; what it holds is removed in the end.
        url: Of the node to use instead; None to start one.
        heap: Heap size of its JVM.
    """
    if url is not None:
        yield url
        return
    node = nodes.start(name=name, heap=heap, in_memory=True)
    try:
        yield node.url
    finally:
        if node.started:
            nodes.remove(name)
