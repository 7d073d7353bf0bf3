"""Hits of one retrieval without those that repeat others, and what they would have told.

    python -m tests.bench.distinct [--size 10] [--fetched 100]

Documents are the paragraphs of 893 successive, dated versions of policies and handbooks; each of 49
questions is a sentence of one of them, for Elasticsearch's own ranking (BM25). Hits are shown as
they come, and as `distinct_hits` leaves them of more that were fetched. Near-duplicates are counted
by word 5-shingles, which `distinct_hits` does not look at: hits that have a resemblance of 0.8 or
more with one shown before. What is lost is counted by numbers with the words around them: those of
hits left out that are in no hit that stays. The exit status is 1 when one is lost.
"""

import argparse
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch.helpers import bulk

from es_simhash import distinct_hits
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.support import datasets

INDEX = "bench-distinct"
_SET = "terms_versions"
# Words of a chunk, as retrieval pipelines cut texts; paragraphs are not divided.
_WORDS = 120
_SHINGLE = 5
_NEAR = 0.8
# Words on each side of a number by which it is told from the same number said of something else.
_AROUND = 2
# Words of a sentence that is asked.
_QUESTION = range(8, 40)


@dataclass
class Counts:
    """What is counted over all questions.

    Attributes:
        hits: Hits shown.
        near: Those that are near-duplicates of one before.
        other_number: Near-duplicates with a number that the one before has not, in its words.
    """

    hits: int = 0
    near: int = 0
    other_number: int = 0


def main() -> int:
    """Index the chunks, ask, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=10, help="hits shown of a question")
    parser.add_argument("--fetched", type=int, default=100, help="hits fetched of a question")
    options = parser.parse_args()
    documents = datasets.documents(_SET)
    with bench_client() as client:
        try:
            _fill(client, documents)
            return _report(client, _questions(documents), options.size, options.fetched)
        finally:
            client.options(ignore_status=404).indices.delete(index=INDEX)


def _report(client: Any, questions: Sequence[str], size: int, fetched: int) -> int:
    before, after = Counts(), Counts()
    left_out = lost = 0
    times = []
    for question in questions:
        found = client.search(
            index=INDEX, query={"match": {"text": question}}, size=fetched, source=["text"]
        )
        texts = [hit["_source"]["text"] for hit in found["hits"]["hits"]]
        start = time.process_time()
        distinct = distinct_hits(texts)
        times.append(time.process_time() - start)
        staying = [each.hit for each in distinct]
        _count(texts[:size], before)
        _count(staying[:size], after)
        known = " | ".join(" ".join(_words(text)) for text in staying)
        for text in (repeat for each in distinct for repeat in each.repeats):
            left_out += 1
            lost += sum(f" {number} " not in f" {known} " for number in _numbers(text))
    print(f"{len(questions)} questions, {size} hits shown of {fetched} fetched")
    for name, counts in (("as they come", before), ("distinct", after)):
        print(
            f"  {name:<13}{counts.hits:>5} hits{counts.near:>6} near-duplicates of one before, "
            f"{counts.other_number} of them with another number"
        )
    milliseconds = 1000 * sum(times) / len(times)
    print(f"  left out of all fetched: {left_out}; numbers lost with them: {lost}")
    print(f"  {milliseconds:.0f} ms of a processor for {fetched} hits")
    return int(lost > 0)


def _count(texts: Sequence[str], counts: Counts) -> None:
    seen: list[tuple[set[str], set[str]]] = []
    for text in texts:
        shingles, numbers = _shingles(text), _numbers(text)
        near = [facts for other, facts in seen if _resemblance(shingles, other) >= _NEAR]
        counts.hits += 1
        counts.near += bool(near)
        counts.other_number += bool(near) and all(numbers - facts for facts in near)
        seen.append((shingles, numbers))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _shingles(text: str) -> set[str]:
    words = _words(text)
    return {
        " ".join(words[place : place + _SHINGLE])
        for place in range(max(1, len(words) - _SHINGLE + 1))
    }


def _numbers(text: str) -> set[str]:
    """Return the numbers of a text, each with the words around it in its line."""
    return {
        " ".join(words[max(0, place - _AROUND) : place + _AROUND + 1])
        for words in map(_words, text.splitlines())
        for place, word in enumerate(words)
        if any(map(str.isdigit, word))
    }


def _resemblance(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _fill(client: Any, documents: Sequence[dict[str, Any]]) -> None:
    client.options(ignore_status=404).indices.delete(index=INDEX)
    client.indices.create(index=INDEX, mappings={"properties": {"text": {"type": "text"}}})
    actions = (
        {"_index": INDEX, "_id": f"{document['id']}/{place}", "_source": {"text": chunk}}
        for document in documents
        for place, chunk in enumerate(_chunks(document["text"]))
    )
    bulk(client, actions, refresh=True)


def _chunks(text: str) -> Iterator[str]:
    """Yield paragraphs in a row, in so many words or one paragraph that is longer."""
    paragraphs: list[str] = []
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text)):
        if paragraphs and len(" ".join([*paragraphs, paragraph]).split()) > _WORDS:
            yield "\n\n".join(paragraphs)
            paragraphs = []
        paragraphs.append(paragraph)
    if paragraphs:
        yield "\n\n".join(paragraphs)


def _questions(documents: Sequence[dict[str, Any]]) -> list[str]:
    """Return a sentence of one version of each document."""
    chains: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        chains[document["chain"]].append(document["text"])
    chosen = random.Random(0)
    questions = []
    for texts in chains.values():
        sentences = [
            sentence
            for sentence in re.split(r"(?<=[.!?])\s+", chosen.choice(texts))
            if len(sentence.split()) in _QUESTION
        ]
        questions.append(chosen.choice(sentences or texts)[:1000])
    return questions


if __name__ == "__main__":
    run(main)
