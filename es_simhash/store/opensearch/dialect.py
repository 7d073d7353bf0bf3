"""The requests of Elasticsearch as requests of OpenSearch, and what these answer as its responses.

Most requests are the same. A request is a generator that yields what is sent and is sent the
replies, so that one copy serves clients that wait and clients that do not.
"""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from es_simhash.store.elasticsearch.errors import NO_SHARD, shards_missed
from es_simhash.store.opensearch.queries import is_binary, names_score, search_body
from es_simhash.store.opensearch.vector_fields import (
    from_opensearch,
    is_vector,
    packed,
    padded,
    to_opensearch,
)

_PIT, _POINTS = "_pit", "_search/point_in_time"
_SCORES = "include_named_queries_score"
# The last parts of paths whose bodies, or whose responses, have mappings.
_MAPPED = frozenset({"_mapping", "_mappings", "_component_template", "_index_template"})
# Before it, a point in time cannot be paged by the position of a document.
_SHARD_DOC = (3, 3)
# Since then keywords are scored alike, unless their mapping says otherwise.
_SIMILARITY = (3, 0)
_COMPLETE = {"allow_partial_search_results": "false"}
_SHARD = re.compile(r"\[([^\[\]]+)\]\[(\d+)\]")
_BY_ID = ({"_index": "asc"}, {"_id": "asc"})
# Documents of two indices may have one place there: a page would leave some of them out.
_BY_PLACE = ({"_index": "asc"}, "_shard_doc")


@dataclass(frozen=True)
class Sent:
    """What is sent: method, path with its query string, and the body before it is serialised."""

    method: str
    target: str
    body: Any = None


@dataclass(frozen=True)
class Reply:
    """What is answered: the status, and the body after it was parsed."""

    status: int
    body: Any

    @property
    def is_success(self) -> bool:
        """Whether the request was accepted."""
        return 200 <= self.status < 300


# Yields requests, is sent their replies, and returns the reply that Elasticsearch would give.
Exchange = Generator[Sent, Reply, Reply]


@dataclass(frozen=True)
class Dialect:
    """OpenSearch of one version.

    Attributes:
        version: Major and minor number.
    """

    version: tuple[int, ...]

    def exchange(self, sent: Sent) -> Exchange:
        """Return the requests for one of Elasticsearch, and its reply."""
        path, _, query = sent.target.partition("?")
        parts = [part for part in path.split("/") if part]
        last = parts[-1] if parts else ""
        params = dict(parse_qsl(query, keep_blank_values=True))
        if last == _PIT:
            return _point_in_time(sent, path, query)
        if last == "_msearch" and isinstance(sent.body, Sequence):
            return self._multi_search(sent, path, params)
        if last == "_search" and isinstance(sent.body, Mapping):
            return self._search(sent)
        if last == "_count" and isinstance(sent.body, Mapping):
            return self._count(sent, path, params)
        if sent.method in ("PUT", "POST") and _has_mappings(parts):
            has_similarity = self.version >= _SIMILARITY
            body = to_opensearch(sent.body, has_similarity=has_similarity)
            written = Sent(sent.method, sent.target, body)
            # A template that is simulated is answered with its mappings.
            return _read(written, from_opensearch)
        if sent.method == "GET" and _has_mappings(parts):
            return _read(sent, from_opensearch)
        return _as_it_is(sent)

    def _search(self, sent: Sent) -> Exchange:
        body = sent.body
        reply = yield Sent(sent.method, sent.target, self._body(body))
        return Reply(reply.status, _with_bytes(reply.body, body)) if reply.is_success else reply

    def _count(self, sent: Sent, path: str, params: Mapping[str, str]) -> Exchange:
        """Count by a search, which fails where a shard is missing: a count would leave it out."""
        body = {**self._body(sent.body), "size": 0, "track_total_hits": True}
        target = _target(f"{path.removesuffix('_count')}_search", {**params, **_COMPLETE})
        reply = yield Sent("POST", target, body)
        if reply.is_success:
            counted = {"count": reply.body["hits"]["total"]["value"], **_shards(reply.body)}
            return Reply(reply.status, counted)
        failures = _failures(reply.body)
        return Reply(200, {"count": 0, "_shards": {"failures": failures}}) if failures else reply

    def _multi_search(self, sent: Sent, path: str, params: dict[str, str]) -> Exchange:
        """Send searches together, but for those whose named clauses are to be scored.

        OpenSearch scores them for one search alone.
        """
        has_scores = params.pop(_SCORES, "") == "true"
        bodies = list(zip(sent.body[::2], sent.body[1::2], strict=True))
        alone = {
            number
            for number, (_, body) in enumerate(bodies)
            if has_scores and names_score(body.get("query"))
        }
        together = [
            line
            for number, (header, body) in enumerate(bodies)
            if number not in alone
            for line in (header, self._body(body))
        ]
        reply = Reply(200, {"responses": []})
        if together:
            reply = yield Sent(sent.method, _target(path, params), together)
            if not reply.is_success:
                return reply
        first, responses = iter(reply.body["responses"]), []
        for number, (header, body) in enumerate(bodies):
            if number in alone:
                single = yield self._scored(header, body, path)
                # A proxy answers without an object.
                known = single.body if isinstance(single.body, Mapping) else {"error": {}}
                response = {**known, "status": single.status}
            else:
                response = next(first)
            responses.append(_with_bytes(response, body))
        return Reply(reply.status, {**reply.body, "responses": responses})

    def _scored(self, header: Mapping[str, Any], body: Mapping[str, Any], path: str) -> Sent:
        params = {name: _param(value) for name, value in header.items() if name != "index"}
        index = header.get("index")
        place = path.removesuffix("_msearch") if index is None else f"/{quote(index, safe=',*')}/"
        return Sent(
            "POST", _target(f"{place}_search", {**params, _SCORES: "true"}), self._body(body)
        )

    def _body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        wanted = search_body(body)
        by_place = _BY_ID if self.version < _SHARD_DOC else _BY_PLACE
        if "sort" in wanted:
            # One order need not be in a list.
            orders = wanted["sort"] if isinstance(wanted["sort"], list) else [wanted["sort"]]
            wanted["sort"] = [
                each
                for order in orders
                for each in (by_place if order == "_shard_doc" else (order,))
            ]
        return wanted


