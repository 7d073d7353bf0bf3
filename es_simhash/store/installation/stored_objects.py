"""The `simhash` objects of all documents: emptied, or with the decisions of another of theirs."""

from collections.abc import Mapping
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.bulk import CONFLICT, NOT_FOUND, RESENT
from es_simhash.store.elasticsearch.documents import have_values
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import conditions_of, version_of
from es_simhash.store.elasticsearch.searches import count
from es_simhash.store.fields import DECIDED, DUPLICATE_OF, FAMILY, SCHEME, STATUS, field_path
from es_simhash.store.paths import get_object, leaves, nested_path
from es_simhash.store.rows import batches_of

# Each pass reads the index as it is then, with what was written meanwhile.
MAX_PASSES = 5
_AT_ONCE = 500
_DECISIONS = (FAMILY, DUPLICATE_OF)
# Members of which a document that was written to has one at least.
_WRITTEN = (SCHEME, STATUS, *_DECISIONS)


def having_fields(field: str) -> dict[str, Any]:
    """Return the query for documents that have something under a field of fingerprints."""
    paths = [field_path(field, member) for member in _WRITTEN]
    return {"bool": {"should": [{"exists": {"field": path}} for path in paths]}}


def empty_documents(gateway: Gateway, index: str, field: str) -> int:
    """Empty the object in all documents, those too that are written meanwhile; count them.

    Args:
        gateway: To the cluster.
        index: Index, alias or data stream.
        field: Field of the `simhash` object.

    Raises:
        ClusterError: Other writers add fields all the time, or an update is rejected.
    """
    small = [field_path(field, member) for member in _WRITTEN]
    body = {"query": having_fields(field), "_source": small, "seq_no_primary_term": True}
    emptied = 0
    for _ in range(MAX_PASSES):
        before, read = emptied, 0
        for hits in batches_of(gateway.pages(index, body), _AT_ONCE):
            emptied += _empty(gateway, hits, field)
            read += len(hits)
        if not read:
            return emptied
        if emptied == before:
            break
    raise ClusterError(
        f"Other writers keep adding fingerprints to {index!r} or change its documents. "
        "End them, then run it again."
    )


def _empty(gateway: Gateway, hits: list[dict[str, Any]], field: str) -> int:
    changes = []
    for hit in hits:
        _, is_nested = get_object(hit.get("_source", {}), field)
        changes.append((hit, nested_path(field, None) if is_nested else {field: None}))
    return update_hits(gateway, changes)


def update_hits(gateway: Gateway, changes: list[tuple[dict[str, Any], dict[str, Any]]]) -> int:
    """Add fields to documents that nobody has changed since they were read; count those.

    An update whose answer is lost is sent again, and conflicts with itself: it counts where the
    document is as the update leaves it.

    Args:
        gateway: To the cluster.
        changes: Hits with their versions, and the fields.

    Raises:
        ClusterError: An update is rejected.
    """
    actions = []
    for hit, document in changes:
        version = version_of(hit)
        target = {"_index": version.ref.index, "_id": version.ref.id, **conditions_of(version)}
        actions.append([{"update": target}, {"doc": document}])
    written, resent = 0, []
    for (hit, document), result in zip(changes, gateway.bulk(actions), strict=True):
        if "error" not in result:
            written += 1
        elif result.get(RESENT):
            resent.append((version_of(hit).ref, dict(leaves(document))))
        elif result["status"] not in (CONFLICT, NOT_FOUND):
            raise ClusterError(
                f"Document {hit['_id']!r} is rejected: {reason_of(result)}. Run it again when "
                "the reason is gone."
            )
    return written + sum(gateway.run(have_values(resent)))


def count_objects(gateway: Gateway, index: str, fields: list[str]) -> int:
    """Count the documents that have something under one of some fields."""
    some = {"bool": {"should": [having_fields(field) for field in fields]}}
    return gateway.run(count(index, some))


def count_without(gateway: Gateway, index: str, field: str, scheme: str) -> int:
    """Count the documents that have no fingerprints of a scheme under a field."""
    of_scheme = {"term": {field_path(field, SCHEME): scheme}}
    return gateway.run(count(index, {"bool": {"must_not": [of_scheme]}}))


def count_behind(gateway: Gateway, index: str, field: str, other: str) -> int:
    """Count the documents that have something under a field, and nothing under another."""
    behind = {"filter": [having_fields(field)], "must_not": [having_fields(other)]}
    return gateway.run(count(index, {"bool": behind}))


def carry_decisions(
    gateway: Gateway, index: str, source: str, field: str, *, replacing: bool = False
) -> int | None:
    """Carry families and flags from one object to another that has none; count the documents.

    Args:
        gateway: To the cluster.
        index: Index, alias or data stream.
        source: Field of the one object.
        field: Field of the other.
        replacing: Also to objects that have other ones, and take from them what the first has not.

    Returns:
        None where other writers keep changing documents.
    """
    body = {
        "query": _either_decided(source, field) if replacing else _undecided(source, field),
        "_source": [
            field_path(each, member) for each in (source, field) for member in (*DECIDED, SCHEME)
        ],
        "seq_no_primary_term": True,
    }
    carried = 0
    for _ in range(MAX_PASSES):
        differing = 0
        for hits in batches_of(gateway.pages(index, body), _AT_ONCE):
            updates = [(hit, _decided(hit, source, field)) for hit in hits]
            changes = [(hit, update) for hit, update in updates if update is not None]
            differing += len(changes)
            carried += update_hits(gateway, changes)
        if not differing:
            return carried
    return None


def _either_decided(source: str, field: str) -> dict[str, Any]:
    """Return the query for documents with both objects, of which one has decisions."""
    paths = [field_path(each, member) for each in (source, field) for member in _DECISIONS]
    return {
        "bool": {
            "filter": [{"exists": {"field": field_path(each, SCHEME)}} for each in (source, field)],
            "should": [{"exists": {"field": path}} for path in paths],
            "minimum_should_match": 1,
        }
    }


def _undecided(source: str, field: str) -> dict[str, Any]:
    """Return the query for documents whose decisions one object has and the other lacks."""

    def exists(*paths: str) -> list[dict[str, Any]]:
        return [{"exists": {"field": path}} for path in paths]

    return {
        "bool": {
            "filter": exists(field_path(field, SCHEME)),
            "should": exists(*(field_path(source, member) for member in _DECISIONS)),
            "minimum_should_match": 1,
            "must_not": exists(*(field_path(field, member) for member in _DECISIONS)),
        }
    }


def _decided(hit: Mapping[str, Any], source: str, field: str) -> dict[str, Any] | None:
    """Return the update that carries the decisions of a document; None where they are the same."""
    decided, _ = get_object(hit["_source"], source)
    stored, is_nested = get_object(hit["_source"], field)
    known, other = decided or {}, stored or {}
    members = {name: known.get(name) for name in DECIDED if known.get(name) != other.get(name)}
    if not members:
        return None
    return nested_path(field, members) if is_nested else {field: members}
