"""Searches that may come without hits: of an index that may not be read, or rejected for much."""

from collections.abc import Mapping
from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.retry import Unavailable
from es_simhash.store.elasticsearch.searches import (
    OptionalSearch,
    count,
    search,
    search_all,
    search_each,
)

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


def shards(**failed: Any) -> dict[str, Any]:
    """Return an answer to a search that some shards do not take part in."""
    return {**HITS, "_shards": {"total": 2, "successful": 1, **failed}}


def because(kind: str) -> dict[str, Any]:
    """Return an answer that says why a shard failed."""
    failure = {"shard": 1, "index": "a", "node": None, "reason": {"type": kind, "reason": kind}}
    return shards(failed=1, failures=[failure])


INCOMPLETE = [
    (because("no_shard_available_action_exception"), r"Shards \[a\]\[1\] do not answer"),
    (because("circuit_breaking_exception"), r"Shards \[a\]\[1\] do not answer"),
    (because("es_rejected_execution_exception"), r"Shards \[a\]\[1\] do not answer"),
    (shards(failed=1), "the results would be incomplete"),
    ({**HITS, "timed_out": True}, "the results would be incomplete"),
]


@pytest.mark.parametrize(("partial", "message"), INCOMPLETE)
def test_an_answer_of_some_shards_is_asked_for_again_or_an_error(
    partial: dict[str, Any], message: str
) -> None:
    one, several = next(search("a", BODY)), next(search_all("a", [BODY, BODY]))
    for call, answer in ((one, partial), (several, {"responses": [HITS, partial]})):
        with pytest.raises(Unavailable):
            call.read(answer, True)
        with pytest.raises(ClusterError, match=message):
            call.read(answer, False)
    assert one.read(HITS, True) == HITS
    assert several.read({"responses": [HITS, FORBIDDEN]}, True) == [HITS, FORBIDDEN]


def test_a_shard_that_rejects_a_search_is_not_asked_again() -> None:
    call = next(search("a", BODY))
    with pytest.raises(ClusterError, match="Index 'a' rejects the search: number_format_exception"):
        call.read(because("number_format_exception"), True)


def test_a_count_is_asked_for_again_while_a_shard_is_busy() -> None:
    call = next(count("a"))
    with pytest.raises(Unavailable, match=r"shards \[a\]\[1\] do not answer"):
        call.read({"count": 1, **because("es_rejected_execution_exception")}, True)
