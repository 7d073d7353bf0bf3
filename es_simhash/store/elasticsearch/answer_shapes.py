"""The shapes of answers: what is read of them is there and of its type, or one sentence says so.

A proxy, a cache or a server that is none may answer anything with status 200. What a response is
decoded to is checked here, once, before anything reads it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from traceback import walk_tb
from typing import Any

from es_simhash.errors import ClusterError, EsSimhashError

# A shape is a type, a tuple of types, a list with the shape of each entry, or a dict: a name that
# ends in ? need not be there, and `*` stands for the values of all other names.
Shape = Any
# The sequence number of a document, as a field of its index.
SEQ_NO = "_seq_no"
_STORE = "es_simhash.store."
_OPTIONAL = "?"
_REST = "*"

_VERSION: Shape = {"_seq_no?": int, "_primary_term?": int}
_HIT: Shape = {
    "_index": str,
    "_id?": str,
    "_routing?": (str, type(None)),
    **_VERSION,
    "_score?": (int, float, type(None)),
    "_source?": dict,
    "fields?": {_REST: list},
    "sort?": list,
    "matched_queries?": (list, dict),
    "highlight?": {_REST: [str]},
}
# There may be thousands of them, each looked at in a microsecond unless one is at fault.
_HITS: Shape = [_HIT]
_ERROR: Shape = (dict, str)
_KEY: Shape = (str, int, float, dict, list)
# The buckets of filters without names have no key.
_BUCKET: Shape = {"doc_count": int, "key?": _KEY}
_AGGREGATION: Shape = {
    "doc_count?": int,
    "value?": (int, float, type(None)),
    "buckets?": (list, dict),
}
_SEARCH: Shape = {
    "hits": {"hits": _HITS, "total?": {"value": int}, "max_score?": (int, float, type(None))},
    "aggregations?": {_REST: _AGGREGATION},
    "_shards?": dict,
    "timed_out?": bool,
    "took?": int,
}
_FAILED: Shape = {"error": _ERROR, "status?": int}
_RESULT: Shape = {_REST: {"status": int, "error?": dict}}
_COPY: Shape = {"segments?": {"count": int}, "seq_no?": {_REST: int}}
_FIELD: dict[str, Shape] = {"type?": str}
_FIELD |= {"properties?": {_REST: _FIELD}, "fields?": {_REST: {**_FIELD, "type": str}}}
# What other writers put into `_meta` is theirs; of ours it is read what has these shapes.
_NUMBERS = ("min_score?", "version_threshold?")
_META: Shape = {
    "es_simhash?": {
        _REST: {
            "scheme": str,
            "semantics?": {"name": str, _REST: (str, int, float, bool, list, type(None))},
            "documents?": {**dict.fromkeys(_NUMBERS, (int, float)), _REST: str},
            "schemes?": {_REST: str},
            "moved_to?": str,
            "moved_from?": str,
            "unfinished_from?": str,
        }
    },
    "es_simhash_sidecar?": {_REST: str},
}
_MAPPING: Shape = {"properties?": {_REST: _FIELD}, "_meta?": _META, "_source?": dict}
_TEMPLATE: Shape = {
    "index_patterns": [str],
    "composed_of?": [str],
    "priority?": int,
    "template?": dict,
}
# What an aggregation of a kind has; of any other kind, buckets.
_AGGREGATIONS: Mapping[str, Shape] = {
    "filter": {"doc_count": int},
    **{
        kind: {"value": (int, float, type(None))}
        for kind in ("cardinality", "max", "min", "sum", "avg", "value_count")
    },
}
# The end of a path, after the name of an index, and what the answer to it is.
_SHAPES: Mapping[str, Shape] = {
    "_search": _SEARCH,
    "_mget": {"docs": [{"_index": str, "_id": str, "found?": bool, "_source?": dict, **_VERSION}]},
    "_bulk": {"items": [_RESULT], "errors": bool},
    "_count": {"count": int, "_shards": {"failed?": int, "failures?": [dict]}},
    "_pit": {"id": str},
    "_mapping": {_REST: {"mappings": _MAPPING}},
    "_settings": {_REST: {"settings": dict}},
    "_index_template": {"index_templates": [{"name": str, "index_template": _TEMPLATE}]},
    "_component_template": {
        "component_templates": [{"name": str, "component_template": {"template": dict}}]
    },
    "_stats": {"indices": {_REST: {"shards?": {_REST: [_COPY]}}}, "_all?": {"primaries": dict}},
    "_disk_usage": {"_shards?": dict, _REST: {"fields": {_REST: {"total_in_bytes": int}}}},
    "_doc": {"_id": str, "found?": bool, "_source?": dict, **_VERSION},
}
# What hits of a point in time are sorted by.
_SORTED = {int, float, str, type(None)}
_MOST_MEMBERS = 20
_HIT_TYPES: Mapping[str, tuple[type, ...]] = {
    name.removesuffix(_OPTIONAL): (
        shape if isinstance(shape, tuple) else (dict if isinstance(shape, dict) else shape,)
    )
    for name, shape in _HIT.items()
}
# What reading a value of another type raises.
_MISREAD = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_KINDS = {str: "text", int: "a number", float: "a number", bool: "true or false", dict: "an object"}


def require_readable(method: str, path: str, asked: Any, body: Any) -> None:
    """Reject an answer that cannot be what was asked for.

    Args:
        method: Of the request.
        path: Of the request.
        asked: Body of the request.
        body: The answer, decoded; it had a status of success.

    Raises:
        ClusterError: Something that is read is missing, or of another type.
    """
    if method == "HEAD":
        return
    kind = _kind_of(path)
    if "/_simulate" in path:
        shape: Shape = {"template": {"mappings?": _MAPPING}}
    elif method == "DELETE" or (method != "GET" and kind in ("_mapping", "_settings", *_WRITTEN)):
        shape = dict
    elif kind == "_msearch":
        shape = {"responses": [dict]}
    else:
        shape = _SHAPES.get(kind, dict)
    _require(path, next(faults(body, shape, ""), None))
    if kind == "_search":
        _require(path, next(_missing_parts(asked, body, ""), None))
    elif kind == "_mget":
        _require(path, _other_number(body["docs"], asked["docs"]))
    elif kind == "_msearch":
        searches = asked[1::2]
        _require(path, _other_number(body["responses"], searches))
        for number, (search, response) in enumerate(zip(searches, body["responses"], strict=True)):
            _require(path, next(_of_search(search, response, f"responses[{number}]"), None))


def _of_search(search: Any, response: Any, place: str) -> Iterator[str]:
    if "error" in response:
        yield from faults(response, _FAILED, place)
    else:
        yield from faults(response, _SEARCH, place)
        yield from _missing_parts(search, response, f"{place}.")


def _missing_parts(search: Any, response: Any, place: str) -> Iterator[str]:
    """Yield what a search asks for by its body and the response lacks."""
    if search.get("track_total_hits") is True and "total" not in response["hits"]:
        yield f"{place}hits.total is missing"
    if search.get("seq_no_primary_term") and not all(map(_has_version, response["hits"]["hits"])):
        yield f"{place}hits.hits have no versions"
    if SEQ_NO in search.get("docvalue_fields", ()):
        unnumbered = [hit for hit in response["hits"]["hits"] if not _has_number(hit)]
        yield from (f"{place}hits.hits[].fields.{SEQ_NO} is missing" for _ in unnumbered[:1])
    if "stored_fields" not in search:
        for number, hit in enumerate(response["hits"]["hits"]):
            if "_id" not in hit:
                yield f"{place}hits.hits[{number}]._id is missing"
    if "pit" in search and "sort" in search:
        unsorted = [hit for hit in response["hits"]["hits"] if not _has_place(hit)]
        yield from (f"{place}hits.hits[].sort is missing" for _ in unsorted[:1])
    wanted = search.get("aggs", {})
    shape = {name: _aggregation_shape(body) for name, body in wanted.items()}
    if shape:
        yield from faults(response.get("aggregations"), shape, f"{place}aggregations")


def _has_version(hit: Mapping[str, Any]) -> bool:
    return SEQ_NO in hit and "_primary_term" in hit


def _has_place(hit: Mapping[str, Any]) -> bool:
    return {*map(type, hit.get("sort", [()]))} <= _SORTED


def _has_number(hit: Mapping[str, Any]) -> bool:
    values = hit.get("fields", {}).get(SEQ_NO, ())
    return len(values) == 1 and isinstance(values[0], int)


def _aggregation_shape(body: Mapping[str, Any]) -> Shape:
    kind = next(kind for kind in body if kind not in ("aggs", "meta"))
    if body[kind].get("keyed"):
        return {"buckets": {_REST: {"doc_count": int}}}
    if kind == "terms":
        return {"buckets": [{"doc_count": int, "key": (str, int, float)}]}
    if kind == "composite":
        names = [name for source in body[kind]["sources"] for name in source]
        return {"buckets": [{"doc_count": int, "key": dict.fromkeys(names, str)}]}
    return _AGGREGATIONS.get(kind, {"buckets": [_BUCKET]})


def _other_number(answered: Sequence[Any], asked: Sequence[Any]) -> str | None:
    if len(answered) == len(asked):
        return None
    return f"it has {len(answered)} entries in place of {len(asked)}"


_WRITTEN = ("_index_template", "_component_template", "_doc")


def _require(path: str, fault: str | None) -> None:
    if fault is not None:
        to = f" to {path!r}" if path else ""
        raise ClusterError(
            f"The answer{to} cannot be read: {fault}. Check that the address is that of the "
            "cluster, and that nothing in between changes answers."
        )


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn what the store raises where it reads an answer into one sentence.

    Only what this room raises counts: what others do with rows that were read is theirs.

    Args:
        path: Of the request; empty where it is not known.

    Raises:
        ClusterError: A value in the answer is not what was written there.
    """
    try:
        yield
    except _MISREAD as error:
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        rooms = [frame.f_globals.get("__name__", "") for frame in frames]
        ours = [name for name in rooms if name.startswith("es_simhash.") and name != __name__]
        if isinstance(error, EsSimhashError) or not ours or not ours[-1].startswith(_STORE):
            raise
        _require(path, f"{type(error).__name__} in a value ({error})")


