"""What `es-simhash plan` predicts from a sample, beside what is measured then.

    python -m tests.bench.plan [--sample 2000] [--documents 20000]

Real news, and documents made of the halves of two of them; the sample is drawn of the documents at
random, and planned for all of them on the same node. Then they are written, backfilled, grouped
into families and asked about. Prints both and their ratio; within 1.5 is wanted for disk, times and
candidates.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import elasticsearch

from es_simhash.index import Index
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.lab.tuning.tuning_figures import TuneOptions
from es_simhash.lab.tuning.tuning_sample import neighbours_of, sample_of
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.plans.cost_model import CHOICES, EVERYTHING, Plan, PlanOptions
from es_simhash.maintenance.plans.measured_sample import plan_index, question_times
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install
from es_simhash.store.protocol import no_progress
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.question import news, node_milliseconds

_NODE, _INDEX = "bench-plan", "bench-plan"
_BATCH = 500
_QUESTIONS = 200

Measured = dict[str, float]


def measured(
    client: elasticsearch.Elasticsearch,
    documents: Sequence[dict[str, Any]],
    choice: str,
    processes: int,
    node: int,
) -> Measured:
    """Return what the documents cost with fingerprints, or with everything.

    Families in processor time of client and node, as other work would count otherwise.
    """
    figures: Measured = {}
    _make(client, choice)
    settings = IngestSettings(processes=processes)
    figures["ingest, s"] = _seconds(
        lambda: list(ingest(client, _INDEX, documents, settings=settings))
    )
    client.indices.flush(index=_INDEX)
    client.indices.refresh(index=_INDEX)
    stats = client.indices.stats(index=_INDEX, metric="store")["_all"]["primaries"]["store"]
    figures["disk, MB"] = stats["size_in_bytes"] / 1e6
    index = Index(client, _INDEX)
    ids = [each["id"] for each in random.Random(3).sample(list(documents), _QUESTIONS)]
    figures["question, ms"] = question_times(index, ids)[choice]
    store = ElasticsearchStore(Gateway.of(client), _INDEX)
    sample = sample_of(store, store.config, TuneOptions(sample=_QUESTIONS))
    candidates = neighbours_of(store, sample, no_progress).candidates
    figures["candidates"] = sum(candidates) / len(candidates)
    before = time.process_time() + node_milliseconds(node) / 1000
    index.families()
    figures["families, s"] = time.process_time() + node_milliseconds(node) / 1000 - before
    _make(client, choice)
    for start in range(0, len(documents), _BATCH):
        lines: list[dict[str, Any]] = []
        for each in documents[start : start + _BATCH]:
            lines += [{"index": {"_id": each["id"]}}, _own(each)]
        assert not client.bulk(index=_INDEX, operations=lines)["errors"]
    client.indices.refresh(index=_INDEX)
    backfill = BackfillSettings(processes=processes)
    figures["backfill, s"] = _seconds(lambda: list(index.backfill(settings=backfill)))
    return figures


def predicted(plan: Plan, choice: str) -> Measured:
    """Return the same figures of a plan."""
    costs = plan.costs[choice]
    return {
        "ingest, s": costs.ingest_seconds,
        "disk, MB": costs.disk / 1e6,
        "question, ms": costs.question_ms,
        "candidates": plan.candidates,
        "families, s": costs.families_seconds,
        "backfill, s": costs.backfill_seconds,
    }


def _own(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "id"}


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _make(client: elasticsearch.Elasticsearch, choice: str) -> None:
    client.indices.delete(index=f"{_INDEX},{_INDEX}-simhash", ignore_unavailable=True)
    client.indices.create(index=_INDEX, settings={"number_of_replicas": 0})
    install(client, _INDEX, semantics=DEFAULT_SEMANTICS if choice == EVERYTHING else None)


def main(argv: Sequence[str] | None = None) -> None:
    """Plan from the sample, measure all documents, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=2_000)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--processes", type=int, default=available_processors())
    options = parser.parse_args(argv)
    documents = list(news(options.documents))
    chosen = random.Random(7).sample(documents, options.sample)
    node = nodes.start(name=_NODE)
    try:
        with connect(node.url, timeout=600) as client, tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "sample.jsonl")
            lines = (json.dumps({"_id": each["id"], **_own(each)}) + "\n" for each in chosen)
            path.write_text("".join(lines), "utf-8")
            # The compiler of the node has seen such documents.
            wanted = PlanOptions(options.documents, str(path), options.processes)
            plan_index(client, wanted)
            plan = plan_index(client, wanted)
            print(f"{options.documents} documents, planned from {options.sample}")
            print(f"{'':26}{'predicted':>12}{'measured':>12}{'ratio':>8}", flush=True)
            for choice in CHOICES:
                found = measured(client, documents, choice, options.processes, node.pid)
                for name, value in predicted(plan, choice).items():
                    ratio = value / found[name] if found[name] else float("nan")
                    print(
                        f"{choice:12}{name:14}{value:12.1f}{found[name]:12.1f}{ratio:8.2f}",
                        flush=True,
                    )
    finally:
        nodes.stop(_NODE)


if __name__ == "__main__":
    run(main)
