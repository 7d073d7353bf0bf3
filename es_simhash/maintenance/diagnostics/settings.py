"""Mapping, refresh interval and segments of an index."""

from dataclasses import dataclass

from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.requests import index_path
from es_simhash.store.installation.install import plan

_REFRESH_INTERVAL = "index.refresh_interval"


@dataclass(frozen=True)
class IndexSettings:
    """Mapping and settings of an index, as far as searches depend on them.

    Attributes:
        conflict: The message that says which field cannot serve; None for none.
        outdated: Indices whose mapping lacks what `install` adds today.
        unrefreshed: Indices that are refreshed only on request.
        segments: Most segments of a shard; None when the privilege is missing.
    """

    conflict: str | None
    outdated: tuple[str, ...]
    unrefreshed: tuple[str, ...]
    segments: int | None


def read_settings(gateway: Gateway, index: str, config: IndexConfig) -> IndexSettings:
    """Return mapping and settings of an index, compared with its configuration."""
    conflict, outdated = None, []
    try:
        requests = plan(
            gateway,
            index,
            scheme=config.scheme,
            simhash_field=config.simhash_field,
            semantics=config.semantics,
        )
        outdated = [request.path.strip("/").partition("/")[0] for request in requests]
    except MappingConflict as error:
        conflict = str(error)
    return IndexSettings(
        conflict, tuple(outdated), _unrefreshed(gateway, index), _max_segments(gateway, index)
    )


def _unrefreshed(gateway: Gateway, index: str) -> tuple[str, ...]:
    settings = gateway.settings(index, _REFRESH_INTERVAL)
    return tuple(
        sorted(
            name
            for name, values in settings.items()
            if values.get(_REFRESH_INTERVAL, "").startswith("-")
        )
    )


def _max_segments(gateway: Gateway, index: str) -> int | None:
    try:
        path = index_path(index, "_stats", "segments")
        response = gateway.request("GET", path, params={"level": "shards"})
    except (IndexMissing, RequestRejected):
        return None
    counts = [
        copy["segments"]["count"]
        for entry in response["indices"].values()
        for copies in entry["shards"].values()
        for copy in copies
    ]
    return max(counts, default=0)
