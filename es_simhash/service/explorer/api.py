"""What the explorer needs of the HTTP API: who asks, and answers to questions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.service.callers import Caller
from es_simhash.service.dispatcher import Answering, Filters, Question, Shown
from es_simhash.service.request_parameters import RelatedQuery
from es_simhash.service.service_config import ServiceConfig
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import Query

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


class ServedDocuments(Protocol):
    """Where the documents are."""

    @property
    def gateway(self) -> Gateway:
        """To the cluster."""

    @property
    def index(self) -> str:
        """Name of the index."""

    @property
    def date_field(self) -> DateField | None:
        """The date field; None without one."""


class ServedIndex(RelatedIndex, Protocol):
    """Finds related documents, compares them and knows their families."""

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one document to another."""

    def timeline(self, id_a: str, id_b: str, *, filters: Sequence[Query] = ()) -> Timeline | None:
        """Return the family of two documents in order of the dates."""

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Query] = (),
    ) -> FamilyHistory:
        """Return the family of a document, or that of a name."""


class ServedAnswers(Protocol):
    """Answers from an index, of documents that match filters, with allowed fields alone."""

    @property
    def index(self) -> ServedIndex:
        """The index."""

    @property
    def documents(self) -> ServedDocuments:
        """Its documents."""

    @property
    def config(self) -> IndexConfig:
        """Its configuration."""

    @property
    def evidence(self) -> bool:
        """Whether passages, and what texts have in common, may leave."""

    def allows(self, field: str) -> bool:
        """Check whether a field may leave."""

    def document(self, id: str, filters: Filters) -> Shown:
        """Return the allowed fields of a document."""

    def contexts(self, ids: Sequence[str], filters: Filters) -> dict[str, dict[str, Any]]:
        """Return what may be known of documents; any that does not match is left out."""
