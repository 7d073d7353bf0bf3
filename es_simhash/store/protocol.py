"""Stores, and steps that ask them: the same steps run on any store, waited for or not.

A step is a generator that yields requests and is sent their answers. It knows neither a client nor
whether anybody waits, as the protocol logic of h11 and the flows of httpx's authentication: who
drives it sends the requests.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import Find, Parts, Request, Where
from es_simhash.store.rows import Row, Rows

Result = TypeVar("Result")
Answer = TypeVar("Answer")

# Yields requests that are asked together, is sent their answers in the same order.
Steps = Generator[Sequence[Request[Any]], list[Any], Result]


class Store(Protocol):
    """An index that answers requests."""

    @property
    def name(self) -> str:
        """Name of the index, as users know it."""

    def ask(self, requests: Sequence[Request[Any]]) -> list[Any]:
        """Return the answer to each request, asked together.

        Raises:
            EsSimhashError: One of them cannot be answered.
        """


class Snapshot(Protocol):
    """An index as it is at one moment, read whole by those who process all of it."""

    @property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted."""

    def count(self, where: Where) -> int:
        """Return how many documents match conditions."""

    def rows(self, where: Where, parts: Parts, *, page: int = 5000) -> Iterator[Row]:
        """Yield all documents that match conditions, in no order.

        Args:
            where: Which documents.
            parts: What is read of each.
            page: How many are read with one request.
        """

    def find(self, requests: Sequence[Find]) -> list[Rows]:
        """Return the first documents of each request, asked as one."""

    def family_sizes(self) -> dict[str, int]:
        """Return the number of documents of each family that have fingerprints of the scheme."""


def ask(request: Request[Answer]) -> Steps[Answer]:
    """Ask one request; to be used as `answer = yield from ask(…)`."""
    (answer,) = yield (request,)
    typed: Answer = answer
    return typed


def run(steps: Steps[Result], store: Store) -> Result:
    """Return the result of steps that a store answers; errors of the store are raised in them."""
    try:
        requests = next(steps)
        while True:
            try:
                answers = store.ask(requests)
            except EsSimhashError as error:
                requests = steps.throw(error)
            else:
                requests = steps.send(answers)
    except StopIteration as stop:
        result: Result = stop.value
        return result
