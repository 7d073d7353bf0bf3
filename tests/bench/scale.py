"""A million stories or more on one node: what questions take as the index grows, and its bytes.

    python -m tests.bench.scale [--documents 1000000] [--versions-only] [--shards 1] [--keep]

Made-up stories that follow real ones (tests/bench/made_up_archive.py), in one index, and a tenth of
them in another. Both are asked in turns, as they were loaded and force merged, and beside
`more_like_this`. Then what `es-simhash plan` predicts of each from 20,000 of its stories is printed
beside what it has. Filling ten million takes hours: with `--keep` a run that was ended goes on.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from elasticsearch import Elasticsearch

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.lab.tuning.tuning_figures import TuneOptions
from es_simhash.lab.tuning.tuning_sample import neighbours_of, sample_of
from es_simhash.maintenance.plans.cost_model import EVERYTHING, VERSIONS, PlanOptions
from es_simhash.maintenance.plans.measured_sample import plan_index, question_times
from es_simhash.questions.index import Index
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import no_progress
from scripts.local_node.engine import find_engine
from tests.bench.engines import bench_client
from tests.bench.made_up_archive import archive_texts, news_archive
from tests.bench.program import run
from tests.bench.references import more_like_this
from tests.bench.synthetic import grow_from, grown_until

_LARGE, _SMALL = "bench-scale", "bench-scale-tenth"
_ROUNDS = 3
_PLANTED = 500
_REFERENCE = "more_like_this"
# Seconds that a merge of ten million documents may take.
_LONGEST = 4 * 3600
# Stories from which an index is planned, those of a request, and those that are asked about.
_PLANNED_FROM, _READ, _ASKED_ABOUT = 20_000, 1_000, 200
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
    """Fill both indices, ask them in turns, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--versions-only", action="store_true", help="no semantic features")
    parser.add_argument("--keep", action="store_true", help="go on with indices of a run before")
    options = parser.parse_args(argv)
    print(news_archive())
    url = find_engine(heap="4g").url
    sizes = {_SMALL: options.documents // 10, _LARGE: options.documents}
    with bench_client("4g") as client:
        for name, size in sizes.items():
            _fill(client, url, name, size, options)
        patient = client.options(request_timeout=_LONGEST)
        asked = _Asked(client, sizes, options.queries, is_semantic=not options.versions_only)
        if any(asked.segments(name) > options.shards for name in sizes):
            asked.in_turns("as loaded")
            for name in sizes:
                with _timed(f"{name} is force merged"):
                    patient.indices.forcemerge(index=name, max_num_segments=1)
        asked.in_turns("force merged")
        for name, size in sizes.items():
            print(f"{name}: {_found(Index(client, name), size)}", flush=True)
        _print_bytes(client, options.documents)
        choice = VERSIONS if options.versions_only else EVERYTHING
        for name, size in sizes.items():
            _print_plan(client, name, size, choice)
        if not options.keep:
            client.indices.delete(index=",".join(sizes))


def _fill(
    client: Elasticsearch, url: str, name: str, size: int, options: argparse.Namespace
) -> None:
    """Write the documents of an index that it does not have yet."""
    start = grown_until(client, name, size) if options.keep else 0
    with _timed(f"{max(0, size - start):,} documents of {name} are written"):
        if start < size:
            grow_from(
                client,
                url,
                name,
                start,
                size,
                source=archive_texts,
                semantics=None if options.versions_only else DEFAULT_SEMANTICS,
                shards=options.shards,
            )
    count = client.count(index=name)["count"]
    if count != size:
        raise InputError(f"Index {name!r} has {count:,} documents, not {size:,}. Leave out --keep.")


def _askings(*, is_semantic: bool) -> dict[str, SearchOptions | None]:
    """Return the options of each kind of question; None for the query of the engine."""
    askings: dict[str, SearchOptions | None] = {
        "versions": _QUICK,
        "versions, with passages": SearchOptions(evidence=False),
    }
    if is_semantic:
        askings = {
            "versions": _QUICK,
            "and neighbours": SearchOptions(evidence=False, passages=False),
            "and passages": SearchOptions(evidence=False),
            "and evidence": SearchOptions(),
        }
    return {**askings, _REFERENCE: None}


@dataclass(frozen=True)
class _Asked:
    """Asks several indices the same kinds of questions, in turns.

    Attributes:
        client: Of the engine.
        sizes: Documents of each index.
        queries: Questions of each kind.
        is_semantic: Whether the documents have semantic features.
    """

    client: Elasticsearch
    sizes: Mapping[str, int]
    queries: int
    is_semantic: bool

    def segments(self, name: str) -> int:
        """Return of how many segments an index is."""
        return len(self.client.cat.segments(index=name, format="json").body)

    def in_turns(self, state: str) -> None:
        """Print what each question takes, of each the best round, and how it grows."""
        best: dict[str, Times] = {name: {} for name in self.sizes}
        for _ in range(_ROUNDS):
            for kind, options in _askings(is_semantic=self.is_semantic).items():
                for name in self.sizes:
                    times = self._milliseconds(name, options)
                    known = best[name].get(kind, times)
                    best[name][kind] = min(times, known, key=statistics.median)
        for name, kinds in best.items():
            print(f"{self.sizes[name]:,} documents, {state}, {self.segments(name)} segments:")
            _print_times(kinds)
        small, large = (best[name] for name in (_SMALL, _LARGE))
        growth = ", ".join(
            f"{kind} {statistics.median(times) / statistics.median(small[kind]):.2f}"
            for kind, times in large.items()
        )
        print(f"p50 of {_LARGE} over {_SMALL}, {state}: {growth}", flush=True)

    def _milliseconds(self, name: str, options: SearchOptions | None) -> list[float]:
        chosen, index = random.Random(self.sizes[name]), Index(self.client, name)
        ids = [str(chosen.randrange(self.sizes[name])) for _ in range(self.queries)]
        if options is None:
            return _milliseconds(lambda id: more_like_this(self.client, name, id), ids)
        return _milliseconds(lambda id: index.related(id=id, options=options), ids)


def _print_times(kinds: Times) -> None:
    reference = statistics.median(kinds[_REFERENCE])
    for kind, times in kinds.items():
        p50, p95, p99 = (times[int(len(times) * share)] for share in (0.5, 0.95, 0.99))
        print(
            f"  {kind:24} p50 {p50:6.1f} ms ({p50 / reference:.2f} of {_REFERENCE}), "
            f"p95 {p95:6.1f} ms, p99 {p99:6.1f} ms",
            flush=True,
        )


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
    sizes = field_bytes(client, _LARGE)
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"  {name:24s} {size / documents:7.1f} bytes a document")
    text = sum(map(len, archive_texts(0, 500))) / 500
    total = sum(sizes.values()) / documents
    print(f"index beyond _source: {total:.0f} bytes a document of {text:.0f} characters")


