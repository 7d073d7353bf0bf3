"""Deleting documents of a sidecar whose originals are gone."""

from collections.abc import Sequence
from dataclasses import dataclass

from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.fields import INDEX, ROUTING, SOURCE
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.intents import Parts, Where
from es_simhash.store.protocol import Snapshot, WritableStore
from es_simhash.store.rows import Row, batches_of

_PRUNED_AT_ONCE = 1000
_WRITTEN_BY_BACKFILL = Where(has_fields=(f"{SOURCE}.{INDEX}",))


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
    config = config or IndexConfig()
    require_sidecar_of(gateway, index, sidecar, config)
    # Without the privilege to refresh, what was written to the index a moment ago may be deleted;
    # backfill restores it.
    store = ElasticsearchStore(gateway, sidecar, config)
    originals = ElasticsearchStore(gateway, index, config).snapshot(must_refresh=False)
    deleted = changed = 0
    with store.snapshot() as copies:
        foreign = copies.count(Where()) - copies.count(_WRITTEN_BY_BACKFILL)
        # What the sidecar has now, the index had before.
        with originals:
            rows = copies.rows(_WRITTEN_BY_BACKFILL, Parts(fields=(SOURCE,), version=True))
            for batch in batches_of(rows, _PRUNED_AT_ONCE):
                orphans = _orphans(originals, batch)
                statuses = ["written"] * len(orphans) if dry_run else _delete(store, orphans)
                deleted += statuses.count("written")
                changed += statuses.count("conflict")
    return PruneReport(deleted, changed, foreign)


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


def _orphans(originals: Snapshot, batch: Sequence[Row]) -> list[Row]:
    """Return the documents of the sidecar that the index does not have, under their routing.

    In which index behind the name a document is does not matter: it may have been moved.
    """
    wanted = Where(ids=tuple(row.id for row in batch))
    present = {(row.id, row.ref.routing) for row in originals.rows(wanted, Parts())}
    return [row for row in batch if (row.id, row.source[SOURCE].get(ROUTING)) not in present]


def _delete(store: WritableStore, orphans: Sequence[Row]) -> list[str]:
    """Return what became of each deletion; what another deleted already is no error.

    Raises:
        ClusterError: One is rejected.
    """
    changes = [Change(row.version, None) for row in orphans if row.version]
    results = store.change(changes)
    for row, result in zip(orphans, results, strict=True):
        if result.status == "rejected":
            raise ClusterError(f"Index {row.ref.index!r} rejects deletions: {result.reason}.")
    return [result.status for result in results]
