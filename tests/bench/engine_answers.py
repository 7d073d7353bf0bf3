"""Whether Elasticsearch and OpenSearch answer the same questions alike, and in which time.

    python -m tests.bench.engine_answers [SET ...] [--every 1] [--heap 1g] [--keep]

Writes the documents of sets of the evaluation data, by default bbc_news and terms_versions, to an
index on each engine with the defaults of `install`, and asks for the related documents of each by
its id: versions, passages and neighbours, with evidence. Prints how many answers are the same in
ids, kinds, scores and order, where the others differ, and the times.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from es_simhash import Index, SearchOptions, connect
from scripts.local_node.engine import TITLES, Product, find_engine
from tests.bench.program import run
from tests.support.datasets import data_file

SETS = ("bbc_news", "terms_versions")
INDEX = "bench-engine-answers"
# What an answer is compared by.
Answer = Sequence[tuple[str, str, float]]


@dataclass(frozen=True)
class Answered:
    """Answers of one engine to questions, and what they took.

    Attributes:
        answers: By the id of the document that was asked about.
        ingested: Documents a second.
        median: Milliseconds of a question.
    """

    answers: Mapping[str, Answer]
    ingested: float
    median: float


def documents(name: str) -> list[dict[str, str]]:
    """Return the documents of a set, each with its id and its text."""
    with data_file(name, "docs.jsonl").open(encoding="utf-8") as lines:
        return [{key: each[key] for key in ("id", "text")} for each in map(json.loads, lines)]


def answered(index: Index, texts: Sequence[Mapping[str, str]], every: int) -> Answered:
    """Write documents to an index, and ask for the related documents of some."""
    index.install()
    started = time.perf_counter()
    failed = [outcome for outcome in index.ingest(texts) if not outcome.ok]
    ingested = len(texts) / (time.perf_counter() - started)
    assert not failed, failed[0]
    index.store.refresh()
    answers: dict[str, Answer] = {}
    seconds = []
    for document in texts[::every]:
        started = time.perf_counter()
        relations = index.related(id=document["id"], options=SearchOptions())
        seconds.append(time.perf_counter() - started)
        answers[document["id"]] = [(str(one.id), one.kind, one.score) for one in relations]
    return Answered(answers, ingested, 1000 * statistics.median(seconds))


def difference(one: Answer, other: Answer) -> str:
    """Return in what two answers differ first: ids, kinds, scores or order; empty for nothing."""
    if {id for id, _, _ in one} != {id for id, _, _ in other}:
        return "ids"
    if sorted((id, kind) for id, kind, _ in one) != sorted((id, kind) for id, kind, _ in other):
        return "kinds"
    if sorted(one) != sorted(other):
        return "scores"
    return "" if list(one) == list(other) else "order"


def compared(name: str, clients: Mapping[Product, Index], every: int) -> bool:
    """Print how the answers of two engines over one set compare; return whether all are equal."""
    texts = documents(name)
    first, second = (answered(index, texts, every) for index in clients.values())
    differences = {
        id: difference(answer, second.answers[id]) for id, answer in first.answers.items()
    }
    counts = Counter(differences.values())
    relations = sum(map(len, first.answers.values()))
    print(
        f"{name}: {counts['']} of {len(differences)} answers are equal "
        f"({relations} relations of {len(texts)} documents)"
    )
    for kind in ("ids", "kinds", "scores", "order"):
        if counts[kind]:
            example = next(id for id, value in differences.items() if value == kind)
            print(f"  {counts[kind]} differ in {kind}, such as that to {example!r}:")
            for product, each in zip(clients, (first, second), strict=True):
                print(f"    {TITLES[product]}: {each.answers[example]}")
    for product, each in zip(clients, (first, second), strict=True):
        print(
            f"  {TITLES[product]}: {each.ingested:,.0f} documents a second ingested, "
            f"a question {each.median:.1f} ms (median)"
        )
    return not differences or counts[""] == len(differences)


@contextmanager
def opened(name: str, heap: str, *, keep: bool) -> Iterator[dict[Product, Index]]:
    """Give an index on each engine, which is deleted before and, unless it is kept, after."""
    with ExitStack() as stack:
        indices: dict[Product, Index] = {}
        products: tuple[Product, ...] = ("elasticsearch", "opensearch")
        for product in products:
            node = "bench-engines" if product == "opensearch" else "default"
            engine = find_engine(product, name=node, heap=heap)
            client = stack.enter_context(connect(engine.url, timeout=600))
            if engine.started and not keep:
                stack.callback(engine.stop)
            print(f"on {engine}")
            indices[product] = Index(client, name)

            def remove(client: object = client) -> None:
                for each in (name, f"{name}-simhash"):
                    client.indices.delete(index=each, ignore_unavailable=True)  # type: ignore[attr-defined]

            remove()
            if not keep:
                stack.callback(remove)
        yield indices


def main() -> int:
    """Compare the answers of both engines."""
    assert __doc__
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--every", type=int, default=1, help="ask about each so many-th document")
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--keep", action="store_true", help="keep indices and nodes")
    options = parser.parse_args()
    for name in options.sets:
        documents(name)
    is_equal = True
    for name in options.sets:
        with opened(f"{INDEX}-{name}", options.heap, keep=options.keep) as indices:
            is_equal &= compared(name, indices, options.every)
    return 0 if is_equal else 1


if __name__ == "__main__":
    run(main)
