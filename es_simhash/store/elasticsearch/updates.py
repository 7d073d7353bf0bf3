"""Writes to documents in the version that was read, and what became of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.relation.references import DocumentVersion
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import CONFLICT, NOT_FOUND
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.paths import nested_path
from es_simhash.store.rows import WriteResult


@dataclass(frozen=True)
class Update:
    """Members of the `simhash` object of a document, in place of those it has.

    Attributes:
        version: Where the document is, and in which version it was read.
        members: The members by their names.
    """

    version: DocumentVersion
    members: Mapping[str, Any]


def update_members(
    gateway: Gateway, updates: Sequence[Update], config: IndexConfig
) -> list[WriteResult]:
    """Write members of documents that nobody has changed since they were read.

    Args:
        gateway: To the cluster.
        updates: What is written.
        config: Of the index.

    Raises:
        ClusterError: The request is rejected, or the cluster is busy for too long.
    """
    actions = [
        [
            {"update": _target(update.version)},
            {"doc": nested_path(config.simhash_field, update.members)},
        ]
        for update in updates
    ]
    return list(map(_result, gateway.bulk(actions)))


def delete_documents(gateway: Gateway, versions: Sequence[DocumentVersion]) -> list[WriteResult]:
    """Delete documents that nobody has changed since they were read.

    Raises:
        ClusterError: The request is rejected, or the cluster is busy for too long.
    """
    actions = [[{"delete": _target(version)}] for version in versions]
    return list(map(_result, gateway.bulk(actions)))


def _target(version: DocumentVersion) -> dict[str, Any]:
    return {"_index": version.ref.index, "_id": version.ref.id, **version.conditions}


def _result(result: Mapping[str, Any]) -> WriteResult:
    if result["status"] == CONFLICT:
        return WriteResult("conflict")
    if result["status"] == NOT_FOUND:
        return WriteResult("missing")
    if "error" in result:
        return WriteResult("rejected", reason_of(result))
    return WriteResult("written")
