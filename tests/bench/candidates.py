"""Whether the best answers are found among the candidates of one search, and in which time.

    python -m tests.bench.candidates [--documents 20000] [--questions 240] [--seed 26]
        [--candidates 2000] [--beside FOLDER] [--keep]

Writes news of the evaluation data, filled up with other texts, to an index with the defaults of
`install`, and asks for the ten best of questions drawn from the news, by their ids: versions
alone, and with neighbours. Each is asked with the default number of candidates and with many more.
Prints the share of questions whose ten best are the same (ids, kinds, scores), how many of the
others said that there may be better ones, where the others differ, and the times; then, of ten
times as many news that have a version by `related`, of how many it is a candidate at ingest.
Another checkout of the package is asked the same of the same index, in turns, with `--beside`.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk

from es_simhash import Answer, Index, Limits, SearchOptions
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication.recent_documents import MAX_CANDIDATES
from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.store.elasticsearch.errors import address
from es_simhash.store.installation.install import install
from es_simhash.store.intents import Find, Where
from es_simhash.store.state_entries import state_index_name
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.support.datasets import data_file

INDEX = "bench-candidates"
NEWS = (
    "wire_news/docs.jsonl",
    "bbc_news/docs.jsonl",
    "ecbplus/docs.jsonl",
    "thucnews_zh/docs.jsonl",
    "weibo_topics_zh/docs.jsonl",
    "lee50/docs.jsonl",
    "lee50/background.jsonl",
)
# What fills the index up to more documents.
OTHERS = ("pan13_text_alignment/docs.jsonl", "bib_digital/docs.jsonl")
WANTED = {
    "versions": SearchOptions(kinds=VERSION_KINDS),
    "versions and neighbours": SearchOptions(),
}
_WARM_UP = 20
# How often two checkouts are asked each question, in turns; the fastest answer of each counts.
_ROUNDS = 3
# What the answer of a question is compared by.
Best = list[tuple[str, str, float]]


def documents(files: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the documents of files of the evaluation data, their ids behind the name of the set."""
    for file in files:
        name, _, path = file.partition("/")
        with data_file(name, path).open(encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                yield {"id": f"{name}:{document['id']}", "text": document["text"]}


def best(answer: Answer) -> Best:
    """Return what the answer to a question is compared by."""
    return [(str(one.id), one.kind, one.score) for one in answer]


@dataclass
class Differences:
    """How the answers of many candidates differ from those of the default number.

    Attributes:
        questions: How many were asked.
        differing: How many have other answers.
        said: How many of these said that there may be better ones.
        cautious: How many said so, and have the same.
        kinds: Kinds of the answers that the default number of candidates lacks.
    """

    questions: int = 0
    differing: int = 0
    said: int = 0
    cautious: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, answer: Answer, of_more: Answer) -> None:
        """Count the answers to one question."""
        self.questions += 1
        mine, others = best(answer), best(of_more)
        if mine == others:
            self.cautious += answer.truncated
            return
        self.differing += 1
        self.said += answer.truncated
        known = {id for id, _, _ in mine}
        lacking = [kind for id, kind, _ in others if id not in known]
        self.kinds.update(lacking or ["the same documents, other scores"])

    def __str__(self) -> str:
        """Return the figures as a line."""
        same = 1 - self.differing / self.questions
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.kinds.most_common())
        return (
            f"{same:.1%} of {self.questions} the same; {self.differing} differ, of which "
            f"{self.said} say that there may be better ones; {self.cautious} say so and have the "
            f"same. Lacking: {kinds or 'nothing'}"
        )


def asked(index: Index, id: str, options: SearchOptions) -> tuple[Answer, float]:
    """Return the answer to a question, and the milliseconds it took."""
    start = time.perf_counter()
    answer = index.related(id=id, options=options)
    return answer, (time.perf_counter() - start) * 1000


def with_candidates(options: SearchOptions, candidates: int) -> SearchOptions:
    """Return options with another number of candidates."""
    return replace(options, limits=Limits(candidates=candidates))


def print_differences(index: Index, ids: Sequence[str], candidates: int) -> None:
    """Ask all questions with the default number of candidates and with many more."""
    for name, options in WANTED.items():
        differences, times, times_of_more = Differences(), [], []
        for id in ids:
            answer, took = asked(index, id, options)
            of_more, took_of_more = asked(index, id, with_candidates(options, candidates))
            differences.add(answer, of_more)
            times.append(took)
            times_of_more.append(took_of_more)
        print(f"{name}: {differences}", flush=True)
        print(f"  {percentiles(times)}, with {candidates} candidates {percentiles(times_of_more)}")


