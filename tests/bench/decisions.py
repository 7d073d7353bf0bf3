"""What `ingest --on-version flag` decides on collections whose versions are known.

    python -m tests.bench.decisions [--seed 0] [--record]

Each collection is written in one shuffled order into an index of its own, and the marks are read
back. Precision: of the documents marked, those marked with a version of theirs. Recall: of those
that had a version before them, those marked rightly. `--record` writes the figures to
docs/figures.json and docs/deduplicate.md.
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import elasticsearch

from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.fields import DEFAULT_FIELD, DUPLICATE_OF
from es_simhash.store.installation.install import install
from scripts.local_node.engine import find_engine
from tests.bench.engines import bench_client
from tests.bench.families import NAMES, Known, known_sets
from tests.bench.figures import Figures, record_tables
from tests.bench.program import run
from tests.support.datasets import pair

_INDEX = "bench-decisions"
_PAGE = Path(__file__).parents[2] / "docs" / "deduplicate.md"


def marks(
    client: elasticsearch.Elasticsearch, known: Known, order: Sequence[str]
) -> dict[str, str]:
    """Write the documents of a collection in this order; give the original of each one marked.

    Raises:
        RuntimeError: One of them was not written.
    """
    _remove(client)
    install(client, _INDEX, semantics=None)
    documents: list[dict[str, Any]] = [{"id": id, "text": known.texts[id]} for id in order]
    with tempfile.TemporaryDirectory() as folder:
        rules = OnVersion("flag", audit=Path(folder, "audit.jsonl"))
        for outcome in ingest(client, _INDEX, documents, on_version=rules):
            if not outcome.ok:
                raise RuntimeError(f"{outcome.id}: {outcome.reason}")
    path = f"{DEFAULT_FIELD}.{DUPLICATE_OF}"
    body = {"query": {"exists": {"field": path}}, "_source": [path]}
    return {
        hit["_id"]: hit["_source"][DEFAULT_FIELD][DUPLICATE_OF]
        for hit in Gateway.of(client).pages(_INDEX, body)
    }


def _remove(client: elasticsearch.Elasticsearch) -> None:
    client.indices.delete(index=[_INDEX, f"{_INDEX}-simhash"], ignore_unavailable=True)


def rates(known: Known, order: Sequence[str], marked: dict[str, str]) -> tuple[float, float]:
    """Return precision and recall of the documents marked."""
    judged = {id: pair(id, other) for id, other in marked.items()}
    counted = {id: key for id, key in judged.items() if key not in known.neither}
    right = sum(key in known.versions for key in counted.values())
    place = {id: number for number, id in enumerate(order)}
    later = {max(key, key=place.__getitem__) for key in known.versions}
    return right / max(1, len(counted)), right / len(later)


def main(argv: Sequence[str] | None = None) -> None:
    """Write all collections and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="write them to the documentation")
    options = parser.parse_args(argv)
    engine = f"Elasticsearch {find_engine().version}"
    rows = []
    with bench_client() as client:
        print("\n--on-version flag, one shuffled order, shipped defaults:")
        for name, known in known_sets().items():
            order = sorted(known.texts)
            random.Random(options.seed).shuffle(order)
            marked = marks(client, known, order)
            precision, recall = rates(known, order, marked)
            print(
                f"  {name:20s} {len(marked)} of {len(order)} marked: "
                f"precision {precision:.3f}  recall {recall:.3f}",
                flush=True,
            )
            rows.append((NAMES[name], f"{precision:.3f}", f"{recall:.3f}"))
        _remove(client)
    if options.record:
        figures = Figures("decisions", "make bench-decisions ARGS=--record", engine)
        columns = ("collection", "precision", "recall")
        record_tables(figures, _PAGE, {"flag": Table("Decisions", columns, tuple(rows))})


if __name__ == "__main__":
    run(main)
