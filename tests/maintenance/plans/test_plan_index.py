"""The plan of an index from each kind of sample."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.maintenance.plans.cost_model import EVERYTHING, REFERENCE, PlanOptions
from es_simhash.maintenance.plans.measured_sample import plan_index
from es_simhash.store.elasticsearch.connection import connect


def test_without_a_sample_it_plans_for_news_and_asks_no_cluster() -> None:
    with connect("http://127.0.0.1:9") as client:
        plan = plan_index(client, PlanOptions(1_000_000))
    assert plan.sample == REFERENCE
    assert plan.costs[EVERYTHING].disk == round(1_200_000 * REFERENCE.stored[EVERYTHING])


def test_a_file_is_planned_for_where_no_cluster_answers(
    tmp_path: Path, corpus: dict[str, Any]
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in corpus.values()), "utf-8")
    with connect("http://127.0.0.1:9") as client:
        plan = plan_index(client, PlanOptions(1000, str(path)))
    assert plan.sample.source == f"file {str(path)!r}"
    assert plan.sample.documents == len(corpus)
    assert plan.sample.question_ms == REFERENCE.question_ms


@pytest.mark.cluster
def test_an_index_is_planned_for_by_its_own_figures(client: Any, sample: str) -> None:
    plan = plan_index(client, PlanOptions(1000, sample))
    assert plan.sample.source == f"index {sample!r}"
    assert plan.costs[EVERYTHING].disk == round(1200 * plan.sample.stored[EVERYTHING])