def _print_plan(client: Elasticsearch, name: str, size: int, choice: str) -> None:
    """Print what is predicted of an index from a sample of it, beside what it has."""
    chosen = random.Random(size).sample(range(size), min(size, _PLANNED_FROM))
    ids = [str(number) for number in chosen]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sample.jsonl")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_lines(client, name, ids))
        plan = plan_index(client, PlanOptions(size, str(path), available_processors()))
    costs = plan.costs[choice]
    store = ElasticsearchStore(Gateway.of(client), name)
    sample = sample_of(store, store.config, TuneOptions(sample=_ASKED_ABOUT))
    candidates = neighbours_of(store, sample, no_progress).candidates
    stats = client.indices.stats(index=name, metric="store")["_all"]["primaries"]["store"]
    question = question_times(Index(client, name), ids[:_ASKED_ABOUT])[choice]
    print(f"{name}, planned from {len(ids):,} stories:")
    for figure, predicted, measured in (
        ("disk, GB", costs.disk / 1e9, stats["size_in_bytes"] / 1e9),
        ("candidates", plan.candidates, statistics.mean(candidates)),
        ("question, ms", costs.question_ms, question),
    ):
        ratio = predicted / measured
        print(f"  {figure:14}predicted {predicted:8.1f}, measured {measured:8.1f}: {ratio:.2f}")


def _lines(client: Elasticsearch, name: str, ids: Sequence[str]) -> Iterator[str]:
    """Yield stories of an index as `plan` reads them."""
    for start in range(0, len(ids), _READ):
        found = client.mget(index=name, ids=ids[start : start + _READ], source_includes=["text"])
        for each in found["docs"]:
            yield json.dumps({"_id": each["_id"], "text": each["_source"]["text"]}) + "\n"


@contextmanager
def _timed(what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    print(f"{what} in {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    run(main)
