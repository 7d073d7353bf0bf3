"""One million documents of twenty chunks on one node: latency and bytes of index.

python -m es_simhash.evaluation.bench_scale [--documents 1000000] [--keep]
"""

import argparse
import random
from collections.abc import Sequence

import elasticsearch

from es_simhash.document import DEFAULT_FIELD
from es_simhash.engine import find_engine
from es_simhash.evaluation import synthetic
from es_simhash.evaluation.engines import bench_client
from es_simhash.evaluation.timing import percentiles
from es_simhash.index import Asking, Index

_INDEX = "bench-scale"
_SENTENCES = 20


def field_bytes(client: elasticsearch.Elasticsearch, index: str) -> dict[str, int]:
    """Give the bytes of each of our fields in the index, as the engine itself analyses them."""
    answer = client.indices.disk_usage(index=index, run_expensive_tasks=True)
    fields = answer.body[index]["fields"]
    return {
        name: entry["total_in_bytes"]
        for name, entry in fields.items()
        if name.startswith(f"{DEFAULT_FIELD}.")
    }


def _ask(index: Index, documents: int, queries: int) -> tuple[float, float, float]:
    chosen = random.Random(documents)
    ids = [str(chosen.randrange(documents)) for _ in range(queries)]
    quick = Asking(evidence=False)
    p50, p90 = min(
        percentiles(lambda id: index.related(id=id, asking=quick), ids) for _ in range(3)
    )
    full = percentiles(lambda id: index.related(id=id), ids)[0]
    revised = [str(number) for number in range(9, documents, max(10, documents // 1000 * 10))]
    found = sum(
        any(each.id == str(int(id) - 1) for each in index.related(id=id, asking=quick))
        for id in revised
    )
    print(
        f"{documents:>9} documents: related by id p50 {p50:.1f} ms, p90 {p90:.1f} ms, with texts "
        f"side by side p50 {full:.1f} ms; {found} of {len(revised)} revisions found their original"
    )
    return p50, p90, full


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
        synthetic.grow(client, url, _INDEX, 0, tenth, _SENTENCES)
        small = _ask(index, tenth, options.queries)
        synthetic.grow(client, url, _INDEX, tenth, options.documents, _SENTENCES)
        large = _ask(index, options.documents, options.queries)
        print(f"p50 at {options.documents} over p50 at {tenth}: {large[0] / small[0]:.2f}")
        sizes = field_bytes(client, _INDEX)
        for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
            print(f"  {name:24s} {size / options.documents:7.1f} bytes a document")
        total = sum(sizes.values()) / options.documents
        text = next(iter(synthetic.texts(0, 1, _SENTENCES)))
        print(f"index beyond _source: {total:.0f} bytes a document of {len(text)} characters")
        if not options.keep:
            client.indices.delete(index=_INDEX)


if __name__ == "__main__":
    main()