def print_ingest(index: Index, texts: Mapping[str, str]) -> None:
    """Print for how many documents with a version ingest has it among its candidates."""
    options = SearchOptions(kinds=("exact", "version"), passages=False, evidence=False)
    versions, best_found, any_found = 0, 0, 0
    for id, text in texts.items():
        answer = index.related(id=id, options=options)
        if not answer:
            continue
        find = Find(
            Where(fingerprinted=True, excluded_ids=(id,)),
            size=MAX_CANDIDATES,
            order=("written",),
            sharing=(ShingleQuery.of(fingerprint(text)).sharing,),
        )
        (rows,) = index.store.ask([find])
        candidates = {row.id for row in rows.rows}
        versions += 1
        best_found += any(one.id in candidates for one in answer if one.score == answer[0].score)
        any_found += any(one.id in candidates for one in answer)
    print(
        f"at ingest: of {len(texts)} documents {versions} have a version by related; ingest has "
        f"the best of them among its candidates for {best_found / versions:.1%}, any for "
        f"{any_found / versions:.1%}"
    )


def percentiles(times: Sequence[float]) -> str:
    """Return the median and the 95th percentile of times, as a phrase."""
    return f"p50 {statistics.median(times):.1f} ms, p95 {_p95(times):.1f} ms"


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def print_times_beside(url: str, ids: Sequence[str], folder: Path) -> None:
    """Ask this checkout and another one the same questions, in turns."""
    here = Path(__file__).parents[2]
    with _asking(here, url) as own, _asking(folder, url) as others:
        for name in WANTED:
            times: tuple[list[float], list[float]] = ([], [])
            for id in ids:
                rounds = [[_time(each, name, id) for each in (own, others)] for _ in range(_ROUNDS)]
                for fastest, took in zip(times, zip(*rounds, strict=True), strict=True):
                    fastest.append(min(took))
            mine, theirs = times
            ratios = (
                statistics.median(mine) / statistics.median(theirs),
                _p95(mine) / _p95(theirs),
            )
            print(
                f"{name}: here {percentiles(mine)}; there {percentiles(theirs)}; "
                f"ratio {ratios[0]:.2f} and {ratios[1]:.2f}",
                flush=True,
            )


@contextmanager
def _asking(checkout: Path, url: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a process that asks the index by the package of a checkout."""
    line = [sys.executable, str(Path(__file__).with_name("asked_in_turns.py")), url, INDEX]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    with subprocess.Popen(
        line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        imported = process.stdout.readline().strip()
        assert Path(imported).is_relative_to(checkout.resolve()), imported
        yield process
        process.stdin.close()


def _time(process: "subprocess.Popen[str]", name: str, id: str) -> float:
    assert process.stdin
    assert process.stdout
    print(json.dumps({"kinds": WANTED[name].kinds, "id": id}), file=process.stdin, flush=True)
    return float(process.stdout.readline())


def filled(client: Elasticsearch, count: int) -> None:
    """Write the documents, unless they are there."""
    if client.indices.exists(index=INDEX) and client.count(index=INDEX)["count"] == count:
        return
    client.indices.delete(index=[INDEX, state_index_name(INDEX)], ignore_unavailable=True)
    client.indices.create(index=INDEX, mappings={"properties": {"text": {"type": "text"}}})
    actions = (
        {"_index": INDEX, "_id": each["id"], "text": each["text"]}
        for each in islice(documents((*NEWS, *OTHERS)), count)
    )
    bulk(client, actions, refresh=True)
    # An index that was there before: its background is counted, and its vectors are learned.
    install(client, INDEX)
    count_background(client, INDEX)
    for outcome in backfill(client, INDEX):
        assert outcome.ok, outcome
    client.indices.refresh(index=INDEX)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=240)
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args(argv)
    news = {each["id"]: each["text"] for each in islice(documents(NEWS), options.documents)}
    drawn = random.Random(options.seed).sample([*news], min(10 * options.questions, len(news)))
    ids = drawn[: options.questions]
    with bench_client() as client:
        filled(client, options.documents)
        print(
            f"{options.documents} texts, {len(news)} of them news; {len(ids)} questions, "
            f"seed {options.seed}"
        )
        if options.beside is not None:
            print_times_beside(address(client), ids, options.beside)
        else:
            index = Index(client, INDEX)
            for id in ids[:_WARM_UP]:
                asked(index, id, SearchOptions())
            print_differences(index, ids, options.candidates)
            print_ingest(index, {id: news[id] for id in drawn})
        if not options.keep:
            client.indices.delete(index=[INDEX, state_index_name(INDEX)])


if __name__ == "__main__":
    run(main)
