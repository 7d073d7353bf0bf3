"""Documents of a sidecar whose originals are gone."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.indices.sidecar import sidecar_source
from es_simhash.storage import fields
from es_simhash.storage.fields import INDEX, SOURCE
from es_simhash.storage.references import DocumentVersion

_BATCH = 1000
# Deleted by another already, or written anew since it was read.
_SETTLED = frozenset({404, 409})


def require_sidecar_of(client: Client, index: str, sidecar: str, field: str) -> None:
    """Refuse to prune what belongs to another index.

    Raises:
        MappingConflict: The sidecar is that of another index, or none.
    """
    try:
        belongs = sidecar_source(Gateway.of(client), sidecar, field)
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
    client: Client,
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
    Gateway.of(client).refresh_if_allowed(index)
    count = 0
    for batch in _batches(client, sidecar):
        gone = _gone(client, index, batch)
        count += len(gone) if dry_run else _delete(client, gone)
    return count


def _batches(client: Client, sidecar: str) -> Iterator[list[dict[str, Any]]]:
    body = {
        "query": {"exists": {"field": f"{SOURCE}.{INDEX}"}},
        "_source": False,
        "seq_no_primary_term": True,
    }
    found = Gateway.of(client).pages(sidecar, body)
    while batch := list(islice(found, _BATCH)):
        yield batch


def _gone(client: Client, index: str, batch: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those of the sidecar's documents that the index has not."""
    missing = {each["_id"] for each in batch}
    # Several indices behind a name may have one id each, and fill an answer with it.
    while missing and (found := _found(client, index, missing)):
        missing -= found
    return [each for each in batch if each["_id"] in missing]


def _found(client: Client, index: str, ids: Collection[str]) -> set[str]:
    body = {
        "query": {"ids": {"values": sorted(ids)}},
        "size": len(ids),
        "_source": False,
        "track_total_hits": False,
    }
    (answer,) = Gateway.of(client).search_all(index, [body])
    return {hit["_id"] for hit in answer["hits"]["hits"]}


def _delete(client: Client, gone: Sequence[dict[str, Any]]) -> int:
    if not gone:
        return 0
    actions = [
        [
            {
                "delete": {
                    "_index": each["_index"],
                    "_id": each["_id"],
                    **DocumentVersion.of_hit(each).conditions,
                }
            }
        ]
        for each in gone
    ]
    results = Gateway.of(client).bulk(actions)
    for each in results:
        if "error" in each and each["status"] not in _SETTLED:
            raise ClusterError(
                f"Index {each['_index']!r} lets nothing be deleted: {reason_of(each['error'])}."
            )
    return sum(each["status"] == 200 for each in results)
