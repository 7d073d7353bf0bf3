"""Whether all vectors of an index are of its scheme is asked once a minute."""

from dataclasses import replace
from typing import Any

import pytest

from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch import near_searches
from es_simhash.store.elasticsearch.index_searches import Searches
from es_simhash.store.elasticsearch.near_searches import NearSearches
from es_simhash.store.elasticsearch.neighbours import near_bodies, other_vectors_body, read_near
from es_simhash.store.intents import FindNear, Where
from tests.store.elasticsearch.test_neighbours import PROFILE

CONFIG = IndexConfig(semantics=DEFAULT_SEMANTICS)
HITS: dict[str, Any] = {"hits": {"hits": []}}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(near_searches, "monotonic", lambda: now[0])
    return now


def searches(
    near: NearSearches, profile: SemanticProfile = PROFILE, *, are_sent: bool = True
) -> Searches:
    request = FindNear(profile, Where(), 100)
    others = other_vectors_body(CONFIG)
    return near.searches(request, CONFIG, near_bodies, read_near, others, are_sent=are_sent)


def bodies(plan: Searches) -> list[dict[str, Any]]:
    assert plan.candidates is not None
    return plan.candidates(plan.where)


def counted(others: int) -> dict[str, Any]:
    return {"hits": {"hits": [], "total": {"value": others}}}


def is_filtered(near: NearSearches) -> bool:
    return "filter" in bodies(searches(near, are_sent=False))[0]["knn"][0]


def test_one_of_the_searches_that_are_sent_within_a_minute_asks(clock: list[float]) -> None:
    near = NearSearches()
    assert [len(bodies(searches(near))) for _ in range(3)] == [2, 1, 1]
    clock[0] = 59.0
    assert len(bodies(searches(near))) == 1
    clock[0] = 60.0
    assert [len(bodies(searches(near))) for _ in range(2)] == [2, 1]


def test_what_is_only_shown_or_has_no_search_does_not_ask(clock: list[float]) -> None:
    near = NearSearches()
    assert [len(bodies(searches(near, are_sent=False))) for _ in range(2)] == [2, 2]
    assert bodies(searches(near, SemanticProfile())) == []
    assert len(bodies(searches(near, replace(PROFILE, vector=None)))) == 1
    assert len(bodies(searches(near))) == 2


def test_a_filter_is_there_until_no_other_vectors_are_known_to_be(clock: list[float]) -> None:
    near = NearSearches()
    assert is_filtered(near)
    for others in (0, 1, 0):
        plan = searches(near)
        assert len(bodies(plan)) == 2
        plan.read([HITS, counted(others)])
        assert is_filtered(near) == bool(others)
        searches(near).read([HITS])
        assert is_filtered(near) == bool(others)
        clock[0] += 60.0
