"""Searches that may come without hits: of an index that may not be read, or rejected for much."""

from collections.abc import Mapping
from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.searches import OptionalSearch, search_all, search_each

HITS = {"hits": {"hits": [{"_id": "a"}]}, "status": 200}
FORBIDDEN = {"error": {"type": "security_exception", "reason": "no permissions"}, "status": 403}
BLOCKED = {"error": {"type": "cluster_block_exception", "reason": "blocked"}, "status": 403}
# As OpenSearch and Elasticsearch 8.15 answer it; newer ones say 400.
MANY = {
    "error": {"type": "too_many_nested_clauses", "reason": "maxClauseCount is set to 1024"},
    "status": 500,
}
FAILED = {"error": {"type": "x", "reason": "broken"}, "status": 500}
BODY = {"size": 1}


def returned(calls: Any, *responses: Mapping[str, Any]) -> Any:
    """Return what calls return that are answered with responses to several searches."""
    next(calls)
    try:
        calls.send(list(responses))
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it sends another request")


def test_another_index_that_may_not_be_read_has_no_hits() -> None:
    state = OptionalSearch("a-simhash", BODY)
    first, second = returned(search_all("a", [BODY], [state]), HITS, FORBIDDEN)
    assert first == HITS
    assert second["hits"]["hits"] == []


@pytest.mark.parametrize(
    ("index", "response"), [("a-simhash", BLOCKED), ("a-simhash", FAILED), (None, FORBIDDEN)]
)
def test_all_else_that_fails_is_an_error(index: str | None, response: Any) -> None:
    with pytest.raises(ClusterError):
        returned(search_all("a", [BODY], [OptionalSearch(index, BODY)]), HITS, response)
    with pytest.raises(ClusterError):
        returned(search_all("a", [BODY]), FORBIDDEN)


def test_a_search_of_too_many_clauses_is_rejected_and_has_not_failed() -> None:
    rejectable = OptionalSearch(None, BODY, may_be_rejected=True)
    _, second = returned(search_all("a", [BODY], [rejectable]), HITS, MANY)
    assert second["rejected"]
    assert returned(search_each("a", [BODY, BODY]), MANY, HITS) == [None, HITS]
    with pytest.raises(ClusterError, match="broken"):
        returned(search_each("a", [BODY, BODY]), FAILED, HITS)
