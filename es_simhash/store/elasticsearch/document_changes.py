"""Changes of documents as bulk requests with sequence numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.store.changes import Change, ChangeResult
from es_simhash.store.elasticsearch.bulk import CONFLICT, NOT_FOUND, Action
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.paths import nested_path


def change_documents(
    gateway: Gateway, index: str, simhash_field: str, changes: Sequence[Change]
) -> list[ChangeResult]:
    """Change documents, and return the result of each.

    Args:
        gateway: Sends the request.
        index: Index of those whose version names none.
        simhash_field: Field of the `simhash` object.
        changes: The changes.

    Raises:
        ClusterError: A change is rejected for another reason than a newer version.
    """
    actions = [_action(change, simhash_field) for change in changes]
    return [_result(result) for result in gateway.bulk(actions, index=index)]


def _action(change: Change, simhash_field: str) -> Action:
    ref = change.version.ref
    target = {"_index": ref.index, "_id": ref.id, **change.version.conditions}
    if change.members is None:
        return [{"delete": target}]
    return [{"update": target}, {"doc": nested_path(simhash_field, change.members)}]


def _result(result: Mapping[str, Any]) -> ChangeResult:
    if result["status"] == CONFLICT:
        return "conflict"
    if result["status"] == NOT_FOUND:
        return "gone"
    if "error" in result:
        raise ClusterError(
            f"Document {result['_id']!r} is rejected: {reason_of(result)}. "
            "Run the same again when the reason is gone."
        )
    return "changed"
