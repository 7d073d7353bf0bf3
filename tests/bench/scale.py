"""A million stories or more on one node: what questions take as the index grows, and its bytes.

    python -m tests.bench.scale [--documents 1000000] [--versions-only] [--shards 1] [--keep]

Made-up stories that follow real ones (tests/bench/made_up_archive.py). A tenth of them is asked
about first, then all, each as they were loaded and force merged; in turns with `more_like_this`.
"""

import argparse
import random
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from elasticsearch import Elasticsearch

from es_simhash.questions.index import Index
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.options import SearchOptions
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.made_up_archive import archive_texts, news_archive
from tests.bench.program import run
from tests.bench.references import more_like_this

_INDEX = "bench-scale"
_ROUNDS = 3
_PLANTED = 500
_QUICK = SearchOptions(evidence=False, passages=False, kinds=VERSION_KINDS)

# Milliseconds of each question of the best round, in order, by what was asked.
Times = dict[str, list[float]]


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


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the index in two steps, ask at each, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--versions-only", action="store_true", help="no semantic features")
    parser.add_argument("--keep", action="store_true", help="use the index of a run before, if any")
    options = parser.parse_args(argv)
    askings = _askings(is_semantic=not options.versions_only)
    print(news_archive())
    url = find_engine(heap="4g").url
    with bench_client("4g") as client:
        index = Index(client, _INDEX)

        def ask(documents: int, state: str) -> Times:
            chosen = random.Random(documents)
            ids = [str(chosen.randrange(documents)) for _ in range(options.queries)]
            segments = len(client.cat.segments(index=_INDEX, format="json").body)
            print(f"{documents:,} documents, {state}, {segments} segments:")
            return _asked(client, index, ids, askings)

        def step(start: int, end: int) -> tuple[Times, Times]:
            semantics = None if options.versions_only else DEFAULT_SEMANTICS
            with _timed(f"{end - start:,} documents are written"):
                synthetic.grow_from(
                    client,
                    url,
                    _INDEX,
                    start,
                    end,
                    source=archive_texts,
                    semantics=semantics,
                    shards=options.shards,
                )
            loaded = ask(end, "as loaded")
            with _timed("force merged"):
                client.indices.forcemerge(index=_INDEX, max_num_segments=1)
            return loaded, ask(end, "force merged")

        if options.keep and client.indices.exists(index=_INDEX):
            options.documents = client.count(index=_INDEX)["count"]
            ask(options.documents, "as they are")
        else:
            tenth = options.documents // 10
            small, large = step(0, tenth), step(tenth, options.documents)
            for state, few, many in zip(("as loaded", "force merged"), small, large, strict=True):
                growth = {
                    name: statistics.median(times) / statistics.median(few[name])
                    for name, times in many.items()
                }
                print(f"p50 at {options.documents:,} over p50 at {tenth:,}, {state}: ", end="")
                print(", ".join(f"{name} {ratio:.2f}" for name, ratio in growth.items()))
        print(_found(index, options.documents))
        _print_bytes(client, options.documents)
        if not options.keep:
            client.indices.delete(index=_INDEX)


def _askings(*, is_semantic: bool) -> dict[str, SearchOptions]:
    """Return the options of each kind of question."""
    askings = {"versions": _QUICK, "versions, with passages": SearchOptions(evidence=False)}
    if is_semantic:
        askings = {
            "versions": _QUICK,
            "and neighbours": SearchOptions(evidence=False, passages=False),
            "and passages": SearchOptions(evidence=False),
            "and evidence": SearchOptions(),
        }
    return askings


def _asked(
    client: Elasticsearch, index: Index, ids: Sequence[str], askings: dict[str, SearchOptions]
) -> Times:
    """Print and return what each question takes: asked in turns, of each the best round."""

    def asking(options: SearchOptions) -> Callable[[str], object]:
        return lambda id: index.related(id=id, options=options)

    calls = {name: asking(options) for name, options in askings.items()}
    calls["more_like_this"] = lambda id: more_like_this(client, index.name, id)
    rounds: list[Times] = [
        {name: _milliseconds(call, ids) for name, call in calls.items()} for _ in range(_ROUNDS)
    ]
    best = {name: min((each[name] for each in rounds), key=statistics.median) for name in calls}
    reference = statistics.median(best["more_like_this"])
    for name, times in best.items():
        p50, p95, p99 = (times[int(len(times) * share)] for share in (0.5, 0.95, 0.99))
        print(
            f"  {name:24} p50 {p50:6.1f} ms ({p50 / reference:.2f} of more_like_this), "
            f"p95 {p95:6.1f} ms, p99 {p99:6.1f} ms",
            flush=True,
        )
    return best


def _milliseconds(call: Callable[[str], object], ids: Sequence[str]) -> list[float]:
    """Return what each call takes, sorted; the first fifth warms up and is not counted."""
    times = []
    for id in ids:
        started = time.perf_counter()
        call(id)
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times[len(times) // 5 :])


def _found(index: Index, documents: int) -> str:
    """Tell how many of the revisions find the story they revise."""
    every = news_archive().revision_every
    step = max(1, documents // every // _PLANTED) * every
    revised = range(every - 1, documents, step)
    found = sum(
        any(each.id == str(number - 1) for each in index.related(id=str(number), options=_QUICK))
        for number in revised
    )
    return f"{found} of {len(revised)} revisions found their original"


def _print_bytes(client: Elasticsearch, documents: int) -> None:
    sizes = field_bytes(client, _INDEX)
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"  {name:24s} {size / documents:7.1f} bytes a document")
    text = sum(map(len, archive_texts(0, 500))) / 500
    total = sum(sizes.values()) / documents
    print(f"index beyond _source: {total:.0f} bytes a document of {text:.0f} characters")


@contextmanager
def _timed(what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    print(f"{what} in {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    run(main)
