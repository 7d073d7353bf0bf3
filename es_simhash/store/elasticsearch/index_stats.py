"""What the engine says of an index: documents by their schemes, checkpoints, sizes, segments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from es_simhash.errors import IndexMissing
from es_simhash.store import fields
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.answer_shapes import readable
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.conditions import has_lost_vectors
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.index_counts import MethodCoverage, SchemeCoverage, Status, VectorsStatus
from es_simhash.store.intents import Filter

# Status of a text that the ingest pipeline could not fingerprint (docs/pipeline.md).
FAILED = "failed"
# Other schemes that are named; documents of more are counted together.
_MAX_SCHEMES = 50
# Who has them has vectors too.
_WITH_VECTORS = fields.SCHEME, fields.SEMANTIC_SCHEME, fields.VECTOR_TABLE
# Families are counted exactly up to this number, beyond it within a percent or two.
_EXACT_FAMILIES = 40_000


def count_statuses(
    gateway: Gateway, index: str, config: IndexConfig, filters: Sequence[Filter] = ()
) -> Status:
    """Return counts of the documents of an index, from one aggregation.

    Args:
        gateway: To the cluster.
        index: Index, alias or data stream.
        config: How it is read and fingerprinted.
        filters: The user's filters.
    """
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
        vectors=_vectors(aggs, config, documents),
        families=aggs["families"]["value"],
        in_families=aggs["in_families"]["doc_count"],
        duplicates=aggs["duplicates"]["doc_count"],
        bytes=None,
        methods=tuple(_of_method(aggs, scheme, documents) for scheme in config.schemes),
    )


def _body(config: IndexConfig, filters: Sequence[Filter]) -> dict[str, Any]:
    family = config.path(fields.FAMILY)
    aggs: dict[str, Any] = {
        "statuses": {"terms": {"field": config.path(fields.STATUS)}},
        "families": {"cardinality": {"field": family, "precision_threshold": _EXACT_FAMILIES}},
        "in_families": {"filter": {"exists": {"field": family}}},
        "duplicates": {"filter": {"exists": {"field": config.path(fields.DUPLICATE_OF)}}},
    }
    # Without semantic features no document is current, whatever others have written.
    expected = {fields.SEMANTIC_SCHEME: ""}
    if config.semantics is not None and config.semantics.is_learned:
        expected[fields.VECTOR_TABLE] = ""
    expected |= config.scheme_members
    for member, scheme in expected.items():
        path = config.path(member)
        # The scheme of the index is counted apart: terms has the most frequent ones only.
        aggs[member] = {"terms": {"field": path, "size": _MAX_SCHEMES}}
        excluded = [has_lost_vectors(config)] if member in _WITH_VECTORS else []
        counted: dict[str, Filter] = {
            _current(member): {"term": {path: scheme}},
            _any(member): {"exists": {"field": path}},
        }
        for name, query in counted.items():
            aggs[name] = {"filter": {"bool": {"filter": [query], "must_not": excluded}}}
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


def _vectors(aggs: Mapping[str, Any], config: IndexConfig, documents: int) -> VectorsStatus | None:
    if config.semantics is None or not config.semantics.is_learned:
        return None
    table = config.table
    name = "" if table is None else table.name
    coverage = _coverage(aggs, fields.VECTOR_TABLE, name, documents)
    if table is None:
        return VectorsStatus(coverage)
    return VectorsStatus(coverage, table.date, table.documents, table.words)


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


def bytes_of_members(gateway: Gateway, index: str, simhash_field: str) -> dict[str, int] | None:
    """Return the size of each member of the `simhash` object; None without the privilege."""
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


def max_segments(gateway: Gateway, index: str) -> int | None:
    """Return the most segments that a shard of an index has; None without the privilege."""
    try:
        path = index_path(index, "_stats", "segments")
        response = gateway.request("GET", path, params={"level": "shards"})
    except (IndexMissing, RequestRejected):
        return None
    with readable(path):
        counts = [
            copy["segments"]["count"]
            for entry in response["indices"].values()
            for copies in entry["shards"].values()
            for copy in copies
        ]
    return max(counts, default=0)


def primary_sizes(gateway: Gateway, index: str) -> tuple[int, int] | None:
    """Return the bytes and the documents of primary shards; None without the privilege."""
    try:
        stats = gateway.request("GET", index_path(index, "_stats", "store,docs"))
    except (IndexMissing, RequestRejected):
        return None
    primaries: dict[str, dict[str, int]] = stats["_all"]["primaries"]
    return primaries["store"]["size_in_bytes"], primaries["docs"]["count"]


def names_like(gateway: Gateway, name: str) -> list[str]:
    """Return the indices, aliases and data streams whose names are like one, the nearest first."""
    try:
        response = gateway.request("GET", index_path("_resolve", "index", "*"))
    except (IndexMissing, RequestRejected):
        return []
    names = {entry["name"] for entries in response.values() for entry in entries}
    return get_close_matches(name, sorted(names), n=1)


@dataclass(frozen=True)
class Checkpoint:
    """The global checkpoint of one shard.

    Attributes:
        index: Index of the shard.
        shard: Number of the shard.
        name: Name of the shard that an index of the same name, created anew, does not have.
        seq_no: All writes up to this number are in every copy of the shard, so that a refresh
            makes them visible; of writes with higher numbers some may still be under way.
        highest: Number of the last write.
    """

    index: str
    shard: int
    name: str
    seq_no: int
    highest: int


def read_checkpoints(gateway: Gateway, index: str) -> list[Checkpoint]:
    """Return the global checkpoint of each shard of the indices behind a name.

    The highest number that a search sees would not do: concurrent writes become visible in any
    order, and one that was under way would never be processed.

    Raises:
        ClusterError: The privilege `monitor` is missing.
    """
    path = index_path(index, "_stats", "docs")
    stats = gateway.request("GET", path, params={"level": "shards"})
    with readable(path):
        return [
            Checkpoint(
                name,
                int(shard),
                f"{entry['uuid']}/{shard}",
                _greatest("global_checkpoint", copies),
                _greatest("max_seq_no", copies),
            )
            for name, entry in sorted(stats["indices"].items())
            for shard, copies in sorted(entry.get("shards", {}).items())
        ]


def known_checkpoints(gateway: Gateway, index: str) -> list[Checkpoint] | None:
    """Return the same; None without the privilege `monitor`."""
    try:
        return read_checkpoints(gateway, index)
    except RequestRejected:
        return None


def _greatest(number: str, copies: Iterable[Mapping[str, Mapping[str, int]]]) -> int:
    return max(copy["seq_no"][number] for copy in copies if "seq_no" in copy)
