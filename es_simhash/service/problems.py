"""What goes wrong, in words for whoever sent the request: problem documents of RFC 9457."""

from collections.abc import Mapping
from typing import Any

from es_simhash.errors import (
    ClusterError,
    DocumentAmbiguous,
    DocumentMissing,
    EsSimhashError,
)

PROBLEM_TYPE = "application/problem+json"
# Seconds after which a request may be sent again when the search engine is away.
ENGINE_RETRY = 2

TITLES = {
    400: "Bad request",
    401: "Not authorised",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Request too slow",
    409: "Conflict",
    413: "Request too large",
    415: "Unsupported media type",
    422: "Document cannot be compared",
    429: "Too many requests",
    500: "Internal error",
    503: "Temporarily unavailable",
}


class Problem(Exception):
    """A request that is answered with an error.

    Args:
        status: HTTP status.
        detail: One sentence.
        headers: Further headers of the answer.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the problem document."""
        title = TITLES.get(self.status, "Error")
        return {
            "type": "about:blank", "title": title, "status": self.status, "detail": self.detail
        }  # fmt: skip


def not_found() -> Problem:
    """Return the answer for a document that is missing, or that the caller may not see."""
    return Problem(404, "There is no such document.")


def unavailable(detail: str = "The search engine does not answer; try again.") -> Problem:
    """Return the answer while the search engine is away."""
    return Problem(503, detail, {"Retry-After": str(ENGINE_RETRY)})


def problem_of(error: EsSimhashError) -> Problem:
    """Return the answer for an error of this package; nothing of its message is in it."""
    # Also one id for several documents: to say so would tell of those that the caller cannot see.
    if isinstance(error, DocumentMissing | DocumentAmbiguous):
        return not_found()
    if isinstance(error, ClusterError):
        return unavailable()
    return Problem(422, "The document has no text that can be compared.")
