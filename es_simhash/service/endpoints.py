"""The addresses of the service."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from es_simhash.service.callers import Caller, RateLimit, caller_of
from es_simhash.service.dispatcher import Dispatcher, Question
from es_simhash.service.monitoring import METRICS_TYPE, exposition
from es_simhash.service.openapi import openapi
from es_simhash.service.request_parameters import (
    RelatedQuery,
    path_ids,
    related_query,
    require_no_parameters,
    text_of_body,
)
from es_simhash.service.responses import Problem, conditional
from es_simhash.service.service_config import ServiceConfig

Endpoint = Callable[[Request], Awaitable[Response]]
Identify = Callable[[Mapping[str, str], ServiceConfig], Caller]
_WIDGET = "related-documents.js"
# In the wheel, and in a checkout.
_WIDGET_FOLDERS = (
    Path(__file__).parents[1] / "widget",
    Path(__file__).parents[2] / "widget",
)


@dataclass(frozen=True)
class Endpoints:
    """Answers requests.

    Attributes:
        config: Of the service.
        dispatcher: What answers questions about documents.
    """

    config: ServiceConfig
    dispatcher: Dispatcher
    _limit: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        per_minute = self.config.limits.requests_per_minute
        object.__setattr__(self, "_limit", RateLimit(per_minute))

    def routes(self) -> list[Route]:
        """Return the addresses."""
        asked = {
            "/related/{id:path}": self.related,
            "/compare/{ids:path}": self.compare,
            "/families/{id:path}": self.family,
            "/documents/{id:path}": self.document,
        }
        free = {
            "/healthz": self.health,
            "/readyz": self.readiness,
            "/metrics": self.metrics,
            "/openapi.json": self.description,
            f"/widget/{_WIDGET}": self.widget,
        }
        return [
            Route("/related", self.named("/related", self.related_to_text), methods=["POST"]),
            *(Route(path, self.named(path, each)) for path, each in {**asked, **free}.items()),
        ]

    def named(self, path: str, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint whose requests are logged and counted under a route."""

        async def answer(request: Request) -> Response:
            request.state.logged["route"] = path.replace(":path", "")
            return await endpoint(request)

        return answer

    async def related(self, request: Request) -> Response:
        """Answer what is related to a document."""
        return await self.related_for(request, self.caller(request), "/related/")

    async def related_for(self, request: Request, caller: Caller, prefix: str) -> Response:
        """Answer a caller what is related to a document.

        Args:
            request: Whose path has the id behind a prefix.
            caller: Who asks.
            prefix: The prefix.
        """
        (id,) = path_ids(request.scope["raw_path"], prefix, 1)
        query = related_query(
            request.query_params.multi_items(), self.config.limits, self.dispatcher.answers.sorts
        )
        return await self._answer(request, self.related_question(id, query, caller))

    def related_question(self, id: str, query: RelatedQuery, caller: Caller) -> Question:
        """Return the question what is related to a document."""
        return Question(
            caller.filters,
            lambda: self.dispatcher.answers.related(id, query, caller.filters),
            parts=("related", id, astuple(query)),
        )

    async def related_to_text(self, request: Request) -> Response:
        """Answer what is related to a text."""
        caller = self.caller(request)
        query = related_query(
            request.query_params.multi_items(), self.config.limits, self.dispatcher.answers.sorts
        )
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem(415, "The body must be application/json.")
        text = text_of_body(await self.body(request))
        question = Question(
            caller.filters,
            lambda: self.dispatcher.answers.related_to_text(text, query, caller.filters),
        )
        return Response(await self.dispatcher.answer(question), media_type="application/json")

    async def compare(self, request: Request) -> Response:
        """Answer how two documents are related, and what changed."""
        caller = self.caller(request)
        a, b = path_ids(request.scope["raw_path"], "/compare/", 2)
        require_no_parameters(request.query_params.multi_items())
        return await self._answer(
            request,
            Question(
                caller.filters,
                lambda: self.dispatcher.answers.compare(a, b, caller.filters),
                parts=("compare", a, b),
            ),
        )

    async def family(self, request: Request) -> Response:
        """Answer the versions of a document."""
        caller = self.caller(request)
        (id,) = path_ids(request.scope["raw_path"], "/families/", 1)
        require_no_parameters(request.query_params.multi_items())
        return await self._answer(
            request,
            Question(
                caller.filters,
                lambda: self.dispatcher.answers.family(id, caller.filters),
                parts=("family", id),
            ),
        )

    async def document(self, request: Request) -> Response:
        """Answer the allowed fields of a document; it is read each time."""
        caller = self.caller(request)
        (id,) = path_ids(request.scope["raw_path"], "/documents/", 1)
        require_no_parameters(request.query_params.multi_items())
        return await self._answer(
            request,
            Question(
                caller.filters,
                lambda: self.dispatcher.answers.document(id, caller.filters),
            ),
        )

    async def health(self, request: Request) -> Response:
        """Say that the process is there."""
        return JSONResponse({"status": "ok"})

    async def readiness(self, request: Request) -> Response:
        """Say whether the index can be searched."""
        await self.dispatcher.require_ready()
        return JSONResponse({"status": "ready"})

    async def metrics(self, request: Request) -> Response:
        """Return the metrics."""
        return Response(exposition(), headers={"Content-Type": METRICS_TYPE})

    async def description(self, request: Request) -> Response:
        """Return the OpenAPI document."""
        return JSONResponse(self._openapi)

    async def widget(self, request: Request) -> Response:
        """Return the web component."""
        path = next(
            (each / _WIDGET for each in _WIDGET_FOLDERS if (each / _WIDGET).is_file()), None
        )
        if path is None:
            raise Problem(404, "This installation has no widget.")
        headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
        body = path.read_bytes()
        return conditional(request, body, "text/javascript", "public, no-cache", headers)

    @cached_property
    def _openapi(self) -> dict[str, Any]:
        return openapi(self.config, self.dispatcher.answers.sorts)

    def caller(self, request: Request, identify: Identify = caller_of) -> Caller:
        """Return who asks, counted.

        Args:
            request: The request.
            identify: Reads the credentials.

        Raises:
            Problem: 401 or 429.
        """
        address = "address:" + (request.client.host if request.client else "")
        try:
            caller = identify(request.headers, self.config)
        except Problem:
            # Guesses count for the address they come from.
            self._limit.take(address)
            raise
        request.state.logged["caller"] = caller.name
        self._limit.take(caller.account or address)
        return caller

    async def body(self, request: Request) -> bytes:
        """Return the body of a request.

        Raises:
            Problem: It is too large, comes too slowly, or is not complete.
        """
        limits = self.config.limits
        too_large = Problem(413, f"The body may have at most {limits.body_bytes} bytes.")
        length = request.headers.get("content-length", "")
        # So many digits are too many, and too many for `int`.
        if len(length) > 12 or (length.isdecimal() and int(length) > limits.body_bytes):
            raise too_large
        body = bytearray()

        async def read() -> None:
            async for part in request.stream():
                body.extend(part)
                if len(body) > limits.body_bytes:
                    raise too_large

        try:
            await asyncio.wait_for(read(), limits.seconds)
        except asyncio.TimeoutError:
            raise Problem(408, "The body came too slowly.", {"Connection": "close"}) from None
        except ClientDisconnect:
            raise Problem(400, "The body is not complete.") from None
        return bytes(body)

    async def _answer(self, request: Request, question: Question) -> Response:
        body = await self.dispatcher.answer(question)
        return conditional(request, body, "application/json", "private, no-cache", {})
