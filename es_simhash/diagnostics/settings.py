"""How the mapping and the settings of an index stand."""

from dataclasses import dataclass

from es_simhash.engine.errors import RequestRejected
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.indices import install
from es_simhash.indices.install import Installed

_REFRESH = "index.refresh_interval"


@dataclass(frozen=True)
class Standing:
    """How mapping and settings stand.

    Attributes:
        conflict: The sentence that says which field cannot serve; None for none.
        outdated: Indices whose mapping lacks what `install` adds today.
        unrefreshed: Indices that show new documents only when they are told to.
        segments: Most segments of a shard; None when it may not be asked.
    """

    conflict: str | None
    outdated: tuple[str, ...]
    unrefreshed: tuple[str, ...]
    segments: int | None


def look(client: Client, index: str, field: str, made: Installed) -> Standing:
    """Read mapping, settings and segments."""
    conflict, outdated = None, []
    try:
        plan = install.plan(
            client, index, scheme=made.scheme, simhash_field=field, semantics=made.semantics
        )
        outdated = [each.path.strip("/").partition("/")[0] for each in plan]
    except MappingConflict as error:
        conflict = str(error)
    return Standing(
        conflict, tuple(outdated), _unrefreshed(client, index), _segments(client, index)
    )


def _unrefreshed(client: Client, index: str) -> tuple[str, ...]:
    settings = Gateway.of(client).settings(index, _REFRESH)
    return tuple(
        sorted(name for name, entry in settings.items() if entry.get(_REFRESH, "").startswith("-"))
    )


def _segments(client: Client, index: str) -> int | None:
    try:
        path = index_path(index, "_stats", "segments")
        answer = Gateway.of(client).request("GET", path, params={"level": "shards"})
    except (IndexMissing, RequestRejected):
        return None
    counts = [
        copy["segments"]["count"]
        for entry in answer["indices"].values()
        for copies in entry["shards"].values()
        for copy in copies
    ]
    return max(counts, default=0)
