"""How many documents of an index have what, from one aggregation."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from es_simhash.engine.errors import RequestRejected
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.errors import IndexMissing
from es_simhash.indices import install
from es_simhash.storage import fields
from es_simhash.storage.fields import DEFAULT_FIELD, field_path

# What the ingest pipeline says of a text it could not take (docs/pipeline.md).
FAILED = "failed"
# Other schemes that are named; documents of more are counted together.
_MOST_SCHEMES = 50
# Families are counted exactly up to this number, beyond it within a percent or two.
_EXACT_FAMILIES = 40_000


@dataclass(frozen=True)
class Coverage:
    """How many documents were read with which scheme.

    Attributes:
        scheme: The scheme of the index.
        current: Documents of that scheme.
        others: Documents of each other scheme.
        none: Documents of no scheme.
    """

    scheme: str
    current: int
    others: Mapping[str, int]
    none: int

    @property
    def another(self) -> int:
        """Documents of another scheme than the one of the index."""
        return sum(self.others.values())


@dataclass(frozen=True)
class Status:
    """What the documents of an index have.

    Attributes:
        index: Name of the index.
        documents: All documents.
        fingerprints: How many have fingerprints of which scheme.
        empty: Texts without a word.
        failed: Documents the ingest pipeline could not fingerprint.
        semantics: How many have semantic profiles with which scheme; None when the index finds
            versions alone.
        families: Version families.
        in_families: Documents of them.
        duplicates: Documents flagged as a duplicate of another.
        bytes: Size of each of our fields on the disk, in one copy of each shard and without
            `_source`; None when it was not asked for, or may not be.
    """

    index: str
    documents: int
    fingerprints: Coverage
    empty: int
    failed: int
    semantics: Coverage | None
    families: int
    in_families: int
    duplicates: int
    bytes: Mapping[str, int] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the status as JSON has it."""
        return asdict(self)


def count_documents(
    client: Client,
    index: str,
    *,
    simhash_field: str = DEFAULT_FIELD,
    with_size: bool = False,
) -> Status:
    """Count the documents of an index by what they have.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream.
        simhash_field: Name of our object.
        with_size: Ask for the size of our fields as well; the cluster reads the whole index for
            it, and wants the privilege `manage`.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fields of ours.
    """
    made = install.installed(client, index, simhash_field)
    semantics = made.semantics.name if made.semantics else None
    body = _body(simhash_field, made.scheme.name, semantics)
    (answer,) = Gateway.of(client).search_all(index, [body])
    documents, found = answer["hits"]["total"]["value"], answer["aggregations"]
    states = {each["key"]: each["doc_count"] for each in found["states"]["buckets"]}
    return Status(
        index,
        documents,
        _coverage(found, fields.SCHEME, made.scheme.name, documents),
        states.get(fields.STATUS_EMPTY, 0),
        states.get(FAILED, 0),
        _coverage(found, fields.SEMANTIC_SCHEME, semantics, documents) if semantics else None,
        found["families"]["value"],
        found["in_families"]["doc_count"],
        found["duplicates"]["doc_count"],
        _bytes(client, index, simhash_field) if with_size else None,
    )


def _body(field: str, scheme: str, semantics: str | None) -> dict[str, Any]:
    def path(member: str) -> str:
        return field_path(field, member)

    family = path(fields.FAMILY)
    aggs: dict[str, Any] = {
        "states": {"terms": {"field": path(fields.STATUS)}},
        "families": {"cardinality": {"field": family, "precision_threshold": _EXACT_FAMILIES}},
        "in_families": {"filter": {"exists": {"field": family}}},
        "duplicates": {"filter": {"exists": {"field": path(fields.DUPLICATE_OF)}}},
    }
    for member, name in ((fields.SCHEME, scheme), (fields.SEMANTIC_SCHEME, semantics)):
        # The scheme of the index is counted apart: terms give the most frequent ones only.
        aggs[member] = {"terms": {"field": path(member), "size": _MOST_SCHEMES}}
        aggs[_current(member)] = {"filter": {"term": {path(member): name or ""}}}
        aggs[_any(member)] = {"filter": {"exists": {"field": path(member)}}}
    return {"size": 0, "track_total_hits": True, "aggs": aggs}


def _current(member: str) -> str:
    return f"{member}_current"


def _any(member: str) -> str:
    return f"{member}_any"


def _coverage(found: Mapping[str, Any], member: str, scheme: str, documents: int) -> Coverage:
    others = {
        each["key"]: each["doc_count"] for each in found[member]["buckets"] if each["key"] != scheme
    }
    current, known = found[_current(member)]["doc_count"], found[_any(member)]["doc_count"]
    if (more := known - current - sum(others.values())) > 0:
        others["further schemes"] = more
    return Coverage(scheme, current, others, documents - known)


def _bytes(client: Client, index: str, field: str) -> dict[str, int] | None:
    path = index_path(index, "_disk_usage")
    try:
        answer = Gateway.of(client).request("POST", path, params={"run_expensive_tasks": "true"})
    except (IndexMissing, RequestRejected):
        return None
    sizes: dict[str, int] = {}
    for name, entry in answer.items():
        if name == "_shards":
            continue
        for each, usage in entry["fields"].items():
            if each.startswith(f"{field}."):
                member = each.removeprefix(f"{field}.")
                sizes[member] = sizes.get(member, 0) + usage["total_in_bytes"]
    return dict(sorted(sizes.items(), key=lambda size: (-size[1], size[0])))
