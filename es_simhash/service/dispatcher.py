"""Questions answered in a bounded pool of threads, and from a cache while nothing has changed."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from es_simhash.errors import EsSimhashError, IndexMissing
from es_simhash.relation.interruption import interruptible
from es_simhash.service.answer_types import encoded
from es_simhash.service.monitoring import CACHE, ENGINE_FAILURES, log
from es_simhash.service.operations import ApiAnswer, Filters, Operation, Question
from es_simhash.service.responses import UNAVAILABLE, Body, Problem, problem_of, unavailable
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.order import Sort

# Sequence number and primary term of documents, by index and id.
States = Mapping[tuple[str, str], tuple[int, int]]


class AnswerSource(Protocol):
    """Answers from an index, of documents that match filters, with allowed fields alone."""

    @property
    def operations(self) -> Sequence[Operation]:
        """Operations that it answers."""

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """Orders that are possible."""

    @property
    def date(self) -> str | None:
        """The date field that may be told of; None without one."""

    def states(self, ids: Collection[str], filters: Filters) -> States:
        """Return the states of documents; any that does not match is left out."""

    def require_ready(self) -> None:
        """Check that the index can be searched.

        Raises:
            ClusterError: It cannot.
        """


# What an entry takes besides its body, at least; each document that it shows adds some.
_OVERHEAD, _OVERHEAD_OF_DOCUMENT = 1_000, 300
# How long after its time an answer still serves while the engine is away.
STALE_SECONDS = 3_600


@dataclass(frozen=True)
class CachedAnswer:
    """An answer.

    Attributes:
        body: As it is sent.
        states: States of all documents in it, by index and id.
    """

    body: Body
    states: States

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return _OVERHEAD + self.body.size + _OVERHEAD_OF_DOCUMENT * len(self.states)


class Answered(NamedTuple):
    """The body of an answer.

    Attributes:
        body: As it is sent.
        is_stale: Whether it was made before, and the engine could not be asked whether it holds.
    """

    body: Body
    is_stale: bool = False


class AnswerCache:
    """A cache of answers by everything they depend on; safe to use from several threads.

    Args:
        seconds: How long an answer is kept; 0 for none.
        max_bytes: How much is kept; the answer that was used longest ago goes first.
        clock: Seconds.
    """

    def __init__(
        self, seconds: float, max_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._clock = clock
        self._entries: OrderedDict[str, tuple[float, CachedAnswer]] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0

    def get(self, key: str, *, stale: bool = False) -> CachedAnswer | None:
        """Return an answer; None where there is none that is young enough.

        Args:
            key: What the answer depends on.
            stale: Whether one of the last hour will do.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            until, answer = entry
            now = self._clock()
            if now >= until + STALE_SECONDS:
                self._remove(key)
                return None
            if now >= until and not stale:
                return None
            self._entries.move_to_end(key)
            return answer

    def put(self, key: str, answer: CachedAnswer) -> None:
        """Keep an answer, in place of one that was kept before."""
        if not self._seconds:
            return
        with self._lock:
            self._remove(key)
            self._entries[key] = (self._clock() + self._seconds, answer)
            self.size += answer.size
            while self.size > self._max_bytes:
                self._remove(next(iter(self._entries)))

    def drop(self, key: str) -> None:
        """Forget an answer, if it is cached."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry[1].size


@dataclass
class _Work:
    """Work in a thread.

    Attributes:
        future: Its result.
        unwanted: Ends it.
        waiting: How many wait for it.
    """

    future: "asyncio.Future[Any]"
    unwanted: threading.Event
    waiting: int = 0


Value = TypeVar("Value")
# Of so many threads one compares texts.
_THREADS_A_COMPARISON = 4
# So long many probes ask Elasticsearch once.
_READY_SECONDS = 1.0


class Dispatcher:
    """Answers questions in threads, from the cache where nothing has changed.

    Args:
        answers: Answers of the index.
        cache: Cache of answers.
        limits: Limits of time and of threads.
        serves_stale: Whether an answer of the last hour is given while the engine is away. Not
            where callers see different documents: what one may see may have changed since.
    """

    def __init__(
        self,
        answers: AnswerSource,
        cache: AnswerCache,
        limits: ServiceLimits,
        *,
        serves_stale: bool = False,
    ) -> None:
        self.answers = answers
        self._serves_stale = serves_stale
        self._cache = cache
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, "es-simhash")
        # Comparisons of long texts take seconds; they must not keep all threads from the rest.
        heavy = max(1, limits.threads // _THREADS_A_COMPARISON)
        self._heavy_pool = ThreadPoolExecutor(heavy, "es-simhash-compare")
        self._shared: dict[str, _Work] = {}
        self._pending = 0
        self._ready_until = 0.0

    async def answer(self, operation: Operation, question: Question) -> Answered:
        """Return an answer; a stale one while the engine is away, if there is one.

        Raises:
            Problem: There is none.
        """
        key = operation.key(question)
        try:
            body = await self.run(
                lambda: self._answer(operation, question), key=key, is_heavy=operation.is_heavy
            )
            return Answered(body)
        except Problem as problem:
            is_away = problem.status == UNAVAILABLE and not isinstance(
                problem.__cause__, IndexMissing
            )
            is_allowed = self._serves_stale and is_away
            kept = self._cache.get(key, stale=True) if is_allowed and key is not None else None
            if kept is None:
                raise
            CACHE.labels("stale").inc()
            return Answered(kept.body, is_stale=True)

    async def run(
        self, work: Callable[[], Value], *, key: str | None = None, is_heavy: bool = False
    ) -> Value:
        """Return the result of work in a thread; what nobody waits for any more is ended.

        Args:
            work: The work.
            key: Everything that its result depends on: who asks for the same meanwhile gets the
                same result; None for work that is done for each.
            is_heavy: Whether it takes seconds, so that others must not wait behind it.

        Raises:
            Problem: It failed, took too long, or too many requests wait.
        """
        shared = self._begun(work, key, is_heavy)
        shared.waiting += 1
        try:
            result: Value = await asyncio.wait_for(
                asyncio.shield(shared.future), self._limits.seconds
            )
            return result
        except asyncio.TimeoutError:
            ENGINE_FAILURES.inc()
            raise unavailable("The answer took too long; try again.") from None
        except EsSimhashError as error:
            problem = problem_of(error)
            if problem.status >= 500:
                ENGINE_FAILURES.inc()
                log(logging.WARNING, "engine failed", error=True)
            raise problem from error
        finally:
            shared.waiting -= 1
            if not shared.waiting:
                self._end(shared, key)

    def _begun(self, work: Callable[[], Any], key: str | None, is_heavy: bool) -> "_Work":
        """Return work that is under way, the same for all who ask for it meanwhile."""
        if key is not None and key in self._shared:
            return self._shared[key]
        if self._pending >= self._limits.threads + self._limits.waiting:
            raise unavailable("Too many requests wait; try again.")
        self._pending += 1
        pool = self._heavy_pool if is_heavy else self._pool
        unwanted = threading.Event()

        def until_unwanted() -> Any:
            with interruptible(unwanted):
                return work()

        future = asyncio.get_running_loop().run_in_executor(pool, until_unwanted)
        future.add_done_callback(self._done)
        begun = _Work(future, unwanted)
        if key is not None:
            self._shared[key] = begun
        return begun

    def _end(self, work: "_Work", key: str | None) -> None:
        """End work that nobody waits for: at once in the queue, else where it looks next.

        What waits for the engine ends by the client's own limit.
        """
        work.unwanted.set()
        work.future.cancel()
        if key is not None and self._shared.get(key) is work:
            del self._shared[key]

    async def require_ready(self) -> None:
        """Check that the index can be searched; that it can is remembered for a second.

        Raises:
            Problem: It cannot.
        """
        if time.monotonic() < self._ready_until:
            return
        await self.run(self.answers.require_ready)
        self._ready_until = time.monotonic() + _READY_SECONDS

    def close(self) -> None:
        """End the threads, as soon as what they do is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._heavy_pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, future: "asyncio.Future[Any]") -> None:
        self._pending -= 1
        if not future.cancelled():
            future.exception()  # Read, or asyncio complains of one that nobody waited for.

    def _answer(self, operation: Operation, question: Question) -> Body:
        key = operation.key(question)
        if key is None:
            return _body(operation.answer(question))
        cached = self._cache.get(key)
        if cached is not None:
            ids = {id for _, id in cached.states}
            if self.answers.states(ids, question.filters) == cached.states:
                CACHE.labels("hit").inc()
                return cached.body
            self._cache.drop(key)
        CACHE.labels("miss").inc()
        shown = operation.answer(question)
        body = _body(shown)
        states = self.answers.states(shown.ids, question.filters)
        # What changed or went away meanwhile is not cached.
        if shown.ids == {id for _, id in states}:
            self._cache.put(key, CachedAnswer(body, states))
        return body


def _body(answer: ApiAnswer) -> Body:
    return Body.of(encoded(answer.body), answer.next)
