"""What a request may choose: ids in its path, and bounded parameters of its query."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from es_simhash.relation.relation import KINDS, Kind
from es_simhash.service.responses import Problem, not_found
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.order import Sort

DEFAULT_SIZE = 10
# The engine takes no longer id.
MAX_ID_BYTES = 512
_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class RelatedQuery:
    """What a caller chose.

    Attributes:
        size: Most relations.
        offset: Relations to pass over.
        sort: Their order.
        kinds: Kinds of relations; all when empty.
    """

    size: int = DEFAULT_SIZE
    offset: int = 0
    sort: Sort = "score"
    kinds: tuple[Kind, ...] = ()


def related_query(
    given: Iterable[tuple[str, str]], limits: ServiceLimits, sorts: Sequence[Sort]
) -> RelatedQuery:
    """Return what the query of a request chooses.

    Args:
        given: Names and values.
        limits: Of numbers.
        sorts: Orders that are possible.

    Raises:
        Problem: 400, for a parameter that is unknown, repeated, or out of bounds.
    """
    chosen: dict[str, Any] = {}
    kinds: list[Kind] = []
    for name, value in given:
        if name == "kind":
            kinds.append(_among(name, value, KINDS))
            continue
        if name not in ("size", "from", "sort"):
            raise Problem(400, "Unknown parameter; use size, from, sort and kind.")
        if name in chosen:
            raise Problem(400, f"{name} is given twice.")
        if name == "size":
            chosen[name] = whole(name, value, 1, limits.size)
        elif name == "from":
            chosen[name] = whole(name, value, 0, limits.offset)
        else:
            chosen[name] = _among(name, value, sorts)
    return RelatedQuery(
        chosen.get("size", min(DEFAULT_SIZE, limits.size)),
        chosen.get("from", 0),
        chosen.get("sort", "score"),
        # In one order, so that the same question has the same answer in the cache.
        tuple(kind for kind in KINDS if kind in kinds),
    )


def require_no_parameters(given: Iterable[tuple[str, str]]) -> None:
    """Check that a request has no query.

    Raises:
        Problem: 400, when it has.
    """
    if any(True for _ in given):
        raise Problem(400, "This address takes no parameters.")


def path_ids(raw_path: bytes, prefix: str, count: int) -> list[str]:
    """Return the ids in a path, as they were before they were escaped.

    Args:
        raw_path: Path of the request, still escaped.
        prefix: What stands before the ids.
        count: How many there are; a slash that is part of one of two must be escaped.

    Raises:
        Problem: 404, when there can be no such document.
    """
    rest = raw_path.partition(b"?")[0].removeprefix(prefix.encode())
    parts = [rest] if count == 1 else rest.split(b"/")
    if len(parts) != count:
        raise Problem(404, "Write the two ids with a slash between them; escape one within as %2F.")
    return [_id(part) for part in parts]


def _id(part: bytes) -> str:
    escaped = unquote_to_bytes(part)
    try:
        id = escaped.decode("utf-8")
    except UnicodeDecodeError:
        raise not_found() from None
    if not 0 < len(escaped) <= MAX_ID_BYTES:
        raise not_found()
    return id


def text_of_body(body: bytes) -> str:
    """Return the text of a request body `{"text": …}`.

    Raises:
        Problem: 400, when it is something else.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON.") from None
    if not isinstance(value, dict) or value.keys() != {"text"}:
        raise Problem(400, 'The body must be an object with the one member "text".')
    text = value["text"]
    if not isinstance(text, str) or not text:
        raise Problem(400, '"text" must be a string that is not empty.')
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem(400, '"text" has half of a surrogate pair.') from None
    return text


def whole(name: str, value: str, low: int, high: int) -> int:
    """Return the value of a parameter that is a whole number.

    Raises:
        Problem: 400, when it is none within the bounds.
    """
    if not _WHOLE.fullmatch(value) or not low <= int(value) <= high:
        raise Problem(400, f"{name} must be a whole number from {low} to {high}.")
    return int(value)


def _among(name: str, value: str, allowed: Sequence[Any]) -> Any:
    if value not in allowed:
        raise Problem(400, f"{name} must be one of {', '.join(allowed)}.")
    return value
