"""Field types that OpenSearch does not have, as types that serve as well there, and back.

A vector of bits or bytes is a keyword with doc values, in the hexadecimal digits in which it is
written, so that documents are the same for both engines; its mapping says in `meta` what it stands
for. Weights of terms are `rank_features`, which are stored and scored as `sparse_vector` is.
"""

import base64
from collections.abc import Mapping
from typing import Any

# Keys of `meta`, whose values must be strings: the type this stands for, and its parameters.
_STANDS_FOR = "stands_for"
_DENSE, _SPARSE, _FEATURES = "dense_vector", "sparse_vector", "rank_features"
_SIMILARITY = "use_similarity"
# Vectors of numbers would need an order, which doc values do not keep.
_PACKED = frozenset({"bit", "byte"})


def to_opensearch(value: Any, *, has_similarity: bool = True) -> Any:
    """Return a body with mappings, whose fields have types of OpenSearch.

    Args:
        value: The body, or a part of it.
        has_similarity: Whether keywords are scored by the rarity of terms only where the mapping
            says so, as since version 3.
    """
    if isinstance(value, list):
        return [to_opensearch(each, has_similarity=has_similarity) for each in value]
    if not isinstance(value, Mapping):
        return value
    if has_similarity and _is_searched_alone(value):
        return {**value, _SIMILARITY: True}
    if value.get("type") == _DENSE and value.get("element_type") in _PACKED:
        return _keyword(value)
    if value.get("type") == _SPARSE:
        return {"type": _FEATURES}
    return {
        name: to_opensearch(each, has_similarity=has_similarity) for name, each in value.items()
    }


def from_opensearch(value: Any) -> Any:
    """Return a response with mappings, whose fields have the types they stand for."""
    if isinstance(value, list):
        return [from_opensearch(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    if value.get("type") == _FEATURES:
        return {"type": _SPARSE}
    if value.get("type") == "keyword" and value.get("meta", {}).get(_STANDS_FOR) == _DENSE:
        return _dense(value["meta"])
    if _is_searched_alone(value):
        return {name: each for name, each in value.items() if name != _SIMILARITY}
    return {name: from_opensearch(each) for name, each in value.items()}


def _is_searched_alone(field: Mapping[str, Any]) -> bool:
    """Check whether this maps a keyword without doc values, as shingles and blocks are."""
    return field.get("type") == "keyword" and field.get("doc_values") is False


def is_vector(requested: Any) -> bool:
    """Check whether a field of `docvalue_fields` is requested as only vectors are."""
    return isinstance(requested, Mapping) and requested.get("format") == "binary"


def packed(digits: Any) -> Any:
    """Return a vector as Elasticsearch returns it in the format `binary`: base64 of its bytes.

    Args:
        digits: Its hexadecimal digits; anything else stays as it is.
    """
    try:
        return base64.b64encode(bytes.fromhex(digits)).decode()
    except (TypeError, ValueError):
        return digits


def padded(value: Any) -> Any:
    """Return bytes as Elasticsearch returns them: OpenSearch leaves the padding of base64 away."""
    return value + "=" * (-len(value) % 4) if isinstance(value, str) else value


def _keyword(field: Mapping[str, Any]) -> dict[str, Any]:
    meta = {_STANDS_FOR: _DENSE}
    for name in ("element_type", "dims", "similarity"):
        if name in field:
            meta[name] = str(field[name])
    if "index_options" in field:
        meta["index_options"] = str(field["index_options"]["type"])
    return {"type": "keyword", "index": False, "meta": meta}


def _dense(meta: Mapping[str, str]) -> dict[str, Any]:
    field: dict[str, Any] = {"type": _DENSE, "index": True}
    for name, value in meta.items():
        if name == "dims":
            field[name] = int(value)
        elif name == "index_options":
            field[name] = {"type": value}
        elif name != _STANDS_FOR:
            field[name] = value
    return field
