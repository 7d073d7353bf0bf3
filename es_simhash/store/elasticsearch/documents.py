"""Documents by their ids: as they are now by multi-get, by search where the shard is unknown."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.relation.references import DocumentRef, require_one
from es_simhash.store.elasticsearch.calls import Call, Calls, index_path
from es_simhash.store.elasticsearch.errors import FORBIDDEN, forbidden, reason_of
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.elasticsearch.retry import Unavailable
from es_simhash.store.elasticsearch.searches import search_all

# Documents of one response are held in memory at once, and their texts may be long.
_MAX_DOCUMENTS = 500
# Errors of an entry that no retry changes: no such index, a name that stands for several, or no
# routing where the mapping requires one.
_FINAL = frozenset(
    {
        "index_not_found_exception",
        "illegal_argument_exception",
        "routing_missing_exception",
    }
)
# Ids of one search, which requests twice as many hits: an id may be in several shards or indices.
MAX_IDS = 5000


def get_all(
    refs: Sequence[DocumentRef],
    fields: Sequence[str] | None = None,
    *,
    index: str | None = None,
    excluded: Sequence[str] = (),
) -> Calls[list[Mapping[str, Any]]]:
    """Return documents as they are now, refreshed or not, in their order, each with `found`.

    Args:
        refs: Where they are.
        fields: Fields of `_source` to return; None for all.
        index: Index of those whose reference names none.
        excluded: Fields of `_source` to leave out.

    Raises:
        ClusterError: The request is rejected.
    """
    path, params = index_path(index, "_mget"), _source_params(fields, excluded)
    entries: list[Mapping[str, Any]] = []
    for start in range(0, len(refs), _MAX_DOCUMENTS):
        body = {"docs": list(_docs(refs[start : start + _MAX_DOCUMENTS]))}
        entries += yield Call("POST", path, body, params, _entries)
    return entries


def _source_params(fields: Sequence[str] | None, excluded: Sequence[str]) -> dict[str, str]:
    if fields is not None and not fields:
        return {"_source": "false"}
    params = {} if fields is None else {"_source_includes": ",".join(fields)}
    return {**params, "_source_excludes": ",".join(excluded)} if excluded else params


def _entries(response: Any, may_retry: bool) -> list[Mapping[str, Any]]:
    entries: list[Mapping[str, Any]] = response["docs"]
    errors = [entry["error"] for entry in entries if "error" in entry]
    kinds = {error.get("type") for error in errors} - _FINAL
    if FORBIDDEN in kinds:
        # Each entry has its own status; that of the response is 200.
        raise forbidden(reason_of(errors[0]))
    if kinds and may_retry:
        raise Unavailable(f"it cannot read a document, {min(map(str, kinds))}")
    return entries


def _docs(refs: Sequence[DocumentRef]) -> Iterator[dict[str, str]]:
    for ref in refs:
        values = {"_index": ref.index, "_id": ref.id, "routing": ref.routing}
        yield {name: value for name, value in values.items() if value is not None}


def get_by_id(
    index: str, ids: Sequence[str], fields: Sequence[str]
) -> Calls[list[Mapping[str, Any]]]:
    """Return documents by their ids alone, whatever their routing, each with `found`.

    A document that is routed by its id is returned as it is now. All others are searched with one
    request, so that they are found once they are refreshed: those with a routing, and those of a
    name that stands for several indices.

    Raises:
        ClusterError: Several documents have one id and none of them is routed by it, or they are in
            several indices behind the name.
    """
    refs = [DocumentRef(None, id) for id in ids]
    entries = yield from get_all(refs, fields, index=index)
    # A document with a routing is in another shard than its id says. A name that stands for
    # several indices is rejected, or taken for that of no index.
    missing = [id for id, entry in zip(ids, entries, strict=True) if not entry.get("found")]
    located = yield from hits_by_id(index, missing, list(fields))
    return [
        entry if entry.get("found") else entry_of(id, located.get(id, []), index)
        for id, entry in zip(ids, entries, strict=True)
    ]


def entry_of(id: str, hits: Sequence[Mapping[str, Any]], index: str) -> Mapping[str, Any]:
    """Return the one hit of an id as an entry with `found`.

    Raises:
        DocumentAmbiguous: There are several, in several indices or under several routings.
    """
    require_one(id, [ref_of(hit) for hit in hits], index)
    return {**hits[0], "found": True} if hits else {"_id": id, "found": False}


def hits_by_id(
    index: str, ids: Sequence[str], source: Sequence[str] | bool
) -> Calls[dict[str, list[Mapping[str, Any]]]]:
    """Return all documents that have some ids, of all shards, by id; with one search request.

    Args:
        index: Index, alias or data stream.
        ids: The ids.
        source: Fields of `_source` to return; False for none.
    """
    unique = list(dict.fromkeys(ids))
    groups = [unique[start : start + MAX_IDS] for start in range(0, len(unique), MAX_IDS)]
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    while groups:
        bodies = [_ids_body(group, source) for group in groups]
        responses = yield from search_all(index, bodies)
        full = []
        for group, body, response in zip(groups, bodies, responses, strict=True):
            hits = response["hits"]["hits"]
            if len(hits) >= body["size"] and len(group) > 1:
                full.append(group)  # there may be more hits than were requested
                continue
            for hit in hits:
                found[hit["_id"]].append(hit)
        groups = [
            half for group in full for half in (group[: len(group) // 2], group[len(group) // 2 :])
        ]
    return dict(found)


def _ids_body(ids: Sequence[str], source: Sequence[str] | bool) -> dict[str, Any]:
    return {
        "query": {"ids": {"values": list(ids)}},
        "size": 2 * len(ids) if len(ids) > 1 else 2 * MAX_IDS,
        "_source": source,
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }
