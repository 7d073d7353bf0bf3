"""One million documents of twenty chunks on one node: latency and bytes of index.

python -m tests.bench.scale [--documents 1000000] [--keep]
"""

import argparse
import random
import warnings
from collections.abc import Sequence

from elasticsearch import Elasticsearch

from es_simhash.questions.index import Index
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.options import SearchOptions
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.timing import percentiles

_INDEX = "bench-scale"
_SENTENCES = 20


def field_bytes(client: Elasticsearch, index: str) -> dict[str, int]:
    """Return the bytes of each of our fields in the index, as the engine itself analyses them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client warns that this API is a technical preview
        answer = client.indices.disk_usage(index=index, run_expensive_tasks=True)
    fields = answer.body[index]["fields"]
    return {
        name: entry["total_in_bytes"]
        for name, entry in fields.items()
        if name.startswith(f"{DEFAULT_FIELD}.")
    }


def _ask(client: Elasticsearch, index: Index, documents: int, queries: int, state: str) -> float:
    """Print the latencies of random documents and give the median."""
    chosen = random.Random(documents)
    ids = [str(chosen.randrange(documents)) for _ in range(queries)]
    quick = SearchOptions(evidence=False, passages=False)
    p50, p90 = min(
        percentiles(lambda id: index.related(id=id, options=quick), ids) for _ in range(3)
    )
    full = percentiles(lambda id: index.related(id=id), ids)[0]
    segments = len(client.cat.segments(index=index.name, format="json").body)
    print(
        f"{documents:>9} documents, {state}, {segments} segments: related by id p50 {p50:.1f} ms, "
        f"p90 {p90:.1f} ms; with texts side by side p50 {full:.1f} ms"
    )
    return p50


def _found(index: Index, documents: int) -> str:
    """Tell how many of a hundred revisions found the text they revise."""
    revised = [str(number) for number in range(9, documents, max(10, documents // 1000 * 10))]
    quick = SearchOptions(evidence=False, passages=False)
    found = sum(
        any(each.id == str(int(id) - 1) for each in index.related(id=id, options=quick))
        for id in revised
    )
    return f"{found} of {len(revised)} revisions found their original"


def _step(
    client: Elasticsearch, index: Index, url: str, start: int, end: int, queries: int
) -> tuple[float, float]:
    """Grow the index; give the medians as the load leaves it and after a force merge."""
    synthetic.grow(client, url, index.name, start, end, _SENTENCES)
    loaded = _ask(client, index, end, queries, "as loaded")
    client.indices.forcemerge(index=index.name, max_num_segments=1)
    return loaded, _ask(client, index, end, queries, "force merged")


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the index in two steps, ask at each, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--keep", action="store_true", help="keep the index afterwards")
    options = parser.parse_args(argv)
    url = find_engine(heap="4g").url
    tenth = options.documents // 10
    with bench_client("4g") as client:
        index = Index(client, _INDEX)
        small = _step(client, index, url, 0, tenth, options.queries)
        large = _step(client, index, url, tenth, options.documents, options.queries)
        for state, few, many in zip(("as loaded", "force merged"), small, large, strict=True):
            print(f"p50 at {options.documents} over p50 at {tenth}, {state}: {many / few:.2f}")
        print(_found(index, options.documents))
        sizes = field_bytes(client, _INDEX)
        for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
            print(f"  {name:24s} {size / options.documents:7.1f} bytes a document")
        total = sum(sizes.values()) / options.documents
        text = next(iter(synthetic.texts(0, 1, _SENTENCES)))
        print(f"index beyond _source: {total:.0f} bytes a document of {len(text)} characters")
        if not options.keep:
            client.indices.delete(index=_INDEX)


if __name__ == "__main__":
    run(main)
