"""Documents of a sidecar whose originals are gone."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import elasticsearch

from es_simhash.backfills.preconditions import sidecar_of
from es_simhash.engine.cluster import plain_errors, reason_of, refresh_if_allowed
from es_simhash.engine.pages import hits
from es_simhash.engine.reading import search_all, unchanged_since
from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.storage import fields
from es_simhash.storage.fields import INDEX, SOURCE

_BATCH = 1000
# Deleted by another already, or written anew since it was read.
_SETTLED = frozenset({404, 409})


def require_sidecar_of(
    client: elasticsearch.Elasticsearch, index: str, sidecar: str, field: str
) -> None:
    """Refuse to prune what belongs to another index.

    Raises:
        MappingConflict: The sidecar is that of another index, or none.
    """
    try:
        belongs = sidecar_of(client, sidecar, field)
    except IndexMissing:
        return
    if belongs is None:
        raise MappingConflict(f"Index {sidecar!r} is no sidecar; nothing is pruned from it.")
    if belongs != index:
        raise MappingConflict(
            f"Index {sidecar!r} is the sidecar of {belongs!r}, not of {index!r}; run `es-simhash "
            f"backfill {index} --sidecar {sidecar}` without --prune first if it is to change hands."
        )


def prune(
    client: elasticsearch.Elasticsearch,
    index: str,
    sidecar: str,
    *,
    simhash_field: str = fields.DEFAULT_FIELD,
    dry_run: bool = False,
) -> int:
    """Delete from a sidecar the documents that are no longer in its index.

    What `backfill` did not write stays, and so does a document that is written again meanwhile.

    Args:
        client: The client.
        index: The index, alias or data stream that the sidecar belongs to.
        sidecar: Name of the sidecar.
        simhash_field: Field of the fingerprints in the sidecar.
        dry_run: Count only.

    Returns:
        How many documents were deleted, or would be.

    Raises:
        IndexMissing: One of the indices does not exist.
        MappingConflict: The sidecar is that of another index, or none.
        ClusterError: A search or a deletion is refused.
    """
    require_sidecar_of(client, index, sidecar, simhash_field)
    # Without the privilege, what was written a moment ago may be deleted; backfill restores it.
    refresh_if_allowed(client, index)
    count = 0
    for batch in _batches(client, sidecar):
        gone = _gone(client, index, batch)
        count += len(gone) if dry_run else _delete(client, gone)
    return count


def _batches(client: elasticsearch.Elasticsearch, sidecar: str) -> Iterator[list[dict[str, Any]]]:
    body = {
        "query": {"exists": {"field": f"{SOURCE}.{INDEX}"}},
        "_source": False,
        "seq_no_primary_term": True,
    }
    found = hits(client, sidecar, body)
    while batch := list(islice(found, _BATCH)):
        yield batch


def _gone(
    client: elasticsearch.Elasticsearch, index: str, batch: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return those of the sidecar's documents that the index has not."""
    missing = {each["_id"] for each in batch}
    # Several indices behind a name may have one id each, and fill an answer with it.
    while missing and (found := _found(client, index, missing)):
        missing -= found
    return [each for each in batch if each["_id"] in missing]


def _found(client: elasticsearch.Elasticsearch, index: str, ids: Collection[str]) -> set[str]:
    body = {
        "query": {"ids": {"values": sorted(ids)}},
        "size": len(ids),
        "_source": False,
        "track_total_hits": False,
    }
    (answer,) = search_all(client, index, [body])
    return {hit["_id"] for hit in answer["hits"]["hits"]}


def _delete(client: elasticsearch.Elasticsearch, gone: Sequence[dict[str, Any]]) -> int:
    if not gone:
        return 0
    lines = [
        {"delete": {"_index": each["_index"], "_id": each["_id"], **unchanged_since(each)}}
        for each in gone
    ]
    with plain_errors(client):
        items = [item["delete"] for item in client.bulk(operations=lines)["items"]]
    for each in items:
        if "error" in each and each["status"] not in _SETTLED:
            raise ClusterError(
                f"Index {each['_index']!r} lets nothing be deleted: {reason_of(each['error'])}."
            )
    return sum(each["status"] == 200 for each in items)
