"""How the mapping and the settings of an index stand."""

from dataclasses import dataclass

import elasticsearch

from es_simhash.engine.cluster import plain_errors
from es_simhash.errors import MappingConflict
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


def look(client: elasticsearch.Elasticsearch, index: str, field: str, made: Installed) -> Standing:
    """Read mapping, settings and segments."""
    conflict, outdated = None, []
    try:
        plan = install.plan(
            client, index, scheme=made.scheme, field=field, semantics=made.semantics
        )
        outdated = [each.path.strip("/").partition("/")[0] for each in plan]
    except MappingConflict as error:
        conflict = str(error)
    return Standing(
        conflict, tuple(outdated), _unrefreshed(client, index), _segments(client, index)
    )


def _unrefreshed(client: elasticsearch.Elasticsearch, index: str) -> tuple[str, ...]:
    with plain_errors(client):
        found = client.indices.get_settings(index=index, name=_REFRESH, flat_settings=True)
    settings = {name: entry["settings"].get(_REFRESH, "") for name, entry in found.items()}
    return tuple(sorted(name for name, every in settings.items() if every.startswith("-")))


def _segments(client: elasticsearch.Elasticsearch, index: str) -> int | None:
    try:
        answer = client.indices.stats(index=index, metric="segments", level="shards")
    except elasticsearch.ApiError:
        return None
    counts = [
        copy["segments"]["count"]
        for entry in answer["indices"].values()
        for copies in entry["shards"].values()
        for copy in copies
    ]
    return max(counts, default=0)
