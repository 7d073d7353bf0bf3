"""Calls of the HTTP API as values, so that one copy of the code serves clients that wait or not."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from es_simhash.errors import IndexMissing, InputError

Result = TypeVar("Result")


def _as_it_is(response: Any, may_retry: bool) -> Any:
    """Return the body of a response."""
    return response


@dataclass(frozen=True)
class Call:
    """One call of the HTTP API.

    Attributes:
        method: HTTP method.
        path: Path of the URL.
        body: JSON value; a list or bytes are sent as NDJSON.
        params: Of the query string.
        read: Reads the body of the response; it is told whether the call may be sent again, and
            raises `Unavailable` where that may help.
        delay: Seconds to wait before it is sent.
    """

    method: str
    path: str
    body: Any = None
    params: Mapping[str, Any] | None = None
    read: Callable[[Any, bool], Any] = _as_it_is
    delay: float = 0.0


# Yields calls, and is sent what they read. What interrupts one is thrown in, as its errors are, so
# that what the calls have opened can be closed.
Calls = Generator[Call, Any, Result]


def index_path(index: str | None, *rest: str) -> str:
    """Return the path of a request about an index, alias or data stream, or about all.

    Raises:
        InputError: The name has half of a character.
    """
    try:
        return "/" + "/".join([*([] if index is None else [quote(index, safe=",*")]), *rest])
    except UnicodeEncodeError as error:
        raise InputError(
            f"Index {index!r} cannot be named in a request, as utf-8 has no character "
            f"{error.object[error.start]!r}. Correct the name."
        ) from error


def mappings(index: str) -> Calls[dict[str, dict[str, Any]]]:
    """Return the mapping of each index behind a name; see `Gateway.mappings`."""
    if ":" in index and not index.startswith("<"):
        raise InputError(
            f"Index {index!r} is in another cluster, and fingerprints are compared where they are "
            "stored. Connect to that cluster by its own address."
        )
    response = yield Call("GET", index_path(index, "_mapping"))
    if not response:
        raise IndexMissing(f"No index matches {index!r}. Get the names with `GET _cat/indices`.")
    return {name: entry["mappings"] for name, entry in response.items()}
