"""Sequence-number checkpoints of the shards of an index, and the parts that changed since."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from es_simhash.maintenance.backfills.job import IndexPart
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.requests import index_path


@dataclass(frozen=True)
class Checkpoint:
    """The global checkpoint of one shard.

    Attributes:
        index: Index of the shard.
        shard: Number of the shard.
        name: Name of the shard that an index of the same name, created anew, does not have.
        seq_no: All writes up to this number are in every copy of the shard, so that a refresh
            makes them visible; of writes with higher numbers some may still be under way.
    """

    index: str
    shard: int
    name: str
    seq_no: int


def read_checkpoints(gateway: Gateway, index: str) -> list[Checkpoint]:
    """Return the global checkpoint of each shard of the indices behind a name.

    The highest number that a search sees would not do: concurrent writes become visible in any
    order, and one that was under way would never be processed.

    Raises:
        ClusterError: The privilege `monitor` is missing.
    """
    path = index_path(index, "_stats", "docs")
    stats = gateway.request("GET", path, params={"level": "shards"})
    return [
        Checkpoint(name, int(shard), f"{entry['uuid']}/{shard}", _global_checkpoint(copies))
        for name, entry in sorted(stats["indices"].items())
        for shard, copies in sorted(entry.get("shards", {}).items())
    ]


def _global_checkpoint(copies: Iterable[Mapping[str, Mapping[str, int]]]) -> int:
    return max(copy["seq_no"]["global_checkpoint"] for copy in copies if "seq_no" in copy)


def changed_parts(
    checkpoints: Iterable[Checkpoint], processed: Mapping[str, int]
) -> list[IndexPart]:
    """Return what was written since; all of a shard that is new, or was restored to a lower number.

    Args:
        checkpoints: As they are now.
        processed: Last sequence number that was processed, by the name of the shard.
    """
    parts = []
    for checkpoint in checkpoints:
        last = processed.get(checkpoint.name, -1)
        if last > checkpoint.seq_no:
            last = -1
        if last < checkpoint.seq_no:
            # Writes above the checkpoint are processed too as far as they are visible, and again
            # by the next sweep.
            query = {"range": {"_seq_no": {"gt": last}}}
            parts.append(IndexPart(checkpoint.index, query, checkpoint.shard))
    return parts
