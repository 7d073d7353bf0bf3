"""How fast semantic profiles are computed, and how fast versions and neighbours are found together.

python -m tests.bench.semantics_speed [--documents 100000]
"""

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence

# Before numpy is loaded: figures are for one processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from es_simhash.errors import InputError
from es_simhash.questions.index import Index
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.options import SearchOptions
from es_simhash.store.semantic_codec import semantic_json
from es_simhash.text.segmentation import text_batches
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.timing import percentiles
from tests.support import datasets

_INDEX = "bench-semantics"
_SENTENCES = 20
_ROUNDS = 3


def report_reading() -> None:
    """Print how many news texts are read in a second of one processor."""
    try:
        texts = [each["text"] for each in datasets.documents("bbc_news")]
    except InputError as error:
        print(f"reading is not measured: {error}")
        return
    reader = semantic_profiler(DEFAULT_SEMANTICS)
    batches = list(text_batches(texts))
    profiles = [reader.profile(each) for each in batches]
    steps: dict[str, Callable[[], object]] = {
        "entities, words, language": lambda: [reader.extractor.extract(each) for each in batches],
        "with concepts and vectors": lambda: [reader.profile(each) for each in batches],
        "written as JSON": lambda: [
            semantic_json(each, DEFAULT_SEMANTICS.name) for each in profiles
        ],
    }
    print(f"bbc_news, {len(texts)} texts, seconds of one processor:")
    for name, step in steps.items():
        costs = []
        for _ in range(3):
            started = time.process_time()
            step()
            costs.append(time.process_time() - started)
        print(f"  {name:26s} {len(texts) / min(costs):8.0f} documents/s")


def report_asking(documents: int, queries: int) -> None:
    """Print the latency of one answer with versions and neighbours."""
    with bench_client() as client:
        synthetic.grow(
            client, find_engine().url, _INDEX, 0, documents, _SENTENCES, DEFAULT_SEMANTICS
        )
        index = Index(client, _INDEX)
        chosen = random.Random(7)
        ids = [str(chosen.randrange(documents)) for _ in range(queries)]
        segments = len(client.cat.segments(index=_INDEX, format="json").body)
        print(f"{documents} documents of 2.6 KB in {segments} segments, {queries} asked about")
        askings = {
            "versions and neighbours": SearchOptions(evidence=False, passages=False),
            "with passages": SearchOptions(evidence=False),
            "with evidence": SearchOptions(),
            "versions alone": SearchOptions(
                evidence=False, kinds=("exact", "version", "contains", "excerpt_of")
            ),
        }
        # In turns, as an engine that was started lately becomes faster all the time.
        rounds = [
            [_asked(index, ids, options) for options in askings.values()] for _ in range(_ROUNDS)
        ]
        for name, measured in zip(askings, zip(*rounds, strict=True), strict=True):
            p50, p90 = min(measured)
            print(f"  {name:26s} p50 {p50:6.1f} ms  p90 {p90:6.1f} ms")
        client.indices.delete(index=_INDEX)


def _asked(index: Index, ids: Sequence[str], options: SearchOptions) -> tuple[float, float]:
    return percentiles(lambda id: index.related(id=id, options=options), ids)


def main(argv: Sequence[str] | None = None) -> None:
    """Run both parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args(argv)
    report_reading()
    report_asking(options.documents, options.queries)


if __name__ == "__main__":
    run(main)
