"""Deleting documents of a sidecar whose originals are gone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.relation.references import DocumentVersion
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import CONFLICT, NOT_FOUND
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import INDEX, ROUTING, SOURCE
from es_simhash.store.installation.sidecar_source import sidecar_source

Hit = dict[str, Any]

_PRUNED_AT_ONCE = 1000
_DELETED = 200
# Deleted by another already, or written again since it was read.
_SETTLED_STATUSES = frozenset({NOT_FOUND, CONFLICT})
_WRITTEN_BY_BACKFILL = {"exists": {"field": f"{SOURCE}.{INDEX}"}}


@dataclass(frozen=True)
class PruneReport:
    """What pruning deleted from a sidecar, and what it left there.

    Attributes:
        deleted: Documents deleted, or to be deleted by a run that is not dry.
        changed: Documents that are no longer in the index, but were written again or deleted in
            the sidecar while the run went on; the next run decides.
        foreign: Documents that no backfill wrote, which are never deleted.
    """

    deleted: int
    changed: int = 0
    foreign: int = 0


def prune(
    client: Client,
    index: str,
    sidecar: str,
    *,
    config: IndexConfig | None = None,
    dry_run: bool = False,
) -> PruneReport:
    """Delete from a sidecar the documents that are no longer in its index.

    What `backfill` did not write stays, and so does a document that is written again meanwhile.
    The report counts both.

    Args:
        client: The client.
        index: The index, alias or data stream that the sidecar belongs to.
        sidecar: Name of the sidecar.
        config: Names the field of the fingerprints in the sidecar.
        dry_run: Count only.

    Returns:
        How many documents were deleted, or would be, and how many are left.

    Raises:
        IndexMissing: One of the indices does not exist.
        MappingConflict: The sidecar is that of another index, or none.
        ClusterError: A search or a deletion is rejected.
    """
    gateway = Gateway.of(client)
    require_sidecar_of(gateway, index, sidecar, config or IndexConfig())
    # Without the privilege, what was written a moment ago may be deleted; backfill restores it.
    gateway.refresh_if_allowed(index)
    gateway.refresh_if_allowed(sidecar)
    statuses: Counter[int] = Counter()
    for batch in _batches(gateway, sidecar):
        orphans = _orphans(gateway, index, batch)
        statuses.update([_DELETED] * len(orphans) if dry_run else _delete(gateway, orphans))
    foreign = gateway.count(sidecar, {"bool": {"must_not": _WRITTEN_BY_BACKFILL}})
    return PruneReport(statuses[_DELETED], statuses[CONFLICT], foreign)


def require_sidecar_of(gateway: Gateway, index: str, sidecar: str, config: IndexConfig) -> None:
    """Reject a sidecar that belongs to another index; one that does not exist yet will do.

    Raises:
        MappingConflict: The sidecar is that of another index, or none.
    """
    try:
        source = sidecar_source(gateway, sidecar, config.simhash_field)
    except IndexMissing:
        return
    if source is None:
        raise MappingConflict(
            f"Index {sidecar!r} is no sidecar; nothing is pruned from it.", parameter="sidecar"
        )
    if source != index:
        raise MappingConflict(
            f"Index {sidecar!r} is the sidecar of {source!r}, not of {index!r}; if it is to change "
            f"hands, run `es-simhash backfill {index} --sidecar {sidecar}` first."
        )


def _batches(gateway: Gateway, sidecar: str) -> Iterator[list[Hit]]:
    body = {
        "query": _WRITTEN_BY_BACKFILL,
        "_source": [SOURCE],
        "seq_no_primary_term": True,
    }
    hits = gateway.pages(sidecar, body)
    while batch := list(islice(hits, _PRUNED_AT_ONCE)):
        yield batch


def _orphans(gateway: Gateway, index: str, batch: Sequence[Hit]) -> list[Hit]:
    """Return the documents of the sidecar that the index does not have, under their routing.

    In which index behind the name a document is does not matter: it may have been moved.
    """
    present = {
        (id, hit.get("_routing"))
        for id, hits in gateway.hits_by_id(index, [hit["_id"] for hit in batch]).items()
        for hit in hits
    }
    return [hit for hit in batch if (hit["_id"], _recorded_routing(hit)) not in present]


def _recorded_routing(hit: Hit) -> str | None:
    routing: str | None = hit["_source"][SOURCE].get(ROUTING)
    return routing


def _delete(gateway: Gateway, orphans: Sequence[Hit]) -> list[int]:
    """Return the HTTP status of each deletion."""
    if not orphans:
        return []
    results = gateway.bulk([[{"delete": _deletion(hit)}] for hit in orphans])
    for result in results:
        if "error" in result and result["status"] not in _SETTLED_STATUSES:
            raise ClusterError(
                f"Index {result['_index']!r} rejects deletions: {reason_of(result['error'])}."
            )
    return [result["status"] for result in results]


def _deletion(hit: Hit) -> dict[str, Any]:
    version = DocumentVersion.of_hit(hit)
    return {"_index": version.ref.index, "_id": version.ref.id, **version.conditions}
