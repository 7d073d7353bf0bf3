"""Bulk requests: small actions with their results, and NDJSON that was prepared elsewhere."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.client import elasticsearch
from es_simhash.store.elasticsearch.errors import rejection_reason
from es_simhash.store.elasticsearch.hits import conditions_of
from es_simhash.store.elasticsearch.requests import Requests
from es_simhash.store.elasticsearch.retry import RETRYABLE, Unavailable
from es_simhash.text.counting import counted

# Status of a bulk action on a document that was changed since, and on one that is not there.
_logger = logging.getLogger(__name__)
CONFLICT = 409
NOT_FOUND = 404
# The request as a whole is rejected for what one document has, or for its size.
_DIVIDED = frozenset({400, 413})
_FORBIDDEN = frozenset({401, 403})
_BLOCKED = "cluster_block_exception"
_MISSING = "index_not_found_exception"
# Elasticsearch has no type of its own for this error; OpenSearch words it the same.
_NO_WRITE_INDEX = "no write index is defined for alias"
_RESULTS = (
    "errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.type"
)

# Member of a result: whether its action was sent before, and may have been done without an answer.
RESENT = "is_resent"
# The lines of one action: what to do, and the document if there is one.
Action = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Rejection:
    """Why an action was rejected for good.

    Attributes:
        status: HTTP status, as 409 for a conflict.
        kind: Type of the error, as `document_missing_exception`.
        reason: One sentence that quotes nothing of the document.
        is_resent: Whether it was sent before, and may have been done without an answer.
    """

    status: int
    kind: str
    reason: str
    is_resent: bool = False


def index_action(
    id: str,
    source: bytes,
    routing: str | None = None,
    *,
    creates: bool = False,
    version: DocumentVersion | None = None,
) -> bytes:
    """Return the two lines of a bulk request that write one document.

    Args:
        id: Its id.
        source: The document.
        routing: What it is routed by; None for its id.
        creates: Whether it must not be there yet, as a data stream demands.
        version: The document that it replaces, unless that was changed since; without an index,
            in that of the request; None for any.
    """
    if version is not None:
        target = {"_index": version.ref.index, "_id": id, **conditions_of(version)}
        if version.ref.index is None:
            del target["_index"]
        return b'{"index":%b}\n%b\n' % (json.dumps(target).encode(), source)
    place = b"" if routing is None else b',"routing":%b' % json.dumps(routing).encode()
    name = b"create" if creates else b"index"
    return b'{"%b":{"_id":%b%b}}\n%b\n' % (name, json.dumps(id).encode(), place, source)


@dataclass(frozen=True)
class WriteAction:
    """An action of `index_action`, read back.

    Attributes:
        id: Id of the document.
        source: The document.
        routing: What it is routed by; None for its id.
        has_version: Whether it names the version that it replaces.
    """

    id: str
    source: bytes
    routing: str | None
    has_version: bool

    @classmethod
    def of(cls, action: bytes) -> "WriteAction":
        """Return an action as it was made."""
        head, source = action.split(b"\n", 1)
        (target,) = json.loads(head).values()
        return cls(
            target["_id"], source.removesuffix(b"\n"), target.get("routing"), "if_seq_no" in target
        )


def update_action(version: DocumentVersion, document: bytes) -> bytes:
    """Return the two lines that add fields to a document, unless it was changed since."""
    ref = version.ref
    action = {"update": {"_index": ref.index, "_id": ref.id, **conditions_of(version)}}
    return b'%b\n{"doc":%b}\n' % (json.dumps(action).encode(), document)


def create_action(ref: DocumentRef, document: bytes) -> bytes:
    """Return the two lines that write a document, unless there is one."""
    action = {"create": {"_index": ref.index, "_id": ref.id}}
    return b"%b\n%b\n" % (json.dumps(action).encode(), document)


def is_retryable(result: Mapping[str, Any]) -> bool:
    """Check whether a retry may change the result of an action.

    The block of a full disk has status 429 as well, and lasts until somebody makes room.
    """
    blocked = result.get("error", {}).get("type") == _BLOCKED
    return result["status"] in RETRYABLE and not blocked


def send_actions(
    requests: Requests, actions: Sequence[Action], index: str | None, *, refresh: bool = False
) -> list[Mapping[str, Any]]:
    """Return the result of each action; see `Gateway.bulk`."""
    results: dict[int, Mapping[str, Any]] = {}
    pending = list(range(len(actions)))
    attempts = 0
    path = index_path(index, "_bulk")
    params = {"refresh": "true"} if refresh else None

    def attempt() -> None:
        nonlocal pending, attempts
        attempts += 1
        lines = [line for number in pending for line in actions[number]]
        items = requests.send("POST", path, lines, params=params)["items"]
        for number, item in zip(pending, items, strict=True):
            results[number] = {**_result(item), RESENT: attempts > 1}
        pending = [number for number in pending if is_retryable(results[number])]
        if pending and requests.retry is not None:
            raise Unavailable(f"it rejects {len(pending)} actions for now")

    if pending:
        requests.retried(attempt)
    return [results[number] for number in range(len(actions))]


def send_body(
    requests: Requests, index: str, body: bytes, ends: Sequence[int]
) -> dict[int, Rejection]:
    """Write actions that are NDJSON already; only those that are rejected are retried.

    A request that is rejected as a whole is divided until the action at fault is found.

    Args:
        requests: Sends them.
        index: Index of actions that name none.
        body: Lines of all actions.
        ends: Where each action ends in the body.

    Returns:
        The actions that were rejected for good, by their number.

    Raises:
        ClusterError: The index takes no documents at all, or is busy for too long.
    """
    return _Body(requests, index, body, [0, *ends]).send()


@dataclass
class _Body:
    """Actions on their way: `bounds` say where each begins and ends in the body."""

    requests: Requests
    index: str
    body: bytes
    bounds: Sequence[int]
    rejections: dict[int, Rejection] = field(default_factory=dict)
    attempts: int = 0

    def send(self) -> dict[int, Rejection]:
        """Send all actions; those that are rejected for now once more."""
        pending = list(range(len(self.bounds) - 1))

        def attempt() -> None:
            nonlocal pending
            self.attempts += 1
            pending = self._attempt(pending)
            if pending:
                raise Unavailable(
                    f"it rejects {counted(len(pending), 'document')} of a batch for now"
                )

        if pending:
            self.requests.retried(attempt)
        return self.rejections

    def _attempt(self, numbers: Sequence[int]) -> list[int]:
        """Send some actions and return those to retry."""
        path = index_path(self.index, "_bulk")
        try:
            response = self.requests.send(
                "POST", path, self._lines(numbers), params={"filter_path": _RESULTS}
            )
        except elasticsearch.ApiError as error:
            if error.status_code not in _DIVIDED:
                raise
            return self._divided(numbers, error)
        if not response["errors"]:
            return []
        results = zip(numbers, map(_result, response["items"]), strict=True)
        return [number for number, result in results if self._is_pending(number, result)]

    def _lines(self, numbers: Sequence[int]) -> bytes:
        if len(numbers) == len(self.bounds) - 1:
            return self.body
        return b"".join(
            self.body[self.bounds[number] : self.bounds[number + 1]] for number in numbers
        )

    def _divided(self, numbers: Sequence[int], error: "elasticsearch.ApiError") -> list[int]:
        """Find the action for which a whole request is rejected."""
        if len(numbers) == 1:
            reason = f"Elasticsearch rejects the request: {error.message}."
            self.rejections[numbers[0]] = Rejection(error.status_code, error.message, reason)
            return []
        _logger.info(
            "A request of %d documents is rejected (%d) and divided.",
            len(numbers),
            error.status_code,
            extra={"event": "division", "documents": len(numbers), "status": error.status_code},
        )
        middle = len(numbers) // 2
        pending: list[int] = []
        for half in (numbers[:middle], numbers[middle:]):
            try:
                pending += self._attempt(half)
            except Unavailable:
                pending += half
        return pending

    def _is_pending(self, number: int, result: Mapping[str, Any]) -> bool:
        """Check whether to retry an action; note one that is rejected for good."""
        if "error" not in result:
            return False
        if is_retryable(result):
            return True
        error, status = result["error"], result["status"]
        self._require_open(error, status)
        self.rejections[number] = Rejection(
            status, error["type"], rejection_reason(error), is_resent=self.attempts > 1
        )
        return False

    def _require_open(self, error: Mapping[str, Any], status: int) -> None:
        """Raise an error for what would be the same for all documents."""
        if error["type"] == _BLOCKED:
            raise ClusterError(
                f"Index {self.index!r} rejects documents ({error['reason'].rstrip(';. ')}). Free "
                "disk space or remove the block, then run it again to resume."
            )
        if str(error.get("reason", "")).startswith(_NO_WRITE_INDEX):
            raise ClusterError(
                f"Alias {self.index!r} has no write index. Name one of its indices, or set "
                "`is_write_index` for one of them."
            )
        if status in _FORBIDDEN or error["type"] == _MISSING:
            raise ClusterError(
                f"Index {self.index!r} rejects documents "
                f"({rejection_reason(error).rstrip('.')}). Check its name and the privileges, "
                "then run it again to resume."
            )


def _result(item: Mapping[str, Any]) -> Mapping[str, Any]:
    (result,) = item.values()
    return dict(result)
