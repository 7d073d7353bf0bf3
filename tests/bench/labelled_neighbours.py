"""How many of the neighbours that are shown are worth reading, by labels that a reader gave.

    python -m tests.bench.labelled_neighbours

`neighbour_labels.tsv` has pairs of stories of bbc_news and wire_news, drawn from the neighbours
that 150 stories of each had by default, and what a reader called each: `useful` (the same story,
what became of it, or of its company or person), `acceptable` (another matter of the same subject:
the same competition, market, company or person) or `wrong` (the same section, form or turns of
phrase; so are results, dividends and stock splits of two companies). Prints which share is useful,
and which useful or acceptable, of the pairs that have at least a score.
"""

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import elasticsearch

from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from tests.bench.engines import bench_client
from tests.bench.indexing import filled_index
from tests.bench.program import measure, run
from tests.support import datasets

LABELS = Path(__file__).with_name("neighbour_labels.tsv")
_SCORES = (SHOWN_SCORE, 0.32, 0.34, 0.36, 0.38, 0.4)


class LabelledPair(NamedTuple):
    """Two stories of a collection, and what a reader called the second for readers of the first."""

    collection: str
    query: str
    hit: str
    label: str


class ScoredPair(NamedTuple):
    """A label, and the score that the pair has; 0 for versions, which are no neighbours."""

    label: str
    score: float


def labelled_pairs() -> list[LabelledPair]:
    """Return the labelled pairs."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t")
        next(rows)
        return [LabelledPair(*row) for row in rows]


def shares(pairs: Sequence[ScoredPair], score: float) -> tuple[int, float, float]:
    """Return how many pairs have a score or more, and which share is useful, or not wrong."""
    labels = [pair.label for pair in pairs if pair.score >= score]
    count = max(1, len(labels))
    useful, wrong = labels.count("useful"), labels.count("wrong")
    return len(labels), useful / count, (len(labels) - wrong) / count


def titled(name: str) -> list[dict[str, str]]:
    """Return the stories of a collection with their titles above them."""
    stories: Sequence[Mapping[str, str]] = datasets.documents(name)
    return [
        {"id": story["id"], "text": f"{story['title']}\n\n{story['text']}"}
        for story in stories
        if not story.get("exact_dup_of")
    ]


def scored(client: elasticsearch.Elasticsearch, name: str) -> Iterator[ScoredPair]:
    """Yield the labels of a collection with the scores in an index of all its stories."""
    pairs = [pair for pair in labelled_pairs() if pair.collection == name]
    index_name = f"bench-labels-{name.replace('_', '-')}"
    with filled_index(client, index_name, titled(name), semantics=DEFAULT_SEMANTICS) as index:
        count_background(client, index.name, vectors=True)
        for pair in pairs:
            relation = index.explain(pair.query, pair.hit)
            is_version = relation.kind in VERSION_KINDS
            yield ScoredPair(pair.label, 0.0 if is_version else relation.score)


def report(client: elasticsearch.Elasticsearch) -> None:
    """Print the shares of both collections, and of all pairs."""
    found = {name: list(scored(client, name)) for name in ("bbc_news", "wire_news")}
    found["both"] = [pair for pairs in found.values() for pair in pairs]
    for name, pairs in found.items():
        for score in _SCORES:
            count, useful, right = shares(pairs, score)
            print(
                f"{name:10s} score {score:.2f} and more: {count:3d} of {len(pairs)} pairs, "
                f"useful {useful:.2f}, useful or acceptable {right:.2f}"
            )


def main(argv: Sequence[str] | None = None) -> None:
    """Fill an index of each collection and print the shares."""
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    with bench_client() as client:
        measure([lambda: report(client)])


if __name__ == "__main__":
    run(main)
