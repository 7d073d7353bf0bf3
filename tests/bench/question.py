"""What one question costs, in the client and in the node, beside `more_like_this`.

    python -m tests.bench.question [--documents 20000] [--questions 200] [--rounds 3] [--record]

Real news, of which documents made of halves of two others fill the index up. The programs take
turns; each question is about another text. Prints requests, and processor time of the client and of
the node a question (Linux); then what the steps of the client take, and each search alone in the
node. The least of the rounds counts, as others may use the machine. `--record` writes the tables to
docs/plan.md.
"""

import argparse
import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import elasticsearch

from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.questions import question_texts, ranked_hits, related
from es_simhash.questions.index import Index
from es_simhash.relation import analysed_text, evidence
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch import index_calls
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.requests import Requests, headers_of
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions
from scripts.local_node import node as nodes
from tests.bench.figures import Figures, record_tables
from tests.bench.program import run
from tests.bench.references import more_like_this
from tests.support import datasets

_NODE, _INDEX = "bench-question", "bench-question"
_PAGE = Path(__file__).parents[2] / "docs" / "plan.md"
_SETS = ("wire_news", "bbc_news", "ecbplus", "lee50")
_TICK = 1000 / os.sysconf("SC_CLK_TCK")
_OPTIONS = {
    "versions": SearchOptions(
        kinds=("exact", "version", "contains", "excerpt_of"), evidence=False, passages=False
    ),
    "and neighbours": SearchOptions(evidence=False, passages=False),
    "and passages": SearchOptions(evidence=False),
    "and evidence": SearchOptions(),
}
# Steps of the client, each the function of a module that does it; what a step calls of another one
# counts there.
_STEPS: tuple[tuple[str, Any, str], ...] = (
    ("sending requests, and their JSON", Requests, "send"),
    ("fingerprints of the text", analysed_text.TextAnalyser, "analyse"),
    ("words of its passages", index_calls, "passage_queries"),
    ("semantic profiles", question_texts, "read_profiles"),
    ("scoring and ranking", related.RelatedSteps, "_ranked"),
    ("tokens of candidates, and screening", ranked_hits, "passages_within_budget"),
    ("aligning", evidence, "aligned_passages"),
    ("passages side by side", evidence, "shared_passages"),
    ("passages nearest in meaning", evidence, "nearest_passages"),
    ("shared concepts", evidence, "semantic_evidence"),
)
_BODIES, _READ = "bodies of the searches", "reading their hits"
_OTHER = "all else"

Call = tuple[str, str, Any, Any]


def node_milliseconds(process: int) -> float:
    """Return the milliseconds of a processor that a node has used; Linux only."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return _TICK * (int(stat[11]) + int(stat[12]))


@dataclass
class Cost:
    """What one question costs, on average.

    Attributes:
        requests: Requests that were sent.
        client: Milliseconds of a processor in this process.
        node: The same in the node.
        wall: Milliseconds until the answer.
    """

    requests: float
    client: float
    node: float
    wall: float

    @property
    def processor(self) -> float:
        """Milliseconds of a processor in both."""
        return self.client + self.node


@dataclass
class Meter:
    """Measures questions, and the steps they take.

    Attributes:
        node: Process of the node.
        calls: The calls that were sent, as long as they are kept.
        steps: Nanoseconds of each step.
    """

    node: int
    calls: list[Call] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        # Nanoseconds of the steps within each step that is under way.
        self._within: list[int] = []

    def cost(self, ask: Callable[[str], object], ids: Sequence[str]) -> Cost:
        """Return what asking about each id costs."""
        self.calls.clear()
        node, client = node_milliseconds(self.node), time.process_time()
        wall = time.perf_counter()
        for id in ids:
            ask(id)
        spent = time.process_time() - client, time.perf_counter() - wall
        count = len(ids)
        return Cost(
            len(self.calls) / count,
            1000 * spent[0] / count,
            (node_milliseconds(self.node) - node) / count,
            1000 * spent[1] / count,
        )

    def timed(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time counts as a step."""

        def measured(*given: Any, **named: Any) -> Any:
            start = time.thread_time_ns()
            self._within.append(0)
            try:
                return function(*given, **named)
            finally:
                spent = time.thread_time_ns() - start
                self.steps[step] += spent - self._within.pop()
                if self._within:
                    self._within[-1] += spent

        return measured

    @contextmanager
    def divided(self) -> Iterator[None]:
        """Measure the steps during the block."""
        candidates = {
            request: (self.timed(_BODIES, bodies), self.timed(_READ, read))
            for request, (bodies, read) in index_calls._CANDIDATES.items()
        }
        with ExitStack() as stack:
            for step, owner, name in _STEPS:
                measured = self.timed(step, getattr(owner, name))
                stack.enter_context(mock.patch.object(owner, name, measured))
            stack.enter_context(mock.patch.dict(index_calls._CANDIDATES, candidates))
            self.steps.clear()
            yield


