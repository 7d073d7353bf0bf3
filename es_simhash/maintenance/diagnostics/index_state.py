"""Counts of the documents of an index, its mapping and its settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from es_simhash.errors import InputError, MappingConflict, SchemeError
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.background_search import BackgroundLookup
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import (
    bytes_of_members,
    count_statuses,
    max_segments,
)
from es_simhash.store.elasticsearch.searches import OptionalSearch, search_all
from es_simhash.store.elasticsearch.vector_table_search import with_table
from es_simhash.store.index_counts import BackgroundStatus, Status
from es_simhash.store.installation.install import plan
from es_simhash.store.mapping_meta import schemes_of, source_of
from es_simhash.store.options import Query


def count_documents(
    client: Client,
    index: str,
    *,
    config: IndexConfig | None = None,
    with_size: bool = False,
    filters: Sequence[Query] = (),
) -> Status:
    """Return counts of the documents of an index, from one aggregation.

    Args:
        client: The client.
        index: Index, alias or data stream.
        config: Names the field of the `simhash` object.
        with_size: Request the size of the fields as well; the cluster reads the whole index for
            it, and requires the privilege `manage`.
        filters: Elasticsearch queries that documents must match to be counted.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no `simhash` fields.
    """
    gateway = Gateway.of(client)
    given = config or IndexConfig()
    mapped = gateway.mappings(index)
    config = schemes_of(index, mapped, given.simhash_field).applied(given)
    source = source_of(mapped, config.simhash_field)
    if config.semantics is not None and config.semantics.is_learned:
        status = _with_vectors(gateway, index, config, filters, source or index)
    else:
        status = count_statuses(gateway, index, config, filters)
    status = replace(
        status,
        source=source,
        background=_background(gateway, source or index, config),
        left_out=config.left_out,
        other_scoring=config.other_scoring,
    )
    if not with_size:
        return status
    return replace(status, bytes=bytes_of_members(gateway, index, config.simhash_field))


def _with_vectors(
    gateway: Gateway, index: str, config: IndexConfig, filters: Sequence[Query], texts: str
) -> Status:
    """Return counts of an index that has word vectors of its own, and what is wrong with these."""
    problem = None
    try:
        config = gateway.run(with_table(texts, config))
    except (InputError, SchemeError) as error:
        problem = str(error)
    status = count_statuses(gateway, index, config, filters)
    assert status.vectors is not None
    return replace(status, vectors=replace(status.vectors, problem=problem))


def _background(gateway: Gateway, index: str, config: IndexConfig) -> BackgroundStatus | None:
    if config.semantics is None:
        return None
    lookup = BackgroundLookup(index, config)
    searches = [OptionalSearch(lookup.state_index, body) for body in lookup.searches()]
    try:
        background = lookup.read(gateway.run(search_all(index, [], searches)))
    except (InputError, SchemeError) as error:
        return BackgroundStatus(problem=str(error))
    if background is None:
        return BackgroundStatus()
    return BackgroundStatus(background.name, background.date, background.documents)


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
        outdated = [unquote(request.path.split("/")[1]) for request in requests]
    except MappingConflict as error:
        conflict = str(error)
    return IndexSettings(
        conflict, tuple(outdated), _unrefreshed(gateway, index), max_segments(gateway, index)
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
