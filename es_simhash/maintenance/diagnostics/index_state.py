"""Counts of the documents of an index, its mapping and its settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.maintenance.diagnostics.index_counts import MethodCoverage, SchemeCoverage, Status
from es_simhash.store import fields
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.installation.install import plan
from es_simhash.store.options import Query

# Status of a text that the ingest pipeline could not fingerprint (docs/pipeline.md).
FAILED = "failed"
# Other schemes that are named; documents of more are counted together.
_MAX_SCHEMES = 50
# Families are counted exactly up to this number, beyond it within a percent or two.
_EXACT_FAMILIES = 40_000


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
    config = InstalledIndex(gateway, index, config or IndexConfig()).config
    semantics = config.semantics.name if config.semantics else None
    (response,) = gateway.search_all(index, [_body(config, filters)])
    documents, aggs = response["hits"]["total"]["value"], response["aggregations"]
    statuses = {bucket["key"]: bucket["doc_count"] for bucket in aggs["statuses"]["buckets"]}
    return Status(
        index=index,
        documents=documents,
        fingerprints=_coverage(aggs, fields.SCHEME, config.scheme.name, documents),
        empty=statuses.get(fields.STATUS_EMPTY, 0),
        failed=statuses.get(FAILED, 0),
        profiles=(
            _coverage(aggs, fields.SEMANTIC_SCHEME, semantics, documents) if semantics else None
        ),
        families=aggs["families"]["value"],
        in_families=aggs["in_families"]["doc_count"],
        duplicates=aggs["duplicates"]["doc_count"],
        bytes=_bytes_on_disk(gateway, index, config.simhash_field) if with_size else None,
        methods=tuple(_of_method(aggs, scheme, documents) for scheme in config.schemes),
    )


def _body(config: IndexConfig, filters: Sequence[Query]) -> dict[str, Any]:
    family = config.path(fields.FAMILY)
    aggs: dict[str, Any] = {
        "statuses": {"terms": {"field": config.path(fields.STATUS)}},
        "families": {"cardinality": {"field": family, "precision_threshold": _EXACT_FAMILIES}},
        "in_families": {"filter": {"exists": {"field": family}}},
        "duplicates": {"filter": {"exists": {"field": config.path(fields.DUPLICATE_OF)}}},
    }
    # Without semantic features no document is current, whatever others have written.
    for member, scheme in {fields.SEMANTIC_SCHEME: "", **config.scheme_members}.items():
        path = config.path(member)
        # The scheme of the index is counted apart: terms has the most frequent ones only.
        aggs[member] = {"terms": {"field": path, "size": _MAX_SCHEMES}}
        aggs[_current(member)] = {"filter": {"term": {path: scheme}}}
        aggs[_any(member)] = {"filter": {"exists": {"field": path}}}
    for added in config.schemes:
        status = added.member(fields.STATUS)
        aggs[status] = {"terms": {"field": config.path(status)}}
    query = {"bool": {"filter": [*filters]}}
    return {"size": 0, "track_total_hits": True, "query": query, "aggs": aggs}


def _current(member: str) -> str:
    return f"{member}_current"


def _any(member: str) -> str:
    return f"{member}_any"


def _coverage(aggs: Mapping[str, Any], member: str, scheme: str, documents: int) -> SchemeCoverage:
    others = {
        bucket["key"]: bucket["doc_count"]
        for bucket in aggs[member]["buckets"]
        if bucket["key"] != scheme
    }
    current, known = aggs[_current(member)]["doc_count"], aggs[_any(member)]["doc_count"]
    if (more := known - current - sum(others.values())) > 0:
        others["further schemes"] = more
    return SchemeCoverage(scheme, current, others, documents - known)


def _of_method(aggs: Mapping[str, Any], scheme: AddedScheme, documents: int) -> MethodCoverage:
    coverage = _coverage(aggs, scheme.member(fields.SCHEME), scheme.name, documents)
    buckets = aggs[scheme.member(fields.STATUS)]["buckets"]
    statuses = {bucket["key"]: bucket["doc_count"] for bucket in buckets}
    return MethodCoverage(
        scheme=scheme.name,
        current=coverage.current,
        others=coverage.others,
        none=coverage.none,
        method=scheme.method,
        unreadable=statuses.get(fields.STATUS_UNREADABLE, 0),
        empty=statuses.get(fields.STATUS_EMPTY, 0),
    )


def _bytes_on_disk(gateway: Gateway, index: str, simhash_field: str) -> dict[str, int] | None:
    path = index_path(index, "_disk_usage")
    try:
        response = gateway.request("POST", path, params={"run_expensive_tasks": "true"})
    except (IndexMissing, RequestRejected):
        return None
    sizes: dict[str, int] = {}
    for name, entry in response.items():
        if name == "_shards":
            continue
        for field, usage in entry["fields"].items():
            if field.startswith(f"{simhash_field}."):
                member = field.removeprefix(f"{simhash_field}.")
                sizes[member] = sizes.get(member, 0) + usage["total_in_bytes"]
    return dict(sorted(sizes.items(), key=lambda size: (-size[1], size[0])))


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
