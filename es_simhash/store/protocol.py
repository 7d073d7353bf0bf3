"""Stores, and steps that ask them: the same steps run on any store, waited for or not.

A step is a generator that yields requests and is sent their answers. It knows neither a client nor
whether anybody waits, as the protocol logic of h11 and the flows of httpx's authentication: who
drives it sends the requests.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import EsSimhashError
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.id_groups import id_groups
from es_simhash.store.intents import CompareShingles, Find, Parts, Request, Where
from es_simhash.store.rows import Place, Row, Rows, SharingText, SimilarTexts, WriteResult

Result = TypeVar("Result")
Answer = TypeVar("Answer")

# Yields requests that are asked together, is sent their answers in the same order.
Steps = Generator[Sequence[Request[Any]], list[Any], Result]
# Called now and then with what a long run counts, how much of it is done, and of how much; None
# where that is not known.
Progress = Callable[[str, int, int | None], None]


def no_progress(what: str, done: int, total: int | None) -> None:
    """Show no progress."""


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


class Slice(Protocol):
    """A part of the documents of a snapshot, read some at a time."""

    @property
    def ended(self) -> bool:
        """Whether all of them were read."""

    def read(self, size: int) -> list[Row]:
        """Return the next documents, so many at the most; none at the end."""


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

    def sharing(self, requests: Sequence[Find]) -> list[list[SharingText]]:
        """Return the first documents of each request with what they share, asked as one.

        Args:
            requests: Each for the texts that share shingles with one, which count the same.
        """

    def at(self, places: Collection[Place], parts: Parts) -> Iterator[tuple[Place, Row]]:
        """Yield the documents at places that `sharing` returned, in no order.

        Args:
            places: Where they are, of a few thousand at most.
            parts: What is read of each.
        """

    def family_sizes(self, where: Where) -> dict[str, int]:
        """Return the number of documents that match conditions of each of their families."""

    def prefix_counts(self, where: Where, prefixes: Sequence[str]) -> list[int]:
        """Return how many documents match whose family has a name that begins with each prefix."""

    def shingle_counts(self, where: Where, shingles: NDArray[np.uint32]) -> list[int]:
        """Return how many documents that match conditions have each shingle."""


class SlicedSnapshot(Snapshot, Protocol):
    """An index as it is at one moment, read by several threads."""

    def slices(self, where: Where, parts: Parts, count: int) -> Sequence[Slice]:
        """Return all documents that match conditions, in so many parts for as many threads."""


class WritableStore(Store, Protocol):
    """An index that is also read whole and written to."""

    def snapshot(
        self, index: str | None = None, *, shard: int | None = None, must_refresh: bool = True
    ) -> AbstractContextManager[SlicedSnapshot]:
        """Return the index as it is when a `with` statement begins.

        Args:
            index: One of the indices behind the name of the store; None for all of them.
            shard: Number of the one shard to read; None for all.
            must_refresh: Whether it is an error where the privilege is missing to make visible what
                was written so far; otherwise that is done where it is allowed.
        """

    def change(self, changes: Sequence[Change]) -> list[WriteResult]:
        """Change documents that nobody has changed since they were read.

        Raises:
            ClusterError: The request is rejected, or the cluster is busy for too long.
        """

    def write(
        self, body: bytes, ends: Sequence[int], *, index: str | None = None
    ) -> dict[int, WriteResult]:
        """Write documents by actions of the engine, and return what was not written, by number.

        Args:
            body: The actions.
            ends: Where each of them ends.
            index: Index that is written to; None for that of the store.

        Raises:
            ClusterError: The index takes no documents at all, or is busy for too long.
        """

    def refresh(self) -> None:
        """Make all that was written visible to searches."""

    def refresh_if_allowed(self, index: str) -> bool:
        """Do the same for an index; False where the privileges forbid it.

        Raises:
            ClusterError: The cluster is busy or unreachable for too long.
        """

    def wait(self, seconds: float) -> None:
        """Wait, unless `stop` was called.

        Raises:
            Stopped: It was.
        """

    def stop(self) -> None:
        """End all waiting of this store, also between attempts at a request."""


def ask(request: Request[Answer]) -> Steps[Answer]:
    """Ask one request; to be used as `answer = yield from ask(…)`."""
    (answer,) = yield (request,)
    typed: Answer = answer
    return typed


def rows_of_ids(finds: Sequence[Find]) -> Steps[list[list[Row]]]:
    """Return all documents that each request names by their ids, whatever size it has.

    Args:
        finds: The requests; their conditions have ids.
    """
    rows: list[list[Row]] = [[] for _ in finds]
    pending = [
        (number, group)
        for number, find in enumerate(finds)
        for group in id_groups(find.where.ids or ())
    ]
    while pending:
        answers: list[Rows] = yield [
            replace(find, where=replace(find.where, ids=group.ids), size=group.size)
            for find, group in ((finds[number], group) for number, group in pending)
        ]
        further = []
        for (number, group), answer in zip(pending, answers, strict=True):
            if len(answer.rows) >= group.size and group.wider:
                further += [(number, wider) for wider in group.wider]
            else:
                rows[number] += answer.rows
        pending = further
    return rows


def all_compared(requests: Sequence[CompareShingles]) -> Steps[list[list[SimilarTexts]]]:
    """Return what all documents of some ids share with texts, in however many indices they are.

    Args:
        requests: The requests.

    Returns:
        The answers to each: several where one cannot hold all documents.
    """
    compared: list[list[SimilarTexts]] = [[] for _ in requests]
    pending = list(enumerate(requests))
    while pending:
        answers: list[SimilarTexts] = yield [request for _, request in pending]
        further = []
        for (number, request), answer in zip(pending, answers, strict=True):
            middle = len(request.ids) // 2
            if answer.is_cut and middle:
                halves = request.ids[:middle], request.ids[middle:]
                further += [(number, replace(request, ids=half)) for half in halves]
            else:
                compared[number].append(answer)
        pending = further
    return compared


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
