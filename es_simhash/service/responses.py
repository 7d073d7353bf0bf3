"""Responses of HTTP: problem documents (RFC 9457), entity tags, and what every response has."""

import gzip
import hashlib
import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from es_simhash.errors import (
    ClusterError,
    DocumentAmbiguous,
    DocumentMissing,
    EsSimhashError,
    InputError,
    MissingExtra,
)
from es_simhash.service.answer_types import ProblemDocument, encoded
from es_simhash.service.monitoring import log, request_metrics
from es_simhash.service.separate_process import ProcessEnded

PROBLEM_TYPE = "application/problem+json"
# Seconds after which a request may be sent again when the search engine is away.
ENGINE_RETRY = 2
# Status while it is.
UNAVAILABLE = 503

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
    421: "Misdirected request",
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

    @property
    def document(self) -> ProblemDocument:
        """The problem document."""
        title = TITLES.get(self.status, "Error")
        return ProblemDocument("about:blank", title, self.status, self.detail)


def not_found() -> Problem:
    """Return the answer for a document that is missing, or that the caller may not see."""
    return Problem(404, "There is no such document.")


def unavailable(
    detail: str = "The search engine does not answer; try again.", seconds: int = ENGINE_RETRY
) -> Problem:
    """Return the answer while the search engine is away, or too many ask.

    Args:
        detail: One sentence.
        seconds: After which the request may be sent again.
    """
    return Problem(UNAVAILABLE, detail, {"Retry-After": str(seconds)})


def problem_of(error: EsSimhashError) -> Problem:
    """Return the answer for an error of this package; nothing of its message is in it."""
    # Also one id for several documents: to say so would tell of those that the caller cannot see.
    if isinstance(error, DocumentMissing | DocumentAmbiguous):
        return not_found()
    if isinstance(error, ClusterError):
        return unavailable()
    if isinstance(error, ProcessEnded):
        return unavailable("The comparison ended early; try again.")
    if isinstance(error, InputError) and error.parameter == "family":
        return Problem(422, "The document has no version family yet.")
    if isinstance(error, InputError) and error.parameter == "within":
        return Problem(422, "The index has no field that keeps documents apart: leave out within.")
    if isinstance(error, MissingExtra):
        # Whoever runs the service reads what to install.
        log(logging.WARNING, "extra missing", reason=str(error))
        return Problem(422, "The text is in a language that this service cannot read.")
    return Problem(422, "The document has no text that can be compared.")


# Shorter answers fit into one packet as they are.
_LEAST_COMPRESSED = 1_000
_LEVEL = 6
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# As they are sent, where a response has none of its own.
_SECURITY = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Envelope:
    """Middleware around everything; an error that nobody expected ends here.

    Args:
        app: Application that answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
        logged: dict[str, Any] = {"status": 500, "bytes": 0}
        scope.setdefault("state", {})["logged"] = logged
        started = False

        async def send_wrapped(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                logged["status"] = message["status"]
                own = [(b"x-request-id", request_id.encode()), *_SECURITY]
                given = {name for name, _ in message["headers"]}
                added = [pair for pair in own if pair[0] not in given]
                message["headers"] = [*message["headers"], *added]
            else:
                logged["bytes"] += len(message.get("body", b""))
            await send(message)

        begin = time.perf_counter()
        try:
            await self._app(scope, receive, send_wrapped)
        except Exception:
            log(logging.ERROR, "failed", error=True, request_id=request_id)
            if not started:
                problem = Problem(500, "Something failed here; it was logged.")
                await problem_response(problem)(scope, receive, send_wrapped)
        finally:
            seconds = time.perf_counter() - begin
            route = logged.pop("route", "other")
            counter, timer = request_metrics(route, logged["status"])
            counter.inc()
            timer.observe(seconds)
            log(
                logging.INFO,
                "request",
                request_id=request_id,
                method=scope["method"],
                route=route,
                milliseconds=round(1000 * seconds, 1),
                **logged,
            )


def problem_response(problem: Problem) -> Response:
    """Return the answer for a problem."""
    return Response(
        encoded(problem.document), problem.status, problem.headers, media_type=PROBLEM_TYPE
    )


@dataclass(frozen=True)
class Body:
    """What is sent, as it is and compressed.

    Attributes:
        content: As it is.
        zipped: Compressed by gzip; None where that saves little.
        tag: Its entity tag, without quotes.
        next: The next page, relative to the address of this one; None without one.
    """

    content: bytes
    zipped: bytes | None
    tag: str
    next: str | None = None

    @classmethod
    def of(cls, content: bytes, following: str | None = None) -> "Body":
        """Return a body that is compressed once for all who ask for it."""
        is_large = len(content) >= _LEAST_COMPRESSED
        # The time is left out, so that every worker sends the same.
        zipped = gzip.compress(content, _LEVEL, mtime=0) if is_large else None
        return cls(content, zipped, hashlib.sha256(content).hexdigest()[:32], following)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.content) + len(self.zipped or b"")

    def response(
        self, request: Request, media_type: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Return the answer, compressed for whoever takes that."""
        headers = dict(headers or {})
        if self.zipped is not None:
            headers["Vary"] = "Accept-Encoding"
        accepted = ",".join(request.headers.getlist("accept-encoding"))
        if self.zipped is None or not _takes_gzip(accepted):
            return Response(self.content, headers=headers, media_type=media_type)
        headers["Content-Encoding"] = "gzip"
        return Response(self.zipped, headers=headers, media_type=media_type)


@lru_cache(maxsize=100)
def _takes_gzip(accepted: str) -> bool:
    """Check whether an `Accept-Encoding` header takes gzip."""
    qualities = {}
    for part in accepted.split(","):
        name, _, quality = part.partition(";")
        qualities[name.strip().lower()] = quality.replace(" ", "").lower()
    quality = qualities.get("gzip", qualities.get("*", "q=0"))
    return not re.fullmatch(r"q=0(\.0*)?", quality)


def conditional(
    request: Request, body: Body, media_type: str, caching: str, headers: Mapping[str, str]
) -> Response:
    """Return an answer, or 304 when the caller has it already."""
    # It is that of the content, however it is encoded, and so a weak one.
    tag = f'W/"{body.tag}"'
    headers = {**headers, "ETag": tag, "Cache-Control": caching}
    if body.next is not None:
        headers["Link"] = f'<{body.next}>; rel="next"'
    known = request.headers.get("if-none-match", "")
    tags = {part.strip().removeprefix("W/") for part in known.split(",")}
    if f'"{body.tag}"' in tags or known.strip() == "*":
        return Response(status_code=304, headers=headers)
    return body.response(request, media_type, headers)
