"""What every answer has: a request id, security headers, a line in the log, and a count."""

import hashlib
import json
import logging
import re
import time
import uuid
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from es_simhash.service.logs import log
from es_simhash.service.metrics import REQUESTS, SECONDS
from es_simhash.service.problems import PROBLEM_TYPE, Problem

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Envelope:
    """Middleware around everything; an error that nobody expected ends here.

    Args:
        app: What answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        logged: dict[str, Any] = {"status": 500, "bytes": 0}
        scope.setdefault("state", {})["logged"] = logged
        started = False

        async def send_wrapped(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                logged["status"] = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in _SECURITY.items():
                    headers.setdefault(name, value)
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
            REQUESTS.labels(route, str(logged["status"])).inc()
            SECONDS.labels(route).observe(seconds)
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
    body = json.dumps(problem.to_dict(), ensure_ascii=False).encode()
    return Response(body, problem.status, problem.headers, media_type=PROBLEM_TYPE)


def conditional(
    request: Request, body: bytes, media_type: str, caching: str, headers: dict[str, str]
) -> Response:
    """Return an answer, or 304 when the caller has it already."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**headers, "ETag": tag, "Cache-Control": caching}
    known = request.headers.get("if-none-match", "")
    tags = {each.strip().removeprefix("W/") for each in known.split(",")}
    if tag in tags or known.strip() == "*":
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