def _kind_of(path: str) -> str:
    """Return the part of a path that says what is asked, as `_search` of `/articles/_search`."""
    parts = re.findall(r"/(_[a-z_]+)", path)
    return parts[0] if parts else ""


def faults(value: Any, shape: Shape, place: str) -> Iterator[str]:
    """Yield what a value lacks of a shape."""
    if isinstance(shape, dict):
        yield from _of_object(value, shape, place)
    elif isinstance(shape, list):
        if shape is _HITS and isinstance(value, list) and all(map(_is_hit, value)):
            return
        if not isinstance(value, list):
            yield _other(place, "a list")
        else:
            for number, entry in enumerate(value):
                yield from faults(entry, shape[0], f"{place}[{number}]")
    elif not _is_of(value, shape if isinstance(shape, tuple) else (shape,)):
        first = shape[0] if isinstance(shape, tuple) else shape
        yield _other(place, _KINDS.get(first, "a list"))


def _is_hit(hit: Any) -> bool:
    """Check quickly what `_HIT` says of the members that most hits have."""
    if type(hit) is not dict or len(hit) > _MOST_MEMBERS:
        return False
    # Those of one search are alike, mostly.
    if not _has_types(tuple(hit), tuple(map(type, hit.values()))):
        return False
    fields = hit.get("fields")
    return fields is None or set(map(type, fields.values())) <= {list}


@lru_cache(maxsize=256)
def _has_types(names: tuple[str, ...], types: tuple[type, ...]) -> bool:
    """Check whether a hit with such members needs no closer look, but for its fields."""
    if "_index" not in names or "highlight" in names:
        return False
    return all(
        name not in _HIT_TYPES or type_ in _HIT_TYPES[name]
        for name, type_ in zip(names, types, strict=True)
    )


def _of_object(value: Any, shape: Mapping[str, Shape], place: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield _other(place, "an object")
        return
    named = {name.removesuffix(_OPTIONAL) for name in shape}
    for name, inner in shape.items():
        member = name.removesuffix(_OPTIONAL)
        at = f"{place}.{member}" if place else member
        if name == _REST:
            for other in value.keys() - named:
                yield from faults(value[other], inner, f"{place}.{other}" if place else other)
        elif member in value:
            yield from faults(value[member], inner, at)
        elif not name.endswith(_OPTIONAL):
            yield f"{at} is missing"


def _is_of(value: Any, types: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types)


def _other(place: str, kind: str) -> str:
    return f"{place or 'it'} is not {kind}"
