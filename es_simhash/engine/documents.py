"""Documents by their ids as they are now, refreshed or not: multi-get."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.engine.errors import FORBIDDEN, forbidden, reason_of
from es_simhash.engine.requests import Requests, index_path
from es_simhash.engine.retry import Unavailable
from es_simhash.engine.searches import search_all
from es_simhash.errors import ClusterError
from es_simhash.storage.references import DocumentRef

# Documents of one response are held in memory at once, and their texts may be long.
_MAX_DOCUMENTS = 500
# Errors of an entry that no retry changes: no such index, or a name that stands for several.
_FINAL = frozenset({"index_not_found_exception", "illegal_argument_exception"})


def get_all(
    requests: Requests,
    refs: Sequence[DocumentRef],
    fields: Sequence[str] | None,
    *,
    index: str | None,
    excluded: Sequence[str],
) -> list[Mapping[str, Any]]:
    """Return the entries of documents, in their order; see `Gateway.documents`."""
    path, params = index_path(index, "_mget"), _source_params(fields, excluded)
    return [
        entry
        for start in range(0, len(refs), _MAX_DOCUMENTS)
        for entry in _get(requests, path, params, refs[start : start + _MAX_DOCUMENTS])
    ]


def _source_params(fields: Sequence[str] | None, excluded: Sequence[str]) -> dict[str, str]:
    if fields is not None and not fields:
        return {"_source": "false"}
    params = {} if fields is None else {"_source_includes": ",".join(fields)}
    return {**params, "_source_excludes": ",".join(excluded)} if excluded else params


def _get(
    requests: Requests, path: str, params: Mapping[str, str], refs: Sequence[DocumentRef]
) -> list[Mapping[str, Any]]:
    body = {"docs": list(_docs(refs))}

    def attempt() -> list[Mapping[str, Any]]:
        entries: list[Mapping[str, Any]] = requests.send("POST", path, body, params=params)["docs"]
        errors = [entry["error"] for entry in entries if "error" in entry]
        kinds = {error.get("type") for error in errors} - _FINAL
        if FORBIDDEN in kinds:
            # Each entry has its own status; that of the response is 200.
            raise forbidden(reason_of(errors[0]))
        if kinds and requests.retry is not None:
            raise Unavailable(f"it cannot read a document, {min(map(str, kinds))}")
        return entries

    return requests.retried(attempt)


def _docs(refs: Sequence[DocumentRef]) -> Iterator[dict[str, str]]:
    for ref in refs:
        values = {"_index": ref.index, "_id": ref.id, "routing": ref.routing}
        yield {name: value for name, value in values.items() if value is not None}


def get_by_id(
    requests: Requests, index: str, ids: Sequence[str], fields: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the entries of documents by id alone; see `Gateway.documents_by_id`."""
    refs = [DocumentRef(None, id) for id in ids]
    entries = get_all(requests, refs, fields, index=index, excluded=())
    # A name that stands for several indices is rejected, or taken for that of no index.
    if any("error" in entry for entry in entries):
        return _searched(requests, index, ids, fields)
    return entries


def _searched(
    requests: Requests, index: str, ids: Sequence[str], fields: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Search documents by their ids in all the indices behind the name."""
    bodies = [
        {"query": {"ids": {"values": [id]}}, "size": 2, "_source": list(fields)} for id in ids
    ]
    entries: list[Mapping[str, Any]] = []
    for id, response in zip(ids, search_all(requests, index, bodies), strict=True):
        hits = response["hits"]["hits"]
        if len(hits) > 1:
            raise ClusterError(
                f"Document {id!r} is in several indices behind {index!r} "
                f"({hits[0]['_index']}, {hits[1]['_index']}). Query one of them."
            )
        entries.append({**hits[0], "found": True} if hits else {"_id": id, "found": False})
    return entries
