"""Vectors out of `_source`, for servers before 8.17, which have no doc values of vectors.

No request asks for the version of a server: its rejection says that it lacks them, and searches
that are sent from then on ask for the fields of `_source` that hold the vectors.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.store.opensearch.vector_fields import is_vector, packed
from es_simhash.store.paths import get_path

_LACKS = "[dense_vector] doesn't support docvalue_fields"


def has_vectors(sent: Any) -> bool:
    """Check whether a search, or one of several, requests doc values of vectors."""
    return any(map(_paths, _searches(sent)))


def are_missing(answered: Any) -> bool:
    """Check whether searches were rejected because the server has no doc values of vectors."""
    return isinstance(answered, Mapping) and any(
        _LACKS in str(response.get("error")) for response in _responses(answered)
    )


def out_of_source(sent: Any) -> Any:
    """Return the body of a search, or of several, that gets vectors from `_source`."""
    if isinstance(sent, Mapping):
        return _rewritten(sent)
    return [line if number % 2 == 0 else _rewritten(line) for number, line in enumerate(sent)]


def with_values(sent: Any, answered: Any) -> Any:
    """Return a response in which vectors of `_source` are the values that were requested.

    Args:
        sent: Body of the search as it was before `out_of_source`.
        answered: Body of the response.
    """
    if not isinstance(answered, Mapping):
        return answered
    for search, response in zip(_searches(sent), _responses(answered), strict=False):
        if paths := _paths(search):
            for hit in response.get("hits", {}).get("hits", ()):
                _add_values(hit, paths)
                if search.get("_source") is False:
                    hit.pop("_source", None)
    return answered


def _add_values(hit: dict[str, Any], paths: Sequence[str]) -> None:
    source = hit.get("_source", {})
    for path in paths:
        if (vector := get_path(source, path)) is not None:
            hit.setdefault("fields", {})[path] = [packed(vector)]


def _searches(sent: Any) -> Iterator[Mapping[str, Any]]:
    lines = [sent] if isinstance(sent, Mapping) else sent[1::2] if isinstance(sent, list) else ()
    return (line for line in lines if isinstance(line, Mapping))


def _responses(answered: Mapping[str, Any]) -> Sequence[Any]:
    responses: Sequence[Any] = answered.get("responses", [answered])
    return responses


def _paths(search: Mapping[str, Any]) -> list[str]:
    """Return the vectors that a search requests as doc values."""
    return [each["field"] for each in search.get("docvalue_fields", ()) if is_vector(each)]


def _rewritten(search: Mapping[str, Any]) -> Mapping[str, Any]:
    if not (paths := _paths(search)):
        return search
    rest = [each for each in search["docvalue_fields"] if not is_vector(each)]
    wanted = {**search, "docvalue_fields": rest}
    source = search.get("_source", True)
    if source is False:
        wanted["_source"] = paths
    elif isinstance(source, list):
        wanted["_source"] = [*source, *paths]
    elif isinstance(source, Mapping) and source.get("includes"):
        wanted["_source"] = {**source, "includes": [*source["includes"], *paths]}
    return wanted