def news(count: int) -> Iterator[dict[str, Any]]:
    """Yield real news, and documents of the halves of two of them until there are enough."""
    texts: list[dict[str, Any]] = []
    for name in _SETS:
        for each in datasets.documents(name):
            document = {"title": each.get("title", ""), "text": each["text"]}
            texts.append({"id": f"{name}-{each['id']}", **document})
    yield from texts[:count]
    chosen = random.Random(5)
    for number in range(len(texts), count):
        one, other = (chosen.choice(texts) for _ in range(2))
        first, second = (each["text"].split(". ") for each in (one, other))
        halves = first[: max(1, len(first) // 2)] + second[len(second) // 2 :]
        yield {"id": f"halves-{number}", "title": one["title"], "text": ". ".join(halves)}


def main(argv: Sequence[str] | None = None) -> None:
    """Fill the index, ask in turns, and print where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="write them to the documentation")
    options = parser.parse_args(argv)
    # First: where the data are missing, no node is started.
    documents = list(news(options.documents))
    node = nodes.start(name=_NODE)
    try:
        with connect(node.url, timeout=600) as client:
            fill(client, documents)
            print(f"on Elasticsearch {node.version}, {len(documents)} documents")
            ids = [each["id"] for each in documents if not each["id"].startswith("halves-")]
            chosen = random.Random(3).sample(ids, options.questions)
            tables = measure(client, Meter(node.pid), chosen, options.rounds)
    finally:
        nodes.stop(_NODE)
    for table in tables.values():
        print(f"\n{table.title}")
        for row in (table.columns, *table.rows):
            print(f"{row[0]:44}" + "".join(f"{cell:>12}" for cell in row[1:]))
    if options.record:
        command = "make bench-question ARGS=--record"
        figures = Figures("question", command, f"Elasticsearch {node.version}")
        record_tables(figures, _PAGE, tables, not_compared=tables)


def _ask(index: Index, options: SearchOptions, id: str) -> object:
    return index.related(id=id, options=options)


def fill(client: elasticsearch.Elasticsearch, documents: Sequence[Mapping[str, Any]]) -> None:
    """Index documents as `install` makes an index by default, unless they are there already."""
    if client.indices.exists(index=_INDEX):
        client.indices.refresh(index=_INDEX)
        if client.count(index=_INDEX)["count"] == len(documents):
            return
        client.indices.delete(index=_INDEX)
    settings = {"number_of_shards": 1, "number_of_replicas": 0}
    client.indices.create(index=_INDEX, settings=settings)
    install(client, _INDEX)
    config = IndexConfig(text_field="text")
    failed = sum(not each.ok for each in ingest(client, _INDEX, documents, config=config))
    assert not failed, f"{failed} documents were not indexed"
    client.indices.refresh(index=_INDEX)


def measure(
    client: elasticsearch.Elasticsearch, meter: Meter, ids: Sequence[str], rounds: int
) -> dict[str, Table]:
    """Return the tables: what questions cost, in which steps, and by which searches."""
    index = Index(client, _INDEX)
    asked: dict[str, Callable[[str], object]] = {
        "more_like_this, 25 terms": lambda id: more_like_this(client, _INDEX, id)
    }
    for name, options in _OPTIONS.items():
        asked[name] = partial(_ask, index, options)
    costs: dict[str, list[Cost]] = {name: [] for name in asked}
    steps: dict[str, list[dict[str, float]]] = {name: [] for name in _OPTIONS}
    with _recorded(meter):
        for ask in asked.values():
            # The compiler of the node and the caches of both.
            meter.cost(ask, ids)
        for _ in range(rounds):
            for name, ask in asked.items():
                costs[name].append(meter.cost(ask, ids))
            for name in _OPTIONS:
                with meter.divided():
                    whole = meter.cost(asked[name], ids)
                    parts = {step: spent / 1e6 / len(ids) for step, spent in meter.steps.items()}
                steps[name].append({**parts, _OTHER: whole.client - sum(parts.values())})
        calls = list(meter.calls)
    least = {name: min(some, key=lambda cost: cost.processor) for name, some in costs.items()}
    return {
        "costs": _costs_table(least),
        "steps": _steps_table(steps),
        "searches": _searches_table(client, meter, calls, len(ids), rounds),
    }


@contextmanager
def _recorded(meter: Meter) -> Iterator[None]:
    """Keep all calls that are sent during the block."""
    perform = elasticsearch.Elasticsearch.perform_request

    def recorded(client: Any, method: str, path: str, **named: Any) -> Any:
        meter.calls.append((method, path, named.get("params"), named.get("body")))
        return perform(client, method, path, **named)

    with mock.patch.object(elasticsearch.Elasticsearch, "perform_request", recorded):
        yield


def _costs_table(costs: Mapping[str, Cost]) -> Table:
    columns = ("query", "requests", "client, ms", "node, ms", "both, ms", "of `more_like_this`")
    first = next(iter(costs.values())).processor
    rows = [
        (
            name,
            f"{cost.requests:.2f}",
            *(f"{value:.1f}" for value in (cost.client, cost.node, cost.processor)),
            f"{cost.processor / first:.2f} ×",
        )
        for name, cost in costs.items()
    ]
    return Table("Processor time of a question", columns, tuple(rows))


def _steps_table(steps: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    least = {name: min(some, key=lambda parts: sum(parts.values())) for name, some in steps.items()}
    names = [step for step, _, _ in _STEPS]
    ordered = [names[0], _READ, *names[1:3], _BODIES, *names[3:], _OTHER]
    rows = [
        (step, *(f"{parts[step]:.1f}" if step in parts else "–" for parts in least.values()))
        for step in ordered
    ]
    return Table("Steps of the client, ms", ("step", *least), tuple(rows))


def _searches_table(
    client: elasticsearch.Elasticsearch,
    meter: Meter,
    calls: Sequence[Call],
    questions: int,
    rounds: int,
) -> Table:
    """Return what each search and each look-up costs the node when it is sent alone."""
    groups: dict[str, list[Call]] = defaultdict(list)
    for method, path, params, body in calls:
        if path.endswith("/_msearch"):
            for header, search in zip(body[::2], body[1::2], strict=True):
                groups[_kind(search)].append((method, path, params, [header, search]))
        elif path.endswith("_mget"):
            several = "texts of the best candidates, by multi-get"
            groups["the text itself, by multi-get" if path != "/_mget" else several].append(
                (method, path, params, body)
            )

    def send(call: Call) -> None:
        method, path, params, body = call
        client.perform_request(method, path, params=params, headers=headers_of(body), body=body)

    rows = []
    for name, some in groups.items():

        def replay(_: str, some: Sequence[Call] = some) -> None:
            for call in some:
                send(call)

        spent = min(meter.cost(replay, [name]).node for _ in range(rounds))
        rows.append((name, f"{len(some) / questions:.2f}", f"{spent / questions:.1f}"))
    rows.sort(key=lambda row: -float(row[2]))
    return Table("Searches of a question alone", ("search", "a question", "node, ms"), tuple(rows))


def _kind(search: Mapping[str, Any]) -> str:
    """Return which search of a question a body is."""
    if "simhash.concepts" in (text := json.dumps(search)):
        return "neighbours"
    for sign, name in (
        ("dis_max", "passages, by their rare words"),
        ('"knn"', "fingerprints within k"),
        (".shingles", "shared shingles"),
    ):
        if sign in text:
            return name
    return "decisions and background"


if __name__ == "__main__":
    run(main)
