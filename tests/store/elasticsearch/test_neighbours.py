"""The search for semantic neighbours: its body, and what it says of what it leaves unread."""

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.thresholds import UNREAD_MARGIN
from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.semantics.semantic_profile import Entity, SemanticProfile
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, WORD_VECTORS
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


OWN_SCHEME = {"term": {"simhash.semantic_scheme": DEFAULT_SEMANTICS.name}}
OWN_TABLE = {"term": {"simhash.vector_table": WORD_VECTORS}}


def without(query: dict[str, Any]) -> dict[str, Any]:
    return {"bool": {"must_not": [query]}}


def body(profile: SemanticProfile = PROFILE, candidates: int = 100) -> dict[str, Any]:
    request = FindNear(profile, Where(), candidates)
    (search,) = near_bodies(request, CONFIG, Where())
    return search


def clauses(profile: SemanticProfile = PROFILE, candidates: int = 100) -> list[dict[str, Any]]:
    clauses: list[dict[str, Any]] = body(profile, candidates)["query"]["bool"]["should"]
    return clauses


def knn(profile: SemanticProfile = PROFILE, candidates: int = 100) -> dict[str, Any]:
    search: dict[str, Any]
    (search,) = body(profile, candidates)["knn"]
    return search


def concept_boost(clause: dict[str, Any]) -> float:
    """Return what each concept of the profile is multiplied by, which is the same for all."""
    terms = [each["term"]["simhash.concepts"] for each in clause["bool"]["should"]]
    (boost,) = {round(term["boost"] / PROFILE.concepts[term["value"]], 4) for term in terms}
    return float(boost)


def unread(scores: list[float], profile: SemanticProfile = PROFILE, candidates: int = 2) -> float:
    hits = [{"_id": str(n), "_index": "i", "_score": score} for n, score in enumerate(scores)]
    response = {"hits": {"hits": hits}}
    return read_near([response], FindNear(profile, Where(), candidates), CONFIG).unread


def test_the_order_adds_up_vectors_concepts_and_equal_names() -> None:
    nearest, (concepts, *names) = knn(), clauses()
    assert nearest["field"] == "simhash.vector_fingerprint"
    assert nearest["boost"] == 0.6
    assert concept_boost(concepts) == pytest.approx(0.5)
    searched = [each["constant_score"] for each in names]
    assert [each["filter"] for each in searched] == [
        {"terms": {"simhash.entities": ["PORT ELM", "Port Elm"]}},
        {"terms": {"simhash.entities": ["ANNA QUAY", "Anna Quay"]}},
    ]
    # Together, all names of a text count as much as its entities do.
    assert sum(each["boost"] for each in searched) == pytest.approx(0.15, abs=0.001)


def test_vectors_that_say_little_order_less_and_concepts_more() -> None:
    little = replace(PROFILE, vector_table="2026", has_learned_vector=True, vector_trust=0.2)
    concepts, *names = clauses(little)
    # The parts of the similarity, 0.35 x 0.2 of it the vectors': a cosine of 1 scores 1, of -1 0.
    assert knn(little)["boost"] == 0.14
    assert concept_boost(concepts) == pytest.approx(0.73)
    boosts = [name["constant_score"]["boost"] for name in names]
    assert sum(boosts) == pytest.approx(0.2, abs=0.001)
    # Without a name the concepts have its part.
    assert concept_boost(clauses(replace(little, entities=()))[0]) == pytest.approx(0.93)
    # The score of concepts is their cosine times the boost.
    hit = {"_id": "a", "_index": "i", "_score": 0.5, "matched_queries": {"concepts": 0.5}}
    profile = replace(PROFILE, vector=None, entities=())
    (found,) = read_near(
        [{"hits": {"hits": [hit]}}], FindNear(profile, Where(), 2), CONFIG
    ).neighbours
    assert found.semantics.concepts == pytest.approx(0.5)


def test_fewer_than_half_of_what_is_read_is_there_for_its_vectors_alone() -> None:
    assert (body()["size"], knn()["k"], knn()["num_candidates"]) == (200, 80, 240)
    assert (body(candidates=4000)["size"], knn(candidates=4000)["k"]) == (8000, 3200)
    assert body(candidates=10_000)["size"] == knn(candidates=10_000)["num_candidates"] == 10_000


def test_a_wider_search_has_the_same_part_of_vectors() -> None:
    wide = widened(body(candidates=10))
    assert wide["size"] == 200
    assert [(search["k"], search["num_candidates"]) for search in wide["knn"]] == [(80, 240)]
    widest = widened(widened(wide))
    assert widest["size"] == widest["knn"][0]["num_candidates"] == 10_000


def test_lucene_may_merge_the_query_with_its_clauses_and_with_the_search_for_vectors() -> None:
    # It merges optional clauses that have no boost, and queries that have no others.
    query = body()["query"]["bool"]
    assert query.keys() == {"should", "minimum_should_match"}
    assert query["should"][0]["bool"].keys() == {"should", "_name"}
    others = Where(({"term": {"owner": "desk"}},), excluded_ids=("a",))
    (search,) = near_bodies(FindNear(PROFILE, others, 100), CONFIG, others)
    assert "must_not" not in search["query"]["bool"]
    assert {"ids": {"values": ["a"]}} in search["post_filter"]["bool"]["must_not"]
    assert search["query"]["bool"]["filter"] == [{"term": {"owner": "desk"}}]


