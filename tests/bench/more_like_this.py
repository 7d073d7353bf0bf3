"""Versions beside `more_like_this` with 25 terms: same documents, same run, one index.

python -m tests.bench.more_like_this [--documents 200000]
"""

import argparse
import random
from collections.abc import Sequence

from es_simhash.questions.index import Index
from es_simhash.store.options import SearchOptions
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.references import more_like_this
from tests.bench.timing import percentiles

_INDEX = "bench-mlt"
# 16 sentences of 17 words are 2 KB.
_SENTENCES = 16


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the index, ask in turns, print medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args(argv)
    with bench_client() as client:
        synthetic.grow(client, find_engine().url, _INDEX, 0, options.documents, _SENTENCES)
        index = Index(client, _INDEX)
        chosen = random.Random(7)
        ids = [str(chosen.randrange(options.documents)) for _ in range(options.queries)]
        quick = SearchOptions(evidence=False, passages=False)
        ours, full, theirs = [], [], []
        for _ in range(3):
            ours.append(percentiles(lambda id: index.related(id=id, options=quick), ids))
            theirs.append(percentiles(lambda id: more_like_this(client, _INDEX, id), ids))
            full.append(percentiles(lambda id: index.related(id=id), ids))
        print(f"{options.documents} documents of 2 KB, {options.queries} of them asked about")
        print(
            f"more_like_this, 25 terms      p50 {min(theirs)[0]:6.1f} ms  p90 {min(theirs)[1]:6.1f}"
        )
        print(f"related versions              p50 {min(ours)[0]:6.1f} ms  p90 {min(ours)[1]:6.1f}")
        print(f"related, texts side by side   p50 {min(full)[0]:6.1f} ms  p90 {min(full)[1]:6.1f}")
        print(f"ratio of the medians          {min(ours)[0] / min(theirs)[0]:.2f}")
        client.indices.delete(index=_INDEX)


if __name__ == "__main__":
    run(main)
