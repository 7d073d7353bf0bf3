"""Searches for vectors as servers before 8.17 take them."""

import base64
from typing import Any

import pytest

from es_simhash.store.elasticsearch.vector_values import (
    are_missing,
    has_vectors,
    out_of_source,
    with_values,
)

VECTOR = {"field": "s.vector", "format": "binary"}
# As the server 8.15.5 answers it.
REJECTED = {
    "type": "search_phase_execution_exception",
    "root_cause": [
        {
            "type": "illegal_argument_exception",
            "reason": "Field [s.vector] of type [dense_vector] doesn't support docvalue_fields or "
            "aggregations",
        }
    ],
}


def search(source: Any = None, *values: Any) -> dict[str, Any]:
    given = {} if source is None else {"_source": source}
    return {"size": 3, "docvalue_fields": ["s.chunks", VECTOR, *values], **given}


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (False, ["s.vector"]),
        (["text"], ["text", "s.vector"]),
        ({"includes": ["text"], "excludes": ["s.sketch"]}, None),
        (None, None),
    ],
)
def test_vectors_are_asked_for_with_what_else_is_read_of_the_source(
    source: Any, wanted: Any
) -> None:
    rewritten = out_of_source(search(source))
    assert rewritten["docvalue_fields"] == ["s.chunks"]
    if isinstance(source, dict):
        wanted = {"includes": ["text", "s.vector"], "excludes": ["s.sketch"]}
    assert rewritten.get("_source") == wanted


def test_of_several_searches_those_without_vectors_stay_as_they_are() -> None:
    plain = {"size": 1, "docvalue_fields": ["a"], "_source": False}
    lines = [{"index": "a"}, plain, {"index": "b"}, search(False)]
    assert has_vectors(lines)
    assert not has_vectors(lines[:2])
    assert out_of_source(lines)[:3] == lines[:3]
    assert out_of_source(lines)[3]["_source"] == ["s.vector"]


def test_a_vector_is_a_value_and_a_source_nobody_asked_for_is_gone() -> None:
    # Of fields of the user's, vectors are numbers, and names may be dotted.
    hits = [
        {"_id": "a", "fields": {"s.chunks": ["x"]}, "_source": {"s": {"vector": "00ff"}}},
        {"_id": "b", "_source": {"s.vector": [1, -2]}},
        {"_id": "c", "_source": {}},
    ]
    answered = with_values(search(False), {"hits": {"hits": hits}})
    first, second, third = answered["hits"]["hits"]
    packed = base64.b64encode(b"\x00\xff").decode()
    assert first == {"_id": "a", "fields": {"s.chunks": ["x"], "s.vector": [packed]}}
    assert second == {"_id": "b", "fields": {"s.vector": [[1, -2]]}}
    assert third == {"_id": "c"}


def test_a_source_that_was_asked_for_stays() -> None:
    hit = {"_id": "a", "_source": {"text": "t", "s": {"vector": "01"}}}
    responses = {"responses": [{"error": {}}, {"hits": {"hits": [hit]}}]}
    lines = [{}, search(False), {}, search(["text"])]
    kept = with_values(lines, responses)["responses"][1]["hits"]["hits"][0]
    assert kept["_source"]["text"] == "t"
    assert kept["fields"]["s.vector"] == ["AQ=="]


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ({"error": REJECTED, "status": 400}, True),
        ({"responses": [{"hits": {}}, {"error": REJECTED}]}, True),
        ({"responses": [{"hits": {}}, {"error": {"type": "index_not_found_exception"}}]}, False),
        ("<html>", False),
    ],
)
def test_only_the_rejection_of_values_of_vectors_counts(answered: Any, expected: bool) -> None:
    assert are_missing(answered) is expected