def test_where_all_vectors_are_of_the_scheme_no_filter_goes_through_all_documents() -> None:
    others = Where(excluded_ids=("a",))
    request = FindNear(PROFILE, others, 100)
    (search,) = near_bodies(request, CONFIG, others, is_uniform=True)
    (nearest,) = search["knn"]
    # One more, as the document of the question is left out afterwards.
    assert (nearest["k"], "filter" in nearest) == (81, False)
    (search,) = near_bodies(request, CONFIG, others)
    (nearest,) = search["knn"]
    assert (nearest["k"], nearest["filter"]) == (81, [OWN_SCHEME, OWN_TABLE])


def test_documents_that_are_not_asked_for_take_no_place_of_the_nearest() -> None:
    own = {"term": {"owner": "desk"}}
    for others, left in [
        (Where((own,), excluded_ids=("a",)), [own]),
        (Where(excluded_families=("f",)), [without({"term": {"simhash.family": "f"}})]),
        (
            Where(excluded_ids=tuple("abcdefghijk")),
            [without({"ids": {"values": [*"abcdefghijk"]}})],
        ),
    ]:
        request = FindNear(PROFILE, others, 100)
        (search,) = near_bodies(request, CONFIG, others, is_uniform=True)
        assert search["knn"][0]["filter"] == left


def test_vectors_of_each_language_are_searched_apart() -> None:
    learned = replace(PROFILE, vector_table="2026", has_learned_vector=True, shipped_vector=VECTOR)
    (search,) = near_bodies(FindNear(learned, Where(), 100), CONFIG, Where(), is_uniform=True)
    of_language, shipped = search["knn"]
    assert {"term": {"simhash.vector_language": "en"}} in of_language["filter"]
    assert "filter" not in shipped


def test_names_are_left_out_where_they_do_not_count() -> None:
    assert len(clauses(replace(PROFILE, entities=()))) == 1
    # Chinese names are words already.
    assert len(clauses(replace(PROFILE, language="zh"))) == 1
    assert "knn" not in body(replace(PROFILE, vector=None))


def test_a_text_that_has_a_vector_alone_is_searched_by_it() -> None:
    alone = body(replace(PROFILE, concepts={}, entities=()))
    assert "query" not in alone
    assert len(alone["knn"]) == 1


def test_a_text_whose_names_are_all_too_common_is_not_searched_for() -> None:
    common = LanguageBackground(1000, names={"port elm": 900, "port": 900, "elm": 900})
    background = Background("2026-11-26", DEFAULT_SEMANTICS.name, {"en": common})
    names_alone = replace(
        PROFILE, concepts={}, vector=None, entities=(Entity("Port Elm"),), background=background
    )
    request = FindNear(names_alone, Where(), 100)
    assert near_bodies(request, CONFIG, Where()) == []
    assert not read_near([], request, CONFIG).neighbours


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
    assert unread([0.9, 0.8, 0.7, 0.2], replace(PROFILE, vector=None)) == pytest.approx(
        0.2 + UNREAD_MARGIN
    )


LEARNED = replace(PROFILE, vector_table="2026", has_learned_vector=True, vector_trust=1.0)


def read_by_cosines(rows: list[tuple[float, float]]) -> float:
    """Return how near what is unread may be, by score and cosine of what was read; no names."""
    values = {"simhash.vector_table": ["2026"], "simhash.vector_language": ["en"]}
    hits = []
    for number, (score, cosine) in enumerate(rows):
        across = np.zeros(256)
        across[0], across[1] = 1, -1
        vector = cosine * VECTOR + np.sqrt(1 - cosine**2) * across / np.sqrt(2)
        packed = base64.b64encode(np.round(vector * 127).astype(np.int8).tobytes()).decode()
        fields = {**values, "simhash.index_vector": [packed]}
        hits.append({"_id": str(number), "_index": "i", "_score": score, "fields": fields})
    request = FindNear(replace(LEARNED, entities=()), Where(), 5)
    return read_near([{"hits": {"hits": hits}}], request, CONFIG).unread


def test_what_is_unread_is_as_far_as_the_last_of_the_nearest_vectors() -> None:
    # Of six that are read, three are there for their vectors; the others have no part for theirs.
    rows = [(0.65, 0.9), (0.63, 0.8), (0.595, 0.7), (0.4, 0.2), (0.3, 0.1), (0.2, 0.0)]
    assert read_by_cosines(rows) == pytest.approx(0.2 + 0.35 * 0.7 + UNREAD_MARGIN, abs=0.01)


def test_where_all_vectors_are_compared_what_is_unread_scores_less_than_the_last() -> None:
    # An engine without a graph: a cosine of 0 scores 0.35.
    rows = [(0.7, 0.9), (0.65, 0.8), (0.6, 0.7), (0.55, 0.2), (0.52, 0.1), (0.5, 0.0)]
    assert read_by_cosines(rows) == pytest.approx(0.5 - 0.35 + UNREAD_MARGIN, abs=0.01)


def test_where_all_that_shares_a_concept_was_read_only_vectors_may_be_near() -> None:
    rows = [(0.65, 0.9), (0.63, 0.8), (0.595, 0.7), (0.4, 0.2), (0.3, 0.1)]
    assert read_by_cosines(rows) == pytest.approx(0.35 * 0.7 + UNREAD_MARGIN, abs=0.01)
