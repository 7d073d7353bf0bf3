"""Searches: one, many in one request, and counts; a shard that fails is an error."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.calls import Call, Calls, index_path
from es_simhash.store.elasticsearch.errors import (
    FORBIDDEN,
    NO_SHARD,
    missing_shards,
    search_error,
)
from es_simhash.store.elasticsearch.retry import RETRYABLE, Unavailable

# What a shard that fails has would be missed silently.
_COMPLETE = {"allow_partial_search_results": False}
# Status of a search with a value that the engine cannot read.
_INVALID = 400
# Of one whose shards are on no node, or not open yet: "all shards failed", without saying why.
_SHARDLESS = 503
# Of one with more clauses than the server takes, which OpenSearch, and Elasticsearch 8.15, answer
# with the status of a failure.
_TOO_MANY = re.compile(r"maxClauseCount|too_many_(nested_)?clauses")
# Seconds before each further search of an index whose shard is on no node: it may be a moment old.
_CREATION_DELAYS = (0.05, 0.1, 0.2, 0.4, 0.8)
# Why a shard fails for now: it is on no node, or its node is busy.
_PASSING = frozenset({NO_SHARD, "circuit_breaking_exception", "es_rejected_execution_exception"})
_NOTHING: Mapping[str, Any] = {"hits": {"hits": []}}
_REJECTED: Mapping[str, Any] = {"hits": {"hits": []}, "rejected": True}

# Frequencies of terms are counted over all shards.
_OVER_SHARDS = {"search_type": "dfs_query_then_fetch"}


class TermSearch(dict[str, Any]):
    """Body of a search whose hits are ordered by how frequent terms are.

    That is counted over all shards, so that the order does not depend on how many there are.
    """


@dataclass(frozen=True)
class OptionalSearch:
    """A search of an index that need not exist; without it, or the privilege to read it, no hits.

    Attributes:
        index: Its name; None for the index of the other searches.
        body: Of the search.
        may_be_rejected: Whether an index may not accept it, such as one with too many terms; the
            response is then one without hits that says `rejected`.
    """

    index: str | None
    body: Mapping[str, Any]
    may_be_rejected: bool = False


def search(index: str | None, body: Mapping[str, Any]) -> Calls[Any]:
    """Return the response to one search.

    Args:
        index: Index, alias or data stream; None when the body names a point in time.
        body: Of the search.

    Raises:
        PointInTimeExpired: The point in time is gone.
        ClusterError: The search is rejected, or a shard does not answer.
    """
    params = {"allow_partial_search_results": "false"}
    return (yield Call("POST", index_path(index, "_search"), dict(body), params, _whole))


def _whole(response: Any, may_retry: bool) -> Any:
    """Return the response to one search if it is of all shards.

    Elasticsearch is told to fail otherwise; what answers in its place may not know that.

    Raises:
        Unavailable: Shards are missing or were too slow, and a retry may help.
        ClusterError: Shards are missing, were too slow, or reject the search.
    """
    shards = response.get("_shards", {})
    if failures := shards.get("failures"):
        _raise_failures(failures, may_retry=may_retry)
    if not shards.get("failed") and not response.get("timed_out"):
        return response
    if may_retry:
        raise Unavailable("a search is answered by some of the shards")
    raise ClusterError(
        "Some shards do not answer a search in time, so the results would be incomplete. Search "
        "again when the cluster is less busy and `GET _cluster/health` is not red."
    )


def search_all(
    index: str | None,
    bodies: Sequence[Mapping[str, Any]],
    optional: Sequence[OptionalSearch] = (),
) -> Calls[list[Mapping[str, Any]]]:
    """Return the responses to many searches; see `Gateway.search_all`."""
    responses = yield from _send_all(index, bodies, optional)
    yield from _ask_again(index, responses, dict(enumerate(optional, len(bodies))))
    for number, further in enumerate(optional, len(bodies)):
        if further.may_be_rejected and _is_invalid(responses[number]):
            responses[number] = _REJECTED
        elif further.index is not None and _is_forbidden(responses[number]):
            # Elasticsearch passes over an index that may not be read, OpenSearch says so.
            responses[number] = _NOTHING
    for response in responses:
        _require_answer(response, index)
    return responses


def _ask_again(
    index: str | None,
    responses: list[Mapping[str, Any]],
    optional: Mapping[int, OptionalSearch],
) -> Calls[None]:
    """Repeat searches of further indices that another process is creating; replace responses.

    Args:
        index: Index of the other searches, a shard of which that is missing is an error at once.
        responses: To all searches.
        optional: Further searches, by the place of their responses.
    """
    for delay in _CREATION_DELAYS:
        pending = {
            number: further
            for number, further in optional.items()
            if further.index not in (None, index) and responses[number].get("status") == _SHARDLESS
        }
        if not pending:
            return
        again = yield from _send_all(index, [], list(pending.values()), delay)
        for number, response in zip(pending, again, strict=True):
            responses[number] = response


def _is_invalid(response: Mapping[str, Any]) -> bool:
    """Check whether a search was rejected for what it says."""
    return response.get("status") == _INVALID or bool(
        _TOO_MANY.search(str(response.get("error", "")))
    )


def _is_forbidden(response: Mapping[str, Any]) -> bool:
    return bool(response.get("error", {}).get("type") == FORBIDDEN)


def search_each(
    index: str, bodies: Sequence[Mapping[str, Any]]
) -> Calls[list[Mapping[str, Any] | None]]:
    """Return the responses to many searches, None for those the engine rejects as invalid.

    Raises:
        ClusterError: A search is rejected for another reason, or a shard does not answer.
    """
    responses = yield from _send_all(index, bodies)
    for response in responses:
        if not _is_invalid(response):
            _require_answer(response, index)
    return [None if "error" in response else response for response in responses]


def _require_answer(response: Mapping[str, Any], index: str | None) -> None:
    if "error" in response:
        raise search_error(response["error"], index)


def _send_all(
    index: str | None,
    bodies: Sequence[Mapping[str, Any]],
    optional: Sequence[OptionalSearch] = (),
    delay: float = 0.0,
) -> Calls[list[Mapping[str, Any]]]:
    if not bodies and not optional:
        return []
    lines = [line for body in bodies for line in (_header(body), body)]
    for further in optional:
        lines += [{**_header(further.body), **_place(further)}, further.body]
    params = {"include_named_queries_score": "true"}
    path = index_path(index, "_msearch")
    call = Call("POST", path, lines, params, _responses, delay)
    responses: list[Mapping[str, Any]] = yield call
    return responses


def _responses(response: Any, may_retry: bool) -> list[Mapping[str, Any]]:
    responses: list[Mapping[str, Any]] = response["responses"]
    statuses = RETRYABLE.intersection(entry.get("status") for entry in responses)
    if statuses and may_retry:
        raise Unavailable(f"a search is answered with {min(statuses)}")
    return [_whole(response, may_retry) for response in responses]


def _header(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_COMPLETE, **_OVER_SHARDS} if isinstance(body, TermSearch) else _COMPLETE


def _place(search: OptionalSearch) -> dict[str, Any]:
    if search.index is None:
        return {}
    return {"index": search.index, "ignore_unavailable": True}


def count(
    index: str, query: Mapping[str, Any] | None = None, *, shard: int | None = None
) -> Calls[int]:
    """Return the number of documents that match a query, by default of all."""
    path, params = index_path(index, "_count"), shard_preference(shard)
    body = {"query": query or {"match_all": {}}}
    counted: int = yield Call("POST", path, body, params, _counted)
    return counted


def _counted(response: Any, may_retry: bool) -> int:
    if failures := response["_shards"].get("failures"):
        _raise_failures(failures, may_retry=may_retry)
    return int(response["count"])


def _raise_failures(failures: Sequence[Mapping[str, Any]], *, may_retry: bool) -> NoReturn:
    """Raise for shards that an answer lacks: a count has no parameter for that, as searches have.

    Raises:
        Unavailable: A shard is on no node now or busy, and a retry may help.
        ClusterError: A shard is on no node, busy, or rejects the query.
    """
    missing = [
        f"[{each['index']}][{each['shard']}]"
        for each in failures
        if each["reason"]["type"] in _PASSING
    ]
    if missing and may_retry:
        raise Unavailable(f"shards {', '.join(missing)} do not answer")
    if missing:
        raise missing_shards(", ".join(missing))
    raise search_error({**failures[0]["reason"], "failed_shards": failures})


def shard_preference(shard: int | None) -> dict[str, str]:
    """Return the parameters that send a request to one shard alone."""
    return {} if shard is None else {"preference": f"_shards:{shard}"}
