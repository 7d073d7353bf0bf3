"""The application: addresses, middleware and answers to what fails, as a server runs them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from es_simhash.service.cache import AnswerCache
from es_simhash.service.configuration import ServiceConfig
from es_simhash.service.dispatcher import Dispatcher
from es_simhash.service.endpoints import Endpoints
from es_simhash.service.envelope import Envelope, problem_response
from es_simhash.service.explorer.model import ExplorerReader
from es_simhash.service.explorer.pages import Explorer, is_explorer_page
from es_simhash.service.problems import Problem
from es_simhash.service.questions import Answering

_DETAILS = {404: "There is nothing at this address.", 405: "This address takes no such method."}
_SENT = ("Authorization", "Content-Type", "If-None-Match", "X-Api-Key", "X-Request-Id")
_READ = ("ETag", "Retry-After", "X-Request-Id")


def application(
    answers: Answering, config: ServiceConfig, reader: ExplorerReader | None = None
) -> Starlette:
    """Return the service as an ASGI application.

    Args:
        answers: Answers from the index.
        config: Of the service.
        reader: Reads the index for the explorer; None for no explorer.
    """
    cache = AnswerCache(config.cache_seconds, config.cache_megabytes << 20)
    dispatcher = Dispatcher(answers, cache, config.limits)
    endpoints = Endpoints(config, dispatcher)
    explorer = None if reader is None else Explorer(endpoints, reader)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        dispatcher.close()
        if explorer is not None:
            explorer.close()

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = _DETAILS.get(error.status_code, "The request cannot be answered.")
        problem = Problem(error.status_code, detail, error.headers)
        if explorer is not None and is_explorer_page(request):
            return explorer.problem_page(request, problem)
        return problem_response(problem)

    middleware = [Middleware(Envelope)]
    if config.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=config.origins,
                allow_methods=("GET", "POST"),
                allow_headers=_SENT,
                expose_headers=_READ,
            )
        )
    app = Starlette(
        routes=[*endpoints.routes(), *([] if explorer is None else explorer.routes())],
        middleware=middleware,
        exception_handlers={Problem: _problem, HTTPException: http_error},
        lifespan=lifespan,
    )
    # An id may end with a slash.
    app.router.redirect_slashes = False
    return app


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return problem_response(error)
