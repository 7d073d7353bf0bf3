"""Endpoints of the API: from a request to its response."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from es_simhash.described import Parameter
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.service.admission import NOBODY
from es_simhash.service.answer_types import Status, encoded
from es_simhash.service.callers import Caller, RateLimit, caller_of, network_of
from es_simhash.service.dispatcher import Dispatcher
from es_simhash.service.monitoring import METRICS_TYPE, exposition
from es_simhash.service.openapi import openapi
from es_simhash.service.operations import FamilyPage, MemberPage, Operation, Question
from es_simhash.service.request_bodies import body_of
from es_simhash.service.request_parameters import (
    options_of,
    path_ids,
    query_parameters,
    require_no_parameters,
)
from es_simhash.service.responses import Problem, conditional
from es_simhash.service.service_config import ServiceConfig
from es_simhash.service.widget_script import NAME as WIDGET
from es_simhash.service.widget_script import widget_script
from es_simhash.store.options import SearchOptions

Endpoint = Callable[[Request], Awaitable[Response]]
Identify = Callable[[Mapping[str, str], ServiceConfig], Caller]
# How an answer is marked that may not hold any more (RFC 9211), and not kept by others.
_STALE = {"Cache-Status": "es-simhash; hit; fwd=stale; detail=engine-away"}
_NOT_KEPT = "no-store"
# The encoding of a body that has none.
_AS_IT_IS = "identity"
# As nginx logs it; nobody gets it.
_CLIENT_GONE = 499
Value = TypeVar("Value")
_EARLIER = re.compile(r"related-documents-[0-9a-f]{12}\.js")
_FOR_EVER = "public, max-age=31536000, immutable"
# Where a question has the options that its query chooses.
_OPTIONS: Mapping[type, str] = {
    SearchOptions: "search",
    MemberPage: "members",
    FamilyPage: "families",
    OnVersion: "rules",
}


class _Ids(Convertor[str]):
    """The end of a path, with line feeds as well, which `path` of Starlette does not match."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """Return the ids as they are; `path_ids` reads them from the path as it was sent."""
        return value

    def to_string(self, value: str) -> str:
        """Return the ids as they are."""
        return value


register_url_convertor("ids", _Ids())


async def while_connected(request: Request, answer: Coroutine[Any, Any, Value]) -> Value:
    """Return an answer, unless whoever asked goes away: then it is cancelled.

    Raises:
        Problem: The connection was closed.
    """
    asked = asyncio.ensure_future(answer)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({asked, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise Problem(_CLIENT_GONE, "The connection was closed.")
        return asked.result()
    finally:
        asked.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True)
class Endpoints:
    """Answers requests.

    Attributes:
        config: Configuration of the service.
        dispatcher: Answers questions about documents.
    """

    config: ServiceConfig
    dispatcher: Dispatcher
    _limit: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        per_minute = self.config.limits.requests_per_minute
        object.__setattr__(self, "_limit", RateLimit(per_minute))

    @cached_property
    def operations(self) -> Mapping[str, Operation]:
        """Operations by their addresses."""
        return {operation.path: operation for operation in self.dispatcher.answers.operations}

    def routes(self) -> list[Route]:
        """Return the addresses."""
        free = {
            "/healthz": self.health,
            "/readyz": self.readiness,
            "/metrics": self.metrics,
            "/v1/openapi.json": self.description,
            "/widget/{name}": self.widget,
        }
        return [
            *map(self._route, self.operations.values()),
            *(Route(path, self.named(path, endpoint)) for path, endpoint in free.items()),
        ]

    def _route(self, operation: Operation) -> Route:
        async def endpoint(request: Request) -> Response:
            return await self.answer(operation, request, self.caller(request), operation.prefix)

        path = operation.route.replace("}", ":ids}")
        return Route(path, self.named(operation.route, endpoint), methods=[operation.method])

    def named(self, route: str, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint whose requests are logged and counted under a route."""

        async def answer(request: Request) -> Response:
            request.state.logged["route"] = route
            return await endpoint(request)

        return answer

    async def answer(
        self, operation: Operation, request: Request, caller: Caller, prefix: str
    ) -> Response:
        """Answer a request about documents.

        Args:
            operation: Operation that answers it.
            request: The request.
            caller: Caller of the request.
            prefix: Part of its path before the ids.

        Raises:
            Problem: The request is invalid, or cannot be answered.
        """
        ids: Sequence[str] = ()
        if operation.ids:
            ids = path_ids(request.scope["raw_path"], prefix, len(operation.ids))
        given = request.query_params.multi_items()
        read: dict[str, Any] = {}
        if operation.options is None:
            require_no_parameters(given)
        else:
            read[_OPTIONS[operation.options]] = self._chosen(operation, tuple(given))
        if operation.body is not None:
            read |= vars(body_of(await self._json(request), operation.body))
            ids = read.pop("ids", ids)
            if len(ids) > self.config.limits.ids:
                raise Problem(400, f'"ids" may have at most {self.config.limits.ids} ids.')
        question = Question(caller.filters, tuple(ids), **read)
        answered = await self.dispatcher.kept(operation, question)
        if answered is None:
            self.charge(caller, operation.cost(question) - 1)
            answer = self.dispatcher.new(operation, question, caller.account or NOBODY)
            answered = await while_connected(request, answer)
        body, is_stale = answered
        if operation.method == "POST":
            return body.response(request, "application/json")
        caching = _NOT_KEPT if is_stale else self._caching
        headers = _STALE if is_stale else {}
        return conditional(request, body, "application/json", caching, headers)

    @cached_property
    def _chosen(self) -> Callable[[Operation, tuple[tuple[str, str], ...]], Any]:
        """What a query chooses; most requests have the same few."""

        @lru_cache(maxsize=1_000)
        def chosen(operation: Operation, given: tuple[tuple[str, str], ...]) -> Any:
            assert operation.options is not None
            return options_of(operation.options, given, self._parameters[operation.path])

        return chosen

    @cached_property
    def _caching(self) -> str:
        """How long browsers and proxies may use an answer; what a key shows is for its caller."""
        seconds = int(self.config.cache_seconds)
        if not self.config.is_open or not seconds:
            return "private, no-cache"
        return f"public, max-age={seconds}, stale-while-revalidate={seconds}, stale-if-error=3600"

    async def _json(self, request: Request) -> bytes:
        """Return a body that says that it is JSON, not compressed.

        Raises:
            Problem: It does not, or see `body`.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Problem(415, "The body must be application/json.")
        encoding = request.headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", _AS_IT_IS):
            # Small ones could become large ones here.
            raise Problem(415, "The body must not be compressed.", {"Accept-Encoding": _AS_IT_IS})
        return await self.body(request)

    async def health(self, request: Request) -> Response:
        """Say that the process is there."""
        return Response(encoded(Status("ok")), media_type="application/json")

    async def readiness(self, request: Request) -> Response:
        """Say whether the index can be searched."""
        await self.dispatcher.require_ready()
        return Response(encoded(Status("ready")), media_type="application/json")

    async def metrics(self, request: Request) -> Response:
        """Return the metrics."""
        return Response(exposition(), headers={"Content-Type": METRICS_TYPE})

    async def description(self, request: Request) -> Response:
        """Return the OpenAPI document."""
        return JSONResponse(self._openapi)

    async def widget(self, request: Request) -> Response:
        """Return the web component; at the address of its content it may be kept for ever."""
        script, name = widget_script(), request.path_params["name"]
        if script is None:
            raise Problem(404, "This installation has no widget.")
        # Pages may name the script of an earlier version; they get this one, and ask again.
        if name not in (WIDGET, script.versioned) and not _EARLIER.fullmatch(name):
            raise HTTPException(404)
        caching = _FOR_EVER if name == script.versioned else "public, no-cache"
        headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
        return conditional(request, script.body, "text/javascript", caching, headers)

    @cached_property
    def _parameters(self) -> Mapping[str, Mapping[str, Parameter]]:
        """The parameters of each operation, by its address."""
        answers, limits = self.dispatcher.answers, self.config.limits
        return {
            path: query_parameters(operation, limits, answers.sorts, answers.date)
            for path, operation in self.operations.items()
        }

    @cached_property
    def _openapi(self) -> dict[str, Any]:
        return openapi(self.config, list(self.operations.values()), self._parameters)

    def caller(self, request: Request, identify: Identify = caller_of) -> Caller:
        """Authenticate the caller and apply the rate limit.

        Args:
            request: The request.
            identify: Reads the credentials.

        Raises:
            Problem: 401 or 429.
        """
        address = "address:" + (network_of(request.client.host) if request.client else "")
        try:
            caller = identify(request.headers, self.config)
        except Problem:
            # Guesses count for the address they come from.
            self._limit.take(address)
            raise
        request.state.logged["caller"] = caller.name
        caller = replace(caller, account=caller.account or address)
        self._limit.take(caller.account or NOBODY)
        return caller

    def charge(self, caller: Caller, cost: int) -> None:
        """Count work for a caller, besides the request."""
        self._limit.charge(caller.account or NOBODY, cost)

    async def body(self, request: Request) -> bytes:
        """Return the body of a request.

        Raises:
            Problem: It is too large, comes too slowly, or is not complete.
        """
        limits = self.config.limits
        # What is left of a body is not read, so that nothing can follow it.
        closing = {"Connection": "close"}
        too_large = Problem(413, f"The body may have at most {limits.body_bytes} bytes.", closing)
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
            raise Problem(408, "The body came too slowly.", closing) from None
        except ClientDisconnect:
            raise Problem(400, "The body is not complete.") from None
        return bytes(body)