def _as_it_is(sent: Sent) -> Exchange:
    return (yield sent)


def _read(sent: Sent, read: Callable[[Any], Any]) -> Exchange:
    reply = yield sent
    return Reply(reply.status, read(reply.body)) if reply.is_success else reply


def _point_in_time(sent: Sent, path: str, query: str) -> Exchange:
    place = path.removesuffix(_PIT)
    if sent.method == "DELETE":
        body = {"pit_id": [sent.body["id"]]}
        return _read(Sent("DELETE", f"{place}{_POINTS}", body), lambda _: {"succeeded": True})
    opened = Sent(sent.method, f"{place}{_POINTS}?{query}", sent.body)
    return _read(opened, lambda body: {**body, "id": body["pit_id"]})


def _has_mappings(parts: Sequence[str]) -> bool:
    """Check whether a path is that of mappings, of templates, or of an index itself."""
    if len(parts) == 1:
        return not parts[0].startswith("_")
    return bool(_MAPPED.intersection(parts))


def _with_bytes(response: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the response to a search with vectors and bytes as Elasticsearch writes them."""
    requested = body.get("docvalue_fields", ())
    reads = {each["field"]: packed for each in requested if is_vector(each)}
    reads |= {each: padded for each in requested if is_binary(each)}
    if reads and "hits" in response:
        for hit in response["hits"]["hits"]:
            values = hit.get("fields", {})
            for path, read in reads.items():
                if path in values:
                    values[path] = [read(value) for value in values[path]]
    return response


def _shards(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"_shards": body["_shards"]} if "_shards" in body else {}


def _failures(body: Any) -> list[dict[str, Any]]:
    """Return the shards for which a search failed, as a count of Elasticsearch names them."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return []
    failed = [
        {"index": each["index"], "shard": each["shard"], "reason": each["reason"]}
        for each in error.get("failed_shards", ())
    ]
    return failed + [
        {"index": index, "shard": int(shard), "reason": {"type": NO_SHARD}}
        for index, shard in _SHARD.findall(shards_missed(str(error)))
    ]


def _target(path: str, params: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(params)}" if params else path


def _param(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
