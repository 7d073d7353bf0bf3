"""Version families against collections whose versions are known, in memory and in an index.

    python -m tests.bench.families [--seeds 20] [--record]

Prints the pairwise F1 of the families of each collection at the shipped defaults, precision and
recall of each document's family, and whether an index gives the same families whatever the order in
which documents come and the number of writers. `--record` writes the figures of the first part to
docs/figures.json and docs/families.md.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import elasticsearch
import numpy as np

from es_simhash.fingerprints.text_fingerprints import fingerprint_texts
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.pairs.document_families import families_in_memory
from es_simhash.pairs.merging import connected_components
from es_simhash.store.codec import simhash_object
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install
from tests.bench.engines import bench_client
from tests.bench.figures import Figures, record_tables
from tests.bench.program import measure, run
from tests.support import datasets
from tests.support.datasets import Pair, pair

LONG = ("law_versions_de", "pep_versions", "bbc_news", "law_versions_zh", "terms_versions")
SHORT = ("stroke", "haematology", "respiratory", "cytology_screening")
# The stream of documents whose order and writers change.
STREAM = ("pep_versions", "law_versions_de", *SHORT, "bbc_news")
# The best exact method or plain reference, each with a threshold chosen on the same collection.
REFERENCE = {
    "law_versions_de": 0.956,
    "pep_versions": 0.925,
    "stroke": 0.949,
    "haematology": 0.796,
    "respiratory": 0.911,
    "cytology_screening": 0.966,
}
NAMES = {
    "law_versions_de": "German laws",
    "pep_versions": "Python proposals",
    "bbc_news": "news",
    "law_versions_zh": "Chinese laws",
    "terms_versions": "policies and handbooks",
    "stroke": "records: stroke",
    "haematology": "records: haematology",
    "respiratory": "records: respiratory",
    "cytology_screening": "records: cytology",
}
_INDEX = "bench-families"
_PAGE = Path(__file__).parents[2] / "docs" / "families.md"
_BATCH = 200
Families = frozenset[frozenset[str]]


@dataclass(frozen=True)
class Known:
    """A collection whose versions are known.

    Attributes:
        name: Of the collection.
        texts: Text of each id.
        versions: Pairs that are versions of each other.
        neither: Pairs that count neither as right nor as wrong.
    """

    name: str
    texts: dict[str, str]
    versions: set[Pair]
    neither: set[Pair]

    def score(self, families: Iterable[Iterable[str]]) -> tuple[float, float, float]:
        """Return F1, precision and recall over the pairs that are of one family."""
        called = {each for each in pairs(families) if each[0] in self.texts} - self.neither
        right = len(called & self.versions)
        f1 = 2 * right / max(1, len(called) + len(self.versions))
        return f1, right / max(1, len(called)), right / len(self.versions)

    def score_by_document(self, families: Iterable[Iterable[str]]) -> tuple[float, float]:
        """Return mean precision and recall of the family of a document (B-cubed).

        Pairs of one long chain are most of all pairs; here each document weighs the same.
        """
        right: dict[str, set[str]] = defaultdict(set)
        for one, other in self.versions:
            right[one].add(other)
            right[other].add(one)
        precisions, recalls = [], []
        for family in families:
            members = {id for id in family if id in self.texts}
            for id in members:
                others = {other for other in members - {id} if pair(id, other) not in self.neither}
                precisions.append((len(others & right[id]) + 1) / (len(others) + 1))
                recalls.append((len(others & right[id]) + 1) / (len(right[id]) + 1))
        return float(np.mean(precisions)), float(np.mean(recalls))

    @cached_property
    def _components(self) -> list[list[str]]:
        neighbours = defaultdict(list)
        for one, other in self.versions:
            neighbours[one].append(other)
            neighbours[other].append(one)
        found = connected_components(self.texts, neighbours)
        return [chain for chain in found if len(chain) > 1]

    @property
    def chains(self) -> int:
        """How many groups of versions there are."""
        return len(self._components)

    def split(self, families: Iterable[Iterable[str]]) -> int:
        """Return how many groups of versions are in more than one family."""
        family_of = {id: number for number, family in enumerate(families) for id in family}
        return sum(len({family_of[id] for id in chain}) > 1 for chain in self._components)


def pairs(families: Iterable[Iterable[str]]) -> set[Pair]:
    """Return all pairs of documents that are of one family."""
    return {pair(*ids) for family in families for ids in combinations(family, 2)}


def known_sets() -> dict[str, Known]:
    """Read all collections that are there, each part of the records as one."""
    parts: list[Callable[[], list[Known]]] = [partial(_known_texts, name) for name in LONG]
    parts.append(_known_records)
    return {known.name: known for part in measure(parts) for known in part}


def _known_texts(name: str) -> list[Known]:
    known = datasets.version_set(name)
    return [Known(name, known.texts, known.versions, known.neither)]


def _known_records() -> list[Known]:
    found = []
    records = datasets.documents("bib_records")
    for name in SHORT:
        some = [each for each in records if each["set"] == name]
        groups = defaultdict(list)
        for each in some:
            if each["duplicate_group"]:
                groups[each["duplicate_group"]].append(each["id"])
        texts = {each["id"]: each["text"] for each in some}
        found.append(Known(name, texts, pairs(groups.values()), set()))
    return found


def report(known: Mapping[str, Known], families: Families) -> None:
    """Print the figures at the shipped defaults, all collections being one."""
    print("\npairwise F1 of the families, all collections at once, shipped defaults:")
    for name, each in known.items():
        f1, precision, recall = each.score(families)
        exact, whole = each.score_by_document(families)
        best = f"  reference {REFERENCE[name]:.3f}" if name in REFERENCE else ""
        print(
            f"  {name:20s} F1 {f1:.3f}  precision {precision:.3f}  recall {recall:.3f}"
            f"  by document: precision {exact:.3f}  recall {whole:.3f}"
            f"  split {each.split(families)} of {each.chains}{best}"
        )
    where = {id: name for name, each in known.items() for id in each.texts}
    found = pairs(families)
    print(f"  pairs across collections: {sum(where[a] != where[b] for a, b in found)}")
    if "bbc_news" in known:
        wrong = news_without_reason(found, known["bbc_news"])
        print(
            "  news in a family with what is no near-duplicate of it: "
            f"{len(wrong)} pairs {wrong[:3]}"
        )


def table(known: Mapping[str, Known], families: Families) -> Table:
    """Return the figures as the page shows them."""
    columns = (
        "collection", "pairwise F1", "precision", "recall", "precision by document",
        "recall by document", "chains", "split", "best exact method or simple baseline*",
    )  # fmt: skip
    rows = []
    for name, each in known.items():
        values = (*each.score(families), *each.score_by_document(families))
        reference = f"{REFERENCE[name]:.3f}" if name in REFERENCE else ""
        counts = (str(each.chains), str(each.split(families)))
        rows.append((NAMES[name], *(f"{value:.3f}" for value in values), *counts, reference))
    return Table("Families", columns, tuple(rows))


def news_without_reason(found: Iterable[Pair], news: Known) -> list[Pair]:
    """Return the pairs with a news article that the list of near-duplicates has not."""
    near = {
        pair(row["id1"], row["id2"]) for row in datasets.rows("bbc_news", "near_duplicates.tsv")
    }
    return sorted(
        each
        for each in found
        if (each[0] in news.texts or each[1] in news.texts) and each not in near
    )


def write(
    client: elasticsearch.Elasticsearch, documents: Sequence[dict[str, Any]], writers: int
) -> None:
    """Write documents in their order, by several writers who take turns."""

    def send(batch: Sequence[dict[str, Any]]) -> None:
        lines: list[dict[str, Any]] = []
        for each in batch:
            lines += [{"index": {"_id": each["id"]}}, each]
        if client.bulk(index=_INDEX, operations=lines, filter_path="errors")["errors"]:
            raise RuntimeError("A document was rejected.")

    batches = [documents[start : start + _BATCH] for start in range(0, len(documents), _BATCH)]
    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(send, batches))


def written_families(client: elasticsearch.Elasticsearch) -> Families:
    """Read the families that the documents have."""
    families = defaultdict(set)
    path = f"{DEFAULT_FIELD}.family"
    body: dict[str, Any] = {"size": 5000, "sort": ["id"], "_source": ["id", path]}
    while hits := client.search(index=_INDEX, body=body)["hits"]["hits"]:
        for hit in hits:
            families[hit["_source"][DEFAULT_FIELD]["family"]].add(hit["_id"])
        body["search_after"] = hits[-1]["sort"]
    return frozenset(map(frozenset, families.values()))


def stream(
    client: elasticsearch.Elasticsearch,
    documents: Sequence[dict[str, Any]],
    seed: int,
    writers: int,
) -> tuple[Families, float, FamiliesReport]:
    """Write shuffled documents with runs between, give the families after the last run.

    Returns:
        The families, the seconds of the last run, and what that found.
    """
    chosen = random.Random(seed)
    shuffled = list(documents)
    chosen.shuffle(shuffled)
    # Every other stream is looked at once while it is still coming.
    stops = [chosen.randrange(len(shuffled))] if seed % 2 else []
    _fresh(client)
    for begin, end in zip([0, *stops], [*stops, len(shuffled)], strict=True):
        write(client, shuffled[begin:end], writers)
        started = time.monotonic()
        found = find_families(client, _INDEX)
        seconds = time.monotonic() - started
    return written_families(client), seconds, found


def _fresh(client: elasticsearch.Elasticsearch) -> None:
    _remove(client)
    install(client, _INDEX, semantics=None)
    client.indices.put_mapping(index=_INDEX, properties={"id": {"type": "keyword"}})


def _remove(client: elasticsearch.Elasticsearch) -> None:
    client.indices.delete(index=[_INDEX, f"{_INDEX}-simhash"], ignore_unavailable=True)


def report_streams(known: Mapping[str, Known], seeds: int) -> Families:
    """Print whether all streams give the same families, and those of the exact scan."""
    texts = {id: text for each in known.values() for id, text in each.texts.items()}
    prints = fingerprint_texts(texts.values())
    documents = [
        {"id": id, "text": text, DEFAULT_FIELD: simhash_object(each)}
        for (id, text), each in zip(texts.items(), prints, strict=True)
    ]
    expected = frozenset(map(frozenset, families_in_memory(texts)))
    differing, runs, times = 0, 0, []
    with bench_client() as client:
        for seed in range(seeds):
            for writers in (1, 4):
                families, seconds, found = stream(client, documents, seed, writers)
                runs += 1
                differing += families != expected
                # A run over everything, not one over the rest of a stream.
                times += [seconds] if not seed % 2 else []
                print(
                    f"  seed {seed:2d}, {writers} writers: {len(families)} families, "
                    f"last run {found.documents} documents in {seconds:.1f} s, "
                    f"{len(families ^ expected)} families differ",
                    flush=True,
                )
        _remove(client)
    print(
        f"{runs} streams of {len(documents)} documents: {differing} differ from the exact scan; "
        f"median run over everything {np.median(times):.1f} s"
    )
    return families


def main(argv: Sequence[str] | None = None) -> None:
    """Run all parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--record", action="store_true", help="write them to the documentation")
    options = parser.parse_args(argv)
    known = known_sets()
    texts = {id: text for each in known.values() for id, text in each.texts.items()}
    families = frozenset(map(frozenset, families_in_memory(texts)))
    report(known, families)
    if options.record:
        figures = Figures("families", 'make bench-families ARGS="--seeds 0 --record"')
        record_tables(figures, _PAGE, {"all": table(known, families)})
    streamed = {name: known[name] for name in STREAM if name in known}
    if options.seeds and streamed:
        print("\nthe same families whatever the order and the writers, through a real index:")
        report(streamed, report_streams(streamed, options.seeds))


if __name__ == "__main__":
    run(main)
