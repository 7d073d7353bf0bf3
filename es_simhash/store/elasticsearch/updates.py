"""Changes of documents as bulk requests with sequence numbers, and what became of each."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.bulk import (
    CONFLICT,
    NOT_FOUND,
    RESENT,
    Action,
    Rejection,
    send_body,
)
from es_simhash.store.elasticsearch.documents import have_values
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import conditions_of
from es_simhash.store.paths import nested_path
from es_simhash.store.rows import WriteResult
from es_simhash.text.counting import counted

_logger = logging.getLogger(__name__)
_MISSING = "document_missing_exception"


def change_documents(
    gateway: Gateway, changes: Sequence[Change], simhash_field: str, *, index: str | None = None
) -> list[WriteResult]:
    """Change documents that nobody has changed since they were read; return what became of each.

    A change whose answer is lost is sent again, and conflicts with itself: it is written where the
    document is as the change leaves it.

    Args:
        gateway: To the cluster.
        changes: The changes.
        simhash_field: Field of the `simhash` object.
        index: Index of those whose version names none.

    Raises:
        ClusterError: The request is rejected, or the cluster is busy for too long.
    """
    actions = [_action(change, simhash_field) for change in changes]
    results = [_result(result) for result in gateway.bulk(actions, index=index)]
    resent = [number for number, result in enumerate(results) if result.is_resent]
    wanted = [_wanted(changes[number], simhash_field) for number in resent]
    made = gateway.run(have_values(wanted, index=index))
    for number, is_made in zip(resent, made, strict=True):
        results[number] = WriteResult("written" if is_made else "conflict")
    for change, result in zip(changes, results, strict=True):
        if result.status == "conflict":
            _log_conflict(change.version.ref.index or index, change.version.ref.id)
    return results


def _log_conflict(index: str | None, id: str | None, count: int = 1) -> None:
    subject = f"{counted(count, 'document')} of a batch" if id is None else f"Document {id!r}"
    _logger.info(
        "%s of index %r: another writer was quicker.",
        subject,
        index,
        extra={"event": "conflict", "index": index, "documents": count},
    )


def require_accepted(
    changes: Sequence[Change], results: Sequence[WriteResult]
) -> Sequence[WriteResult]:
    """Return the results of changes, unless one was rejected for another reason than a version.

    Raises:
        ClusterError: One was.
    """
    for change, result in zip(changes, results, strict=True):
        if result.status == "rejected":
            raise ClusterError(
                f"Document {change.version.ref.id!r} is rejected: {result.reason}. "
                "Run the same again when the reason is gone."
            )
    return results


def _action(change: Change, simhash_field: str) -> Action:
    ref = change.version.ref
    target = {"_index": ref.index, "_id": ref.id, **conditions_of(change.version)}
    if change.members is None:
        return [{"delete": target}]
    return [{"update": target}, {"doc": nested_path(simhash_field, change.members)}]


def _wanted(change: Change, simhash_field: str) -> tuple[DocumentRef, Mapping[str, Any] | None]:
    """Return the document of a change, and the values that it leaves there."""
    if change.members is None:
        return change.version.ref, None
    members = change.members.items()
    return change.version.ref, {f"{simhash_field}.{name}": value for name, value in members}


def _result(result: Mapping[str, Any]) -> WriteResult:
    if result["status"] == CONFLICT:
        return WriteResult("conflict", is_resent=result[RESENT])
    if result["status"] == NOT_FOUND:
        return WriteResult("missing")
    if "error" in result:
        return WriteResult("rejected", reason_of(result))
    return WriteResult("written")


def write_body(
    gateway: Gateway, index: str, body: bytes, ends: Sequence[int]
) -> dict[int, WriteResult]:
    """Return what was not written of actions that are NDJSON already; see `send_body`."""
    rejections = send_body(gateway, index, body, ends)
    failures = {number: _failure(rejection) for number, rejection in rejections.items()}
    if conflicts := sum(
        failure.status == "conflict" and not failure.is_resent for failure in failures.values()
    ):
        _log_conflict(index, None, conflicts)
    return failures


def _failure(rejection: Rejection) -> WriteResult:
    if rejection.status == CONFLICT:
        return WriteResult("conflict", rejection.reason, rejection.is_resent)
    if rejection.kind == _MISSING:
        return WriteResult("missing", rejection.reason)
    return WriteResult("rejected", rejection.reason)
