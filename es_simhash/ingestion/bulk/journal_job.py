"""What a journal is for: the job of a run, and in what two jobs differ."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xxhash

from es_simhash.store.home_folder import home_folder

# What a run does: the name and the UUIDs of its index, the names of its sources, and all settings
# that change what is written. JSON: strings, lists of strings, booleans, None.
Job = Mapping[str, Any]
INDEX, UUIDS, SOURCES = "index", "uuids", "sources"


def default_path(job: Job) -> Path:
    """Return the file for one job; an index is known by its UUIDs, whatever it is called."""
    parts = json.dumps({name: job[name] for name in sorted(job) if name != INDEX})
    return home_folder() / "journals" / f"{xxhash.xxh3_128_hexdigest(parts.encode())}.json"


def difference_of(stored: Job, job: Job) -> str | None:
    """Say in what a journal is of another job; None when it is of this one."""
    if stored.get(UUIDS) != job[UUIDS]:
        if stored.get(INDEX) != job[INDEX]:
            return f"of index {stored.get(INDEX)!r}, and this run writes to {job[INDEX]!r}"
        return (
            f"of index {job[INDEX]!r} with UUID {_shown(stored.get(UUIDS))}, and the one here has "
            f"UUID {_shown(job[UUIDS])}: it was created anew, or is of another cluster"
        )
    for name in sorted(job.keys() - {INDEX, UUIDS}):
        if stored.get(name) != job[name]:
            return (
                f"of a run with {name} {_shown(stored.get(name))}, and this one has "
                f"{_shown(job[name])}"
            )
    return None


def _shown(value: object) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list) else repr(value)
