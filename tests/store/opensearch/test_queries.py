"""Queries that OpenSearch lacks, as queries with the same scores."""

from typing import Any

import pytest

from es_simhash.store.opensearch.queries import names_score, query, search_body

NEAREST = {"field": "s.fingerprint", "query_vector": "ff" * 8 + "00" * 8, "k": 9}
WEIGHTED = {
    "should": [
        {"term": {"s.concepts": {"value": "harbour", "boost": 2.5}}},
        {"term": {"s.concepts": {"value": "fee", "boost": 0.5}}},
    ],
    "boost": 0.5,
    "_name": "concepts",
}


def test_a_search_for_the_nearest_scores_what_its_filters_match() -> None:
    only = {"term": {"a": "b"}}
    body = search_body({"size": 3, "knn": [{**NEAREST, "similarity": 12, "filter": [only]}]})
    scored = body["query"]["script_score"]
    assert body.keys() == {"size", "query"}
    assert scored["query"]["bool"]["filter"] == [{"exists": {"field": "s.fingerprint"}}, only]
    assert scored["script"]["params"] == {"field": "s.fingerprint", "query": [-1, 0]}
    # Twelve of 128 bits differ at the most.
    assert (128 - 13) / 128 < scored["min_score"] < (128 - 12) / 128


def test_vectors_of_bytes_are_compared_by_their_cosine() -> None:
    nearest = query({"knn": {"field": "s.index_vector", "query_vector": "03fc", "boost": 0.6}})
    scored = nearest["script_score"]
    assert scored["script"]["params"] == {"field": "s.index_vector", "query": [3, -4], "norm": 5.0}
    assert scored["boost"] == 0.6
    assert "min_score" not in scored


def test_weighted_terms_are_features_with_the_name_of_the_clause() -> None:
    wanted = query({"bool": {"should": [{"bool": WEIGHTED}]}})
    (clause,) = wanted["bool"]["should"]
    assert clause["bool"]["_name"] == "concepts"
    assert clause["bool"]["boost"] == 0.5
    assert [each["rank_feature"] for each in clause["bool"]["should"]] == [
        {"field": "s.concepts.harbour", "boost": 2.5, "linear": {}},
        {"field": "s.concepts.fee", "boost": 0.5, "linear": {}},
    ]


def test_only_a_name_of_weighted_terms_needs_a_score() -> None:
    assert names_score({"bool": {"should": [{"bool": WEIGHTED}]}})
    assert not names_score({"bool": {"should": [{"term": {"a": {"value": 1, "_name": "n"}}}]}})


@pytest.mark.parametrize(
    "given",
    [
        {"match_all": {}},
        {"term": {"knn": "a"}},
        {"bool": {"filter": [{"terms": {"concepts": ["a", "b"]}}]}},
        {"term": {"taxonomy.concepts": "a"}},
        {"term": {"concepts": {"value": "a", "case_insensitive": True}}},
        {"term": {"title": {"value": "a", "boost": 2}}},
        {"knn": {"embedding": {"vector": [0.5, 1], "k": 3}}},
    ],
)
def test_queries_of_the_user_stay_as_they_are(given: dict[str, Any]) -> None:
    assert query(given) == given


def test_vectors_are_requested_without_a_format_and_highlights_as_it_spells_them() -> None:
    body = search_body(
        {
            "docvalue_fields": ["a", {"field": "v", "format": "binary"}, {"field": "d"}],
            "highlight": {"max_analyzed_offset": 9, "fields": {"t": {}}},
        }
    )
    assert body["docvalue_fields"] == ["a", "v", {"field": "d"}]
    assert body["highlight"] == {"max_analyzer_offset": 9, "fields": {"t": {}}}
