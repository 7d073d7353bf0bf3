"""The application of an index: what each worker makes for itself when it starts."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from es_simhash.errors import MappingConflict
from es_simhash.ingestion.deduplication.draft_check import DraftCheck
from es_simhash.maintenance.reports.index_report import IndexReport, ReportOptions
from es_simhash.maintenance.reports.read import read_report
from es_simhash.questions.filtered_documents import FilteredDocuments
from es_simhash.questions.index import Index
from es_simhash.service.allowed_parts import AllowedParts
from es_simhash.service.answer_cache import AnswerCache
from es_simhash.service.dispatcher import AnswerSource, Dispatcher
from es_simhash.service.endpoints import Endpoints
from es_simhash.service.explorer.explorer_pages import Explorer, is_explorer_page
from es_simhash.service.explorer.explorer_reader import ExplorerReader
from es_simhash.service.explorer.page_contents import UsefulPairs
from es_simhash.service.family_names import FamilyNames
from es_simhash.service.monitoring import start_logging, stop_logging
from es_simhash.service.operations import Filters
from es_simhash.service.requested_hosts import RequestedHost
from es_simhash.service.responses import Envelope, Problem, problem_response
from es_simhash.service.separate_process import SeparateProcess
from es_simhash.service.served_answers import Answers
from es_simhash.service.service_config import ANY_HOST, ServiceConfig
from es_simhash.service.startup_checks import allowed_fields, require_labels
from es_simhash.store.config import IndexConfig
from es_simhash.store.connection import Connection
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.intents import FindDateField

_DETAILS = {404: "There is nothing at this address.", 405: "This address takes no such method."}
# How long a thread computes before another one has its turn.
_SWITCH_SECONDS = 0.001
_SENT = ("Authorization", "Content-Type", "If-None-Match", "X-Api-Key", "X-Request-Id")
_READ = ("ETag", "Link", "Retry-After", "X-Request-Id")


def application(
    answers: AnswerSource, config: ServiceConfig, reader: ExplorerReader | None = None
) -> Starlette:
    """Return the service as an ASGI application.

    Args:
        answers: Answers from the index.
        config: Configuration of the service.
        reader: Reads the index for the explorer; None for no explorer.
    """
    cache = AnswerCache(config.cache_seconds, config.cache_megabytes << 20)
    dispatcher = Dispatcher(answers, cache, config.limits, serves_stale=config.is_open)
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

    allowed = (ANY_HOST,) if config.allowed_hosts is None else config.allowed_hosts
    middleware = [Middleware(Envelope), Middleware(RequestedHost, allowed=allowed)]
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


@dataclass(frozen=True)
class Service:
    """The service as each worker runs it; it is sent to worker processes.

    Attributes:
        index: Index, alias or data stream.
        connection: How the cluster is reached.
        config: Configuration of the service.
        logs: Whether requests are written to standard error.
    """

    index: str
    connection: Connection
    config: ServiceConfig = field(default_factory=ServiceConfig)
    logs: bool = True

    def __call__(self) -> Starlette:
        """Return the application of one worker."""
        start_logging() if self.logs else stop_logging()
        # Threads that compute leave the event loop its turn; a hundred times fewer would make a
        # refusal wait for tens of milliseconds.
        sys.setswitchinterval(_SWITCH_SECONDS)
        apart = SeparateProcess(self.answers)
        return application_of(self._client(), self.index, self.config, apart)

    def answers(self) -> Answers:
        """Return the answers alone, in a process that makes one of them.

        All was checked at the start, and who asks for one chooses the fields that leave.
        """
        start_logging() if self.logs else stop_logging()
        return _answers(Index(self._client(), self.index), self.config, ())

    def check(self) -> None:
        """Check that the service can start.

        Raises:
            EsSimhashError: It cannot; the message says why.
        """
        with self._client() as gateway:
            answers_of(gateway, self.index, self.config).require_ready()

    def _client(self) -> Gateway:
        return Gateway(connect(self.connection.within(self.config.limits.seconds)))


def application_of(
    gateway: Gateway,
    name: str,
    config: ServiceConfig,
    apart: SeparateProcess[Answers] | None = None,
) -> Starlette:
    """Return the application of an index; see `answers_of`.

    Args:
        gateway: Of the engine.
        name: Index, alias or data stream.
        config: Configuration of the service.
        apart: Makes the same answers in processes of their own; None for all in threads.
    """
    answers = replace(answers_of(gateway, name, config), apart=apart)
    if not config.has_explorer:
        return application(answers, config)
    read = partial(_report, gateway, name, answers.config)
    pairs = partial(_useful_pairs, Index(gateway, name))
    return application(answers, config, ExplorerReader(answers, read, pairs))


def _report(
    gateway: Gateway, name: str, config: IndexConfig, options: ReportOptions
) -> IndexReport:
    return read_report(Index(gateway, name, config), options=options)


def _useful_pairs(index: Index, seed: int, filters: Filters) -> UsefulPairs:
    from es_simhash.lab.evaluation.sampled_pairs import SAMPLE, related_pairs
    from es_simhash.lab.evaluation.useful_pairs import PER_FAMILY, most_useful

    sampled = related_pairs(index, sample=SAMPLE, seed=seed, filters=filters)
    useful = most_useful(sampled.pairs, seed=seed, per_family=PER_FAMILY)
    return UsefulPairs(useful, len(sampled.unreadable))


def answers_of(gateway: Gateway, name: str, config: ServiceConfig) -> Answers:
    """Return the answers of an index that has everything the configuration names.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or is a sidecar.
        InputError: A field is not there, the engine rejects a filter, or the label file cannot be
            written.
    """
    require_labels(config)
    if source := sidecar_source(gateway, name, IndexConfig().simhash_field):
        raise MappingConflict(
            f"Index {name!r} is the sidecar of {source!r}, and the service needs fingerprints "
            f"in the documents themselves. Run `es-simhash backfill {source}`."
        )
    index = Index(gateway, name)
    return _answers(index, config, allowed_fields(index.store, index.gateway, config))


def _answers(index: Index, config: ServiceConfig, fields: tuple[str, ...]) -> Answers:
    settings = index.config
    date = settings.documents.date
    date_field = None
    if date is not None:
        (date_field,) = index.store.ask([FindDateField(date, "date")])
    documents = FilteredDocuments(index.store, settings, date_field)
    limits = config.limits
    return Answers(
        index,
        documents,
        AllowedParts(settings, fields, config.evidence, FamilyNames(config)),
        DraftCheck(index.store, settings),
        limits.offset,
        limits.compared_bytes,
    )
