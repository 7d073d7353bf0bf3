"""Answers of searches while a shard is on no node or fails, as Elasticsearch words them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

# What a search that wants all shards is answered, and one that takes what there is: a count, say.
SHARD_MISSING = "shard missing"
# What it is answered where nobody knows that it wants all.
PARTIAL = "partial answer"
IN_SEARCHES = (SHARD_MISSING, PARTIAL)
_KINDS = frozenset({"_search", "_msearch", "_count", "_pit"})
_COMPLETE = "allow_partial_search_results"
_SHARD = {"index": "of the tests", "shard": 1, "node": None}
_REASONS = {
    SHARD_MISSING: {"type": "no_shard_available_action_exception", "reason": None},
    PARTIAL: {"type": "circuit_breaking_exception", "reason": "[parent] Data too large"},
}
_REJECTED = {
    "type": "search_phase_execution_exception",
    "reason": "",
    "phase": "query",
    "grouped": True,
    "failed_shards": [],
}
_WHY = f"Search rejected due to missing shards [[of the tests][1]]. Consider using `{_COMPLETE}`."
_UNAVAILABLE = 503
_ERROR = {
    "error": {"root_cause": [], **_REJECTED, "caused_by": {**_REJECTED, "reason": _WHY}},
    "status": _UNAVAILABLE,
}


def is_search(method: str, path: str) -> bool:
    """Check whether a request is a search, a count, or opens a point in time."""
    return method != "DELETE" and _kind(path) in _KINDS


def without_shard(fault: str, path: str, body: bytes, content: bytes) -> tuple[int, bytes]:
    """Return status and body of the answer to a search for which a shard is missing.

    Args:
        fault: One of `IN_SEARCHES`.
        path: Of the request.
        body: Of the request.
        content: Body of the answer of all shards.
    """
    answer, kind = json.loads(content), _kind(path)
    if kind == "_msearch":
        headers = [json.loads(line) for line in body.splitlines()[::2]]
        answer["responses"] = _some_failed(fault, headers, answer["responses"])
        status = 200
    elif kind == "_count":
        status, answer = 200, {"count": answer["count"] // 2, "_shards": _shards(fault)}
    else:
        wanted = parse_qs(urlsplit(path).query).get(_COMPLETE, [""])
        is_rejected = kind == "_pit" or wanted == ["false"]
        status, answer = _answered(fault, answer, is_rejected=is_rejected)
    return status, json.dumps(answer).encode()


def _kind(path: str) -> str:
    return urlsplit(path).path.rpartition("/")[2]


def _some_failed(
    fault: str, headers: Sequence[Mapping[str, Any]], responses: Sequence[Mapping[str, Any]]
) -> list[Any]:
    """Return the responses to several searches, of which every other one misses a shard."""
    answered = []
    for number, (header, response) in enumerate(zip(headers, responses, strict=True)):
        if number % 2 or "hits" not in response:
            answered.append(response)
            continue
        is_rejected = header.get(_COMPLETE) is False
        status, partial = _answered(fault, response, is_rejected=is_rejected)
        answered.append({**partial, "status": status})
    return answered


def _answered(
    fault: str, response: Mapping[str, Any], *, is_rejected: bool
) -> tuple[int, Mapping[str, Any]]:
    if "hits" not in response or (is_rejected and fault == SHARD_MISSING):
        return _UNAVAILABLE, _ERROR
    return 200, _partial(fault, response)


def _partial(fault: str, response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response to a search without every other hit and bucket, the first one too."""
    hits = {**response["hits"], "hits": response["hits"]["hits"][1::2]}
    if "total" in hits:
        hits["total"] = {**hits["total"], "value": hits["total"]["value"] // 2}
    partial = {**response, "hits": hits, "_shards": _shards(fault)}
    if "aggregations" in response:
        partial["aggregations"] = {
            name: _half(aggregation) for name, aggregation in response["aggregations"].items()
        }
    return partial


def _half(aggregation: Mapping[str, Any]) -> Mapping[str, Any]:
    buckets = aggregation.get("buckets")
    return {**aggregation, "buckets": buckets[1::2]} if isinstance(buckets, list) else aggregation


def _shards(fault: str) -> dict[str, Any]:
    failures = [{**_SHARD, "reason": _REASONS[fault]}]
    return {"total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": failures}
