"""Queries that OpenSearch does not have, as queries with the same scores.

The nearest vectors are found by a script over the doc values of the documents that match the
filters: exactly, where Elasticsearch walks a graph. Its source never changes, so that it is
compiled once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.store.fields import CONCEPTS, FINGERPRINT, INDEX_VECTOR, SCORED_MEMBERS
from es_simhash.store.opensearch.vector_fields import is_vector

# Members that are bytes; fingerprints are those of methods, as others are requested as vectors.
_BINARY = frozenset({*SCORED_MEMBERS, FINGERPRINT})
# Bits of a word of Java, and the hexadecimal digits of one.
_WORD, _DIGITS = 64, 16
# Share of equal bits, as Elasticsearch scores vectors of bits.
_EQUAL_BITS = """\
String v = doc[params.field].value;
int n = v.length();
int distance = 0;
for (int i = 0; i < n; i += 16) {
  long bits = Long.parseUnsignedLong(v.substring(i, i + 16 < n ? i + 16 : n), 16);
  distance += Long.bitCount(bits ^ (long) params.query[i / 16]);
}
return (4.0 * n - distance) / (4.0 * n);
"""
# (1 + cosine) / 2, as it scores vectors of bytes.
_COSINE = """\
String v = doc[params.field].value;
int n = v.length();
long dot = 0;
long square = 0;
for (int i = 0; i < n; i += 2) {
  int high = v.charAt(i);
  int low = v.charAt(i + 1);
  int value = ((high > 57 ? high - 87 : high - 48) << 4) | (low > 57 ? low - 87 : low - 48);
  if (value > 127) {
    value -= 256;
  }
  dot += value * (int) params.query[i / 2];
  square += value * value;
}
return square == 0 ? 0 : (1 + dot / (Math.sqrt(square) * params.norm)) / 2;
"""


def search_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a search in the words of OpenSearch."""
    wanted: dict[str, Any] = {**body}
    if "query" in wanted:
        wanted["query"] = query(wanted["query"])
    if "knn" in wanted:
        wanted["query"] = _either(wanted.pop("knn"), wanted.get("query"))
    for name in ("aggs", "post_filter"):
        if name in wanted:
            wanted[name] = query(wanted[name])
    if "highlight" in wanted:
        # OpenSearch spells it so.
        shown = {**wanted["highlight"]}
        if "max_analyzed_offset" in shown:
            shown["max_analyzer_offset"] = shown.pop("max_analyzed_offset")
        wanted["highlight"] = shown
    if "docvalue_fields" in wanted:
        wanted["docvalue_fields"] = [
            each["field"] if is_vector(each) else each for each in wanted["docvalue_fields"]
        ]
    return wanted


def is_binary(requested: Any) -> bool:
    """Check whether a field of `docvalue_fields` is one of bytes: a member of the own object."""
    return isinstance(requested, str) and requested.rpartition(".")[2] in _BINARY


def query(value: Any) -> Any:
    """Return a query with others in the place of those that OpenSearch does not have."""
    if isinstance(value, list):
        return [query(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        ((name, search),) = value.items()
        vector = search.get("query_vector") if isinstance(search, Mapping) else None
        if name == "knn" and isinstance(vector, str):
            return nearest(search)
        if name == "term" and (weighted := _weighted_term(search)) is not None:
            return weighted
    return {name: query(each) for name, each in value.items()}


def names_score(value: Any) -> bool:
    """Check whether the score of a clause with a name is needed: that of weighted terms."""
    if isinstance(value, list):
        return any(map(names_score, value))
    if not isinstance(value, Mapping):
        return False
    clause = value.get("bool")
    if isinstance(clause, Mapping) and clause.get("_name") == CONCEPTS:
        return True
    return any(map(names_score, value.values()))


def nearest(search: Mapping[str, Any]) -> dict[str, Any]:
    """Return the query for a kNN search: the documents of its filter, scored by distance."""
    given = search.get("filter", [])
    filters = query(list(given) if isinstance(given, list) else [given])
    path, digits = search["field"], search["query_vector"]
    exists = {"exists": {"field": path}}
    params: dict[str, Any] = {"field": path}
    scored: dict[str, Any] = {"query": {"bool": {"filter": [exists, *filters]}}}
    if path.rpartition(".")[2] != INDEX_VECTOR:
        params["query"] = [
            _signed(digits[start : start + _DIGITS]) for start in range(0, len(digits), _DIGITS)
        ]
        source = _EQUAL_BITS
    else:
        values = [value - 256 if value > 127 else value for value in bytes.fromhex(digits)]
        params |= {"query": values, "norm": sum(value * value for value in values) ** 0.5}
        source = _COSINE
    if "similarity" in search:
        # Of bits this is the greatest distance; half a bit keeps rounding out of it.
        bits = 4 * len(digits)
        scored["min_score"] = (bits - search["similarity"] - 0.5) / bits
    scored["script"] = {"source": source, "params": params}
    if "boost" in search:
        scored["boost"] = search["boost"]
    return {"script_score": scored}


def _either(
    searches: Sequence[Mapping[str, Any]], further: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the query for what kNN searches or another query bring, whose scores add up."""
    queries = [nearest(search) for search in searches]
    if further is not None:
        queries.append({**further})
    return queries[0] if len(queries) == 1 else {"bool": {"should": queries}}


def _weighted_term(search: Any) -> dict[str, Any] | None:
    """Return the query for a concept, whose score is the product of both weights.

    None for a term of another field: one of the user is without a boost, or not of that name.
    """
    if not isinstance(search, Mapping) or len(search) != 1:
        return None
    ((path, wanted),) = search.items()
    if path.rpartition(".")[2] != CONCEPTS or not isinstance(wanted, Mapping):
        return None
    if wanted.keys() != {"value", "boost"}:
        return None
    field = f"{path}.{wanted['value']}"
    return {"rank_feature": {"field": field, "boost": wanted["boost"], "linear": {}}}


def _signed(digits: str) -> int:
    """Return hexadecimal digits as the signed `long` that has their bits."""
    value = int(digits, 16)
    return value - (1 << _WORD) if value >= 1 << (_WORD - 1) else value
