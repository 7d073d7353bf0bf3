"""What processes and a cluster hold at a moment (on Linux)."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_MIB = 1 << 20


def family_of(process: int) -> Iterator[int]:
    """Yield a process and all that it has started, which may end meanwhile."""
    yield process
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from family_of(int(child))


def held_by(process: int) -> dict[str, float]:
    """Return memory, open files and threads of a process and those that it has started."""
    held = {"memory (MiB)": 0.0, "open files": 0.0, "threads": 0.0}
    for each in family_of(process):
        folder = Path(f"/proc/{each}")
        with suppress(OSError):
            pages = int((folder / "statm").read_text().split()[1])
            held["memory (MiB)"] += pages * os.sysconf("SC_PAGE_SIZE") / _MIB
            held["open files"] += len(list((folder / "fd").iterdir()))
            held["threads"] += len(list((folder / "task").iterdir()))
    return held


def used_by(process: int, folder: Path) -> float:
    """Return the MiB that a process and those that it has started say they use, in a folder."""
    used = 0.0
    for each in family_of(process):
        with suppress(OSError):
            used += float((folder / str(each)).read_text())
    return used


def held_by_cluster(client: Any, state_index: str) -> dict[str, float]:
    """Return contexts of searches and connections that are open, and records of the state index.

    Contexts are those of points in time and scrolls.
    """
    stats = client.nodes.stats(metric="indices,http", index_metric="search")["nodes"].values()
    searches = [node["indices"]["search"] for node in stats]
    state = client.count(index=state_index, ignore_unavailable=True)["count"]
    return {
        "open contexts": sum(each["open_contexts"] for each in searches),
        "connections": sum(node["http"]["current_open"] for node in stats),
        "records of the state": state,
    }


def refused_by_cluster(client: Any) -> dict[str, int]:
    """Return how many requests its nodes have rejected, and breakers tripped, since a start."""
    return refused_by(client.nodes.stats(metric="breaker,thread_pool")["nodes"].values())


def refused_by(nodes: Collection[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many requests some nodes have rejected, and breakers tripped, since a start.

    Args:
        nodes: The statistics of each.
    """
    pools = [node["thread_pool"][pool] for node in nodes for pool in ("search", "write")]
    breakers = [breaker for node in nodes for breaker in node["breakers"].values()]
    return {
        "rejected": sum(pool["rejected"] for pool in pools),
        "tripped": sum(breaker["tripped"] for breaker in breakers),
    }
