"""What `ingest --on-version` flags and skips of collections whose versions are known.

    python -m tests.bench.decisions [--seed 0] [--record]

Each collection is written in one shuffled order into an index of its own, once with `flag` and once
with `skip`, and the audit log is read. Precision: of the documents flagged, or skipped, those with
a version of theirs. Recall: of those that had a version before them, those decided rightly.
`--record` writes the figures to docs/figures.json and docs/ingest.md.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import elasticsearch

from es_simhash.ingestion.deduplication.audit_log import audit_of
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.store.installation.install import install
from scripts.local_node.engine import find_engine
from tests.bench.engines import bench_client
from tests.bench.families import NAMES, known_sets
from tests.bench.figures import Figures, record_tables
from tests.bench.program import run
from tests.support.datasets import pair
from tests.support.judged_sets import JudgedSet, judged_set

_INDEX = "bench-decisions"
_NEWS = "wire_news"
_TITLES = {**NAMES, _NEWS: "agency news"}
_ACTIONS: tuple[Literal["flag", "skip"], ...] = ("flag", "skip")
_PAGE = Path(__file__).parents[2] / "docs" / "ingest.md"


def decided(
    client: elasticsearch.Elasticsearch,
    known: JudgedSet,
    order: Sequence[str],
    action: Literal["flag", "skip"],
) -> dict[str, str]:
    """Write the documents of a collection in this order; give the original of each one decided.

    Raises:
        RuntimeError: One of them was not written.
    """
    _remove(client)
    install(client, _INDEX, semantics=None)
    documents: list[dict[str, Any]] = [{"id": id, "text": known.texts[id]} for id in order]
    with tempfile.TemporaryDirectory() as folder:
        rules = OnVersion(action, audit=Path(folder, "audit.jsonl"))
        for outcome in ingest(client, _INDEX, documents, on_version=rules):
            if not outcome.ok:
                raise RuntimeError(f"{outcome.id}: {outcome.reason}")
        records = list(audit_of(Path(folder, "audit.jsonl"), client).read())
    heads = [record.head for record in records]
    return {str(head["id"]): str(head["other"]) for head in heads if head["action"] == action}


def _remove(client: elasticsearch.Elasticsearch) -> None:
    client.indices.delete(index=[_INDEX, f"{_INDEX}-simhash"], ignore_unavailable=True)


def rates(known: JudgedSet, order: Sequence[str], originals: dict[str, str]) -> tuple[float, float]:
    """Return precision and recall of the documents that were decided."""
    judged = [pair(id, other) for id, other in originals.items()]
    counted = [key for key in judged if key in known.versions or not known.is_neither(key)]
    right = sum(key in known.versions for key in counted)
    place = {id: number for number, id in enumerate(order)}
    later = {max(key, key=place.__getitem__) for key in known.versions}
    return right / max(1, len(counted)), right / len(later)


def _known() -> Iterator[JudgedSet]:
    for name, known in known_sets().items():
        yield JudgedSet(name, known.texts, frozenset(known.versions), known.neither.__contains__)
    yield judged_set(_NEWS)


def main(argv: Sequence[str] | None = None) -> None:
    """Write all collections and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="write them to the documentation")
    options = parser.parse_args(argv)
    engine = f"Elasticsearch {find_engine().version}"
    rows = []
    with bench_client() as client:
        print("\none shuffled order, shipped defaults; precision and recall of what is")
        for known in _known():
            order = sorted(known.texts)
            random.Random(options.seed).shuffle(order)
            found = {action: decided(client, known, order, action) for action in _ACTIONS}
            measured = [rates(known, order, originals) for originals in found.values()]
            cells = [
                # What nothing was done with has no precision.
                (f"{precision:.3f}" if originals else "–", f"{recall:.3f}")
                for originals, (precision, recall) in zip(found.values(), measured, strict=True)
            ]
            lines = (
                f"{action} {len(originals)}: {' '.join(each)}"
                for (action, originals), each in zip(found.items(), cells, strict=True)
            )
            print(f"  {known.name:20s} {len(order)} documents", *lines, sep="   ", flush=True)
            rows.append(
                (_TITLES.get(known.name, known.name), *(cell for each in cells for cell in each))
            )
        _remove(client)
    if options.record:
        figures = Figures("decisions", "make bench-decisions ARGS=--record", engine)
        columns = ("collection", "flag: precision", "recall", "skip: precision", "recall of skip")
        record_tables(figures, _PAGE, {"actions": Table("Decisions", columns, tuple(rows))})


if __name__ == "__main__":
    run(main)
