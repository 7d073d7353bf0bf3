"""What the explorer needs of the HTTP API: who asks, and answers to questions."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from es_simhash.service.configuration import ServiceConfig
from es_simhash.service.credentials import Caller
from es_simhash.service.parameters import RelatedQuery
from es_simhash.service.questions import Answering, Question

Value = TypeVar("Value")
Endpoint = Callable[[Request], Awaitable[Response]]


class Questions(Protocol):
    """Answers questions in threads."""

    @property
    def answers(self) -> Answering:
        """What answers."""

    async def answer(self, question: Question) -> bytes:
        """Return the body of an answer."""

    async def run(self, work: Callable[[], Value]) -> Value:
        """Return what work in a thread returns."""


class Api(Protocol):
    """The API: who asks, and questions about documents."""

    @property
    def config(self) -> ServiceConfig:
        """Of the service."""

    @property
    def dispatcher(self) -> Questions:
        """What answers."""

    def named(self, path: str, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint whose requests are logged and counted under a route."""

    def caller(
        self, request: Request, identify: Callable[[Mapping[str, str], ServiceConfig], Caller]
    ) -> Caller:
        """Return who asks, counted."""

    async def related_for(self, request: Request, caller: Caller, prefix: str) -> Response:
        """Answer a caller what is related to a document."""

    def related_question(self, id: str, query: RelatedQuery, caller: Caller) -> Question:
        """Return the question what is related to a document."""

    async def body(self, request: Request) -> bytes:
        """Return the body of a request."""
