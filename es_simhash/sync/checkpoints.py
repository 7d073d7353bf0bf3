"""How far the writes to an index have come, and what was written since."""

from collections.abc import Mapping
from dataclasses import dataclass

from es_simhash.backfills.job import IndexPart
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path


@dataclass(frozen=True)
class Checkpoint:
    """How far the writes to one shard have come.

    Attributes:
        index: Its index.
        shard: Its number.
        name: Name of it that an index of the same name, made anew, has not.
        seq_no: All writes up to this number are in every copy of the shard, so that a refresh
            makes them visible; of writes with higher numbers some may still be under way.
    """

    index: str
    shard: int
    name: str
    seq_no: int


def checkpoints(client: Client, index: str) -> list[Checkpoint]:
    """Ask for the global checkpoint of each shard of the indices behind a name.

    The highest number that a search sees would not do: writes beside each other become visible in
    any order, and one that was under way would be passed over.

    Raises:
        ClusterError: The privilege `monitor` is missing.
    """
    path = index_path(index, "_stats", "docs")
    stats = Gateway.of(client).request("GET", path, params={"level": "shards"})
    return [
        Checkpoint(name, int(shard), f"{entry['uuid']}/{shard}", _checkpoint(copies))
        for name, entry in sorted(stats["indices"].items())
        for shard, copies in sorted(entry.get("shards", {}).items())
    ]


def _checkpoint(copies: list[Mapping[str, Mapping[str, int]]]) -> int:
    return max(copy["seq_no"]["global_checkpoint"] for copy in copies if "seq_no" in copy)


def since(now: list[Checkpoint], before: Mapping[str, int]) -> list[IndexPart]:
    """Return what was written since; all of a shard that is new, or was restored to earlier."""
    parts = []
    for each in now:
        last = before.get(each.name, -1)
        if last > each.seq_no:
            last = -1
        if last < each.seq_no:
            # What is under way is looked at as well as far as it can be seen, and again next time.
            parts.append(IndexPart(each.index, {"range": {"_seq_no": {"gt": last}}}, each.shard))
    return parts
