"""The model of `plan`: what grows with the documents, what does not, and what follows of it."""

from dataclasses import replace
from itertools import pairwise

import pytest

from es_simhash.errors import EsSimhashError
from es_simhash.maintenance.plans.cost_model import (
    CHOICES,
    CONSTANTS,
    EVERYTHING,
    REFERENCE,
    VERSIONS,
    Plan,
    PlanOptions,
    largest_k,
    plan_for,
    question_growth,
)

SIZES = [10**exponent for exponent in range(5, 11)]


def advice(plan: Plan) -> dict[str, str]:
    return {each.name: each.value for each in plan.advice}


@pytest.mark.parametrize("choice", CHOICES)
def test_costs_grow_with_the_documents(choice: str) -> None:
    costs = [plan_for(REFERENCE, documents, 2).costs[choice] for documents in SIZES]
    for smaller, larger in pairwise(costs):
        assert larger.disk == pytest.approx(10 * smaller.disk, rel=1e-6)
        assert larger.backfill_seconds == pytest.approx(10 * smaller.backfill_seconds)
        assert larger.families_seconds >= 10 * smaller.families_seconds
        assert larger.shards >= smaller.shards
    for cost in costs:
        assert cost.disk / cost.shards <= CONSTANTS["shard_bytes"].value
        assert 0 < cost.search_bytes < cost.growth < cost.disk
        assert cost.ingest_seconds < cost.backfill_seconds


def test_everything_costs_more_than_versions_alone() -> None:
    costs = plan_for(REFERENCE, 10**6, 2).costs
    assert costs[EVERYTHING].disk > costs[VERSIONS].disk
    assert costs[EVERYTHING].ingest_seconds > costs[VERSIONS].ingest_seconds
    assert costs[EVERYTHING].question_ms > costs[VERSIONS].question_ms


def test_more_processes_save_the_time_of_the_client_alone() -> None:
    one, four = (plan_for(REFERENCE, 10**6, count).costs[EVERYTHING] for count in (1, 4))
    saved = 10**6 * REFERENCE.client_seconds[EVERYTHING] * 3 / 4
    assert one.ingest_seconds - four.ingest_seconds == pytest.approx(saved)
    assert one.disk == four.disk


def test_candidates_are_the_shared_pairs_of_all_documents() -> None:
    sample = replace(REFERENCE, shared_pairs=0.001)
    assert plan_for(sample, 10_001, 1).candidates == pytest.approx(10)


def test_k_is_the_largest_that_examines_few_unrelated_documents() -> None:
    # Eight blocks of 16 bits: one shared block has a chance of 8 / 2^16, two of 28 / 2^32.
    assert largest_k(8_000_000) == 7
    assert largest_k(9_000_000) == 6
    assert largest_k(10**11) == 6
    assert largest_k(10**12) == 5


def test_a_question_does_not_grow_in_small_shards() -> None:
    assert question_growth(10, VERSIONS) == question_growth(1_000, EVERYTHING) == 1
    grown = question_growth(10**6, VERSIONS) / question_growth(10**5, VERSIONS)
    assert grown == pytest.approx(9.4 / 6.3, rel=0.02)


def test_what_is_advised_follows_the_size() -> None:
    small, large = (advice(plan_for(REFERENCE, size, 2)) for size in (10**5, 10**9))
    assert (small["neighbours"], small["families on"]) == ("yes", "one machine")
    assert (large["neighbours"], large["families on"]) == ("no, --no-semantics", "Spark")
    assert (small["shards"], small["k"]) == ("1", "7")
    assert int(large["shards"]) > 50


def test_what_a_small_sample_says_is_not_taken_for_sure() -> None:
    few = replace(REFERENCE, documents=376)
    assert advice(plan_for(few, 10**6, 1))["sample"] == "376 documents, too few"
    # All that there will be is enough.
    assert "sample" not in advice(plan_for(few, 376, 1))
    assert "sample" not in advice(plan_for(REFERENCE, 10**9, 1))


def test_candidates_that_are_not_compared_are_told_apart() -> None:
    many = replace(REFERENCE, shared_pairs=0.0882)
    (families,) = (each for each in plan_for(many, 10**6, 1).advice if each.name == "families on")
    assert "88,200 candidates, of which 2,000 are compared;" in families.reason


def test_the_constants_are_part_of_the_json_with_where_they_come_from() -> None:
    constants = plan_for(REFERENCE, 10, 1).to_dict()["constants"]
    assert constants.keys() == CONSTANTS.keys()
    assert all(each["source"] and each["value"] > 0 for each in constants.values())


@pytest.mark.parametrize("documents", [0, -1, 10**12 + 1])
def test_a_number_of_documents_that_no_index_has_is_rejected(documents: int) -> None:
    with pytest.raises(EsSimhashError, match=f"documents must be .*, got {documents}"):
        PlanOptions(documents)
