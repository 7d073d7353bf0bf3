"""The search for semantic neighbours: its body, and what it says of what it leaves unread."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.thresholds import FINGERPRINT_MARGIN, UNREAD_MARGIN
from es_simhash.semantics.semantic_profile import Entity, SemanticProfile
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.narrowing import widened
from es_simhash.store.elasticsearch.neighbours import near_bodies, read_near
from es_simhash.store.intents import FindNear, Where

CONFIG = IndexConfig(DEFAULT, semantics=DEFAULT_SEMANTICS)
VECTOR = np.full(256, 1 / 16, np.float32)
PROFILE = SemanticProfile(
    "en",
    {"harbour": 0.8, "fee": 0.6},
    (Entity("Port Elm"), Entity("Anna Quay")),
    VECTOR,
    frozenset(),
)


def body(profile: SemanticProfile = PROFILE, candidates: int = 100) -> dict[str, Any]:
    request = FindNear(profile, Where(), candidates)
    (search,) = near_bodies(request, CONFIG, Where())
    return search


def clauses(profile: SemanticProfile = PROFILE, candidates: int = 100) -> list[dict[str, Any]]:
    clauses: list[dict[str, Any]] = body(profile, candidates)["query"]["bool"]["should"]
    return clauses


def unread(scores: list[float], profile: SemanticProfile = PROFILE, candidates: int = 2) -> float:
    hits = [{"_id": str(n), "_index": "i", "_score": score} for n, score in enumerate(scores)]
    response = {"hits": {"hits": hits}}
    return read_near([response], FindNear(profile, Where(), candidates), CONFIG).unread


def test_the_order_adds_up_vectors_concepts_and_equal_names() -> None:
    nearest, concepts, *names = clauses()
    assert nearest["knn"]["field"] == "simhash.vector_fingerprint"
    assert nearest["knn"]["boost"] == 0.6
    assert concepts["bool"]["boost"] == 0.5
    searched = [each["constant_score"] for each in names]
    assert [each["filter"] for each in searched] == [
        {"terms": {"simhash.entities": ["PORT ELM", "Port Elm"]}},
        {"terms": {"simhash.entities": ["ANNA QUAY", "Anna Quay"]}},
    ]
    # Together, all names of a text count as much as its entities do.
    assert sum(each["boost"] for each in searched) == pytest.approx(0.15, abs=0.001)


def test_vectors_that_say_little_order_less_and_concepts_more() -> None:
    little = replace(PROFILE, vector_table="2026", has_learned_vector=True, vector_trust=0.2)
    nearest, concepts, *names = clauses(little)
    # The parts of the similarity, 0.35 x 0.2 of it the vectors': a cosine of 1 scores 1, of -1 0.
    assert nearest["knn"]["boost"] == 0.14
    assert concepts["bool"]["boost"] == 0.73
    boosts = [name["constant_score"]["boost"] for name in names]
    assert sum(boosts) == pytest.approx(0.2, abs=0.001)
    # Without a name the concepts have its part.
    assert clauses(replace(little, entities=()))[1]["bool"]["boost"] == 0.93
    # The score of concepts is their cosine times the boost.
    hit = {"_id": "a", "_index": "i", "_score": 0.5, "matched_queries": {"concepts": 0.5}}
    profile = replace(PROFILE, vector=None, entities=())
    (found,) = read_near(
        [{"hits": {"hits": [hit]}}], FindNear(profile, Where(), 2), CONFIG
    ).neighbours
    assert found.semantics.concepts == pytest.approx(0.5)


def test_many_more_vectors_are_compared_than_documents_are_read() -> None:
    assert body()["size"] == 200
    assert clauses()[0]["knn"]["k"] == clauses()[0]["knn"]["num_candidates"] == 5000
    assert body(candidates=4000)["size"] == clauses(candidates=4000)[0]["knn"]["k"] == 8000
    assert body(candidates=10_000)["size"] == 10_000


def test_a_wider_search_compares_no_fewer_vectors() -> None:
    wide = widened(body(candidates=10))
    assert wide["size"] == 200
    assert wide["query"]["bool"]["should"][0]["knn"]["k"] == 5000


def test_names_are_left_out_where_they_do_not_count() -> None:
    assert len(clauses(replace(PROFILE, entities=()))) == 2
    # Chinese names are words already.
    assert len(clauses(replace(PROFILE, language="zh"))) == 2
    assert [*clauses(replace(PROFILE, vector=None))[0]] == ["bool"]


def test_nothing_is_unread_when_there_were_fewer_than_requested() -> None:
    assert unread([]) == 0
    assert unread([0.9, 0.8, 0.7]) == 0


def test_the_nearest_are_returned_and_what_is_left_counts_as_unread() -> None:
    hits = [
        {"_id": id, "_index": "i", "_score": 0.0, "matched_queries": {"concepts": score}}
        for id, score in (("a", 0.15), ("b", 0.6), ("c", 0.45))
    ]
    request = FindNear(replace(PROFILE, vector=None, entities=()), Where(), 2)
    found = read_near([{"hits": {"hits": hits}}], request, CONFIG)
    assert [near.id for near in found.neighbours] == ["b", "c"]
    assert [id for _, id in found.keys] == ["b", "c"]
    assert found.unread == pytest.approx(0.15)


def test_what_is_unread_may_be_nearer_than_the_last_that_was_read_by_a_margin() -> None:
    # Vectors that have nothing in common have half of their bits equal.
    assert unread([0.9, 0.8, 0.7, 0.65]) == pytest.approx(0.35 + FINGERPRINT_MARGIN)
    assert unread([0.9, 0.8, 0.7, 0.2]) == FINGERPRINT_MARGIN
    assert unread([0.9, 0.8, 0.7, 0.2], replace(PROFILE, vector=None)) == pytest.approx(
        0.2 + UNREAD_MARGIN
    )
