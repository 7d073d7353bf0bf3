"""Documents by their ids: as they are now by multi-get, by search where the shard is unknown."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef, require_one
from es_simhash.store.elasticsearch.calls import Call, Calls, index_path
from es_simhash.store.elasticsearch.errors import FORBIDDEN, forbidden, reason_of
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.elasticsearch.retry import Unavailable
from es_simhash.store.elasticsearch.searches import search_all
from es_simhash.store.id_groups import IdGroup, id_groups
from es_simhash.store.paths import get_path

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
    if kinds:
        raise _unread(next(each for each in entries if _kind(each) in kinds))
    return entries


def _kind(entry: Mapping[str, Any]) -> str | None:
    kind: str | None = entry.get("error", {}).get("type")
    return kind


def _unread(entry: Mapping[str, Any]) -> ClusterError:
    """Return the error for a document that may well be there; without it, it would seem gone."""
    return ClusterError(
        f"Document {entry.get('_id')!r} cannot be read now ({_kind(entry)}: {reason_of(entry)}), "
        "so the answer would be incomplete. Ask again when the cluster is less busy and "
        "`GET _cluster/health` is not red."
    )


def _docs(refs: Sequence[DocumentRef]) -> Iterator[dict[str, str]]:
    for ref in refs:
        values = {"_index": ref.index, "_id": ref.id, "routing": ref.routing}
        yield {name: value for name, value in values.items() if value is not None}


def have_values(
    wanted: Sequence[tuple[DocumentRef, Mapping[str, Any] | None]], *, index: str | None = None
) -> Calls[list[bool]]:
    """Check of each document whether it has some values now.

    Args:
        wanted: Where documents are, and their values by path; None for a document that is gone.
        index: Index of those whose reference names none.

    Raises:
        ClusterError: The request is rejected.
    """
    paths = {path for _, values in wanted for path in values or ()}
    entries = yield from get_all([ref for ref, _ in wanted], sorted(paths), index=index)
    return [_has_values(entry, values) for (_, values), entry in zip(wanted, entries, strict=True)]


def _has_values(entry: Mapping[str, Any], values: Mapping[str, Any] | None) -> bool:
    if values is None or not entry.get("found"):
        return values is None and not entry.get("found")
    source = entry.get("_source", {})
    return all(get_path(source, path) == value for path, value in values.items())


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
    body = {"_source": source, "seq_no_primary_term": True}
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for hit in (yield from hits_of_ids(index, ids, body)):
        found[hit["_id"]].append(hit)
    return dict(found)


def hits_of_ids(
    index: str,
    ids: Sequence[str],
    body: Mapping[str, Any],
    filters: Sequence[Mapping[str, Any]] = (),
) -> Calls[list[Mapping[str, Any]]]:
    """Return the hits of all documents that have some ids, of all shards and indices.

    Args:
        index: Index, alias or data stream.
        ids: The ids.
        body: Of the search: what is read of each.
        filters: Queries that the documents must match.
    """
    pending = id_groups(ids)
    hits: list[Mapping[str, Any]] = []
    while pending:
        bodies = [{**body, **_of_ids(group, filters)} for group in pending]
        responses = yield from search_all(index, bodies)
        further: list[IdGroup] = []
        for group, response in zip(pending, responses, strict=True):
            some = response["hits"]["hits"]
            if len(some) >= group.size and group.wider:
                further += group.wider
            else:
                hits += some
        pending = further
    return hits


def _of_ids(group: IdGroup, filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "query": {"bool": {"filter": [{"ids": {"values": list(group.ids)}}, *filters]}},
        "size": group.size,
        "track_total_hits": False,
    }
