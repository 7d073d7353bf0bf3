"""Questions answered in a bounded pool of threads, and from a cache while nothing has changed."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from es_simhash.errors import EsSimhashError, IndexMissing
from es_simhash.relation.interruption import interruptible
from es_simhash.service.admission import NOBODY, Admission
from es_simhash.service.answer_cache import AnswerCache, CachedAnswer
from es_simhash.service.answer_types import encoded
from es_simhash.service.freshness import FreshnessChecks, StatesRequest
from es_simhash.service.monitoring import CACHE, ENGINE_FAILURES, log
from es_simhash.service.operations import ApiAnswer, Operation, Question, States
from es_simhash.service.responses import UNAVAILABLE, Body, Problem, problem_of, unavailable
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.order import Sort


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

    def states(self, requests: Sequence[StatesRequest]) -> Sequence[States]:
        """Return the states of documents, with one search; any that does not match is left out."""

    def require_ready(self) -> None:
        """Check that the index can be searched.

        Raises:
            ClusterError: It cannot.
        """


class Answered(NamedTuple):
    """The body of an answer.

    Attributes:
        body: As it is sent.
        is_stale: Whether it was made before, and the engine could not be asked whether it holds.
    """

    body: Body
    is_stale: bool = False


Value = TypeVar("Value")


@dataclass
class _Shared:
    """Work in a thread.

    Attributes:
        future: Its result.
        unwanted: Ends it.
        waiting: How many wait for it.
    """

    future: "asyncio.Future[Any]"
    unwanted: threading.Event
    waiting: int = 0


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
        bounds = limits.waiting_seconds, limits.waiting
        self._light = Admission("question", limits.threads, *bounds)
        # Comparisons of long texts take seconds; they must not keep all threads from the rest.
        heavy = max(1, limits.threads // _THREADS_A_COMPARISON)
        self._heavy = Admission("comparison", heavy, *bounds)
        self._checks = FreshnessChecks(
            lambda requests: answers.states(requests), limits.waiting_seconds
        )
        self._shared: dict[str, _Shared] = {}
        # A thread of its own: where many requests wait, the index can be searched all the same.
        self._probing = ThreadPoolExecutor(1, "es-simhash-ready")
        self._readiness: asyncio.Future[None] | None = None
        self._ready_until = 0.0

    async def kept(self, operation: Operation, question: Question) -> Answered | None:
        """Return a kept answer, if there is one in which nothing has changed.

        While the engine is away, that it is no newer is said.

        Raises:
            Problem: The engine does not say whether it holds, and it may not be given unasked.
        """
        key = operation.key(question)
        cached = None if key is None else self._cache.get(key)
        if key is None or cached is None:
            return None
        try:
            holds = await self._in_time(self._checks.holds(cached.states, question.filters))
        except Problem as problem:
            return self._stale(key, problem)
        if not holds:
            self._cache.drop(key, cached)
            return None
        CACHE.labels("hit").inc()
        return Answered(cached.body)

    async def answer(
        self, operation: Operation, question: Question, caller: str = NOBODY
    ) -> Answered:
        """Return an answer that is made now; a stale one while the engine is away, if there is one.

        Args:
            operation: Operation that answers.
            question: The question.
            caller: Who asks; callers take turns.

        Raises:
            Problem: There is none.
        """
        kept = await self.kept(operation, question)
        return kept or await self.new(operation, question, caller)

    async def new(self, operation: Operation, question: Question, caller: str = NOBODY) -> Answered:
        """Return an answer as `answer` does, where none is kept.

        Raises:
            Problem: There is none.
        """
        key = operation.key(question)
        try:
            body = await self.run(
                lambda: self._answer(operation, question, key),
                key=key,
                kind=operation.path,
                caller=caller,
                is_heavy=operation.is_heavy,
            )
            return Answered(body)
        except Problem as problem:
            return self._stale(key, problem)

    def _stale(self, key: str | None, problem: Problem) -> Answered:
        """Return the last answer while the engine is away, where that is allowed.

        Raises:
            Problem: The one that was given.
        """
        cause = problem.__cause__
        is_away = problem.status == UNAVAILABLE and not isinstance(cause, IndexMissing)
        if key is not None and not is_away:
            # What has no answer any more is not shown again once the engine goes away.
            self._cache.drop(key)
        is_allowed = self._serves_stale and is_away
        kept = self._cache.get(key, stale=True) if is_allowed and key is not None else None
        if kept is None:
            raise problem
        CACHE.labels("stale").inc()
        return Answered(kept.body, is_stale=True)

    async def run(
        self,
        work: Callable[[], Value],
        *,
        key: str | None = None,
        kind: str = "page",
        caller: str = NOBODY,
        is_heavy: bool = False,
    ) -> Value:
        """Return the result of work in a thread; what nobody waits for any more is ended.

        Args:
            work: The work.
            key: Everything that its result depends on: who asks for the same meanwhile gets the
                same result; None for work that is done for each.
            kind: What it is; work of one kind is taken to cost the same.
            caller: Who asks for it; callers take turns.
            is_heavy: Whether it takes seconds, so that others must not wait behind it.

        Raises:
            Problem: It failed, took too long, or would wait for too long.
        """
        shared = self._shared.get(key) if key is not None else None
        if shared is None:
            admission = self._heavy if is_heavy else self._light
            unwanted = threading.Event()
            # What the request has set, such as the language of its reader, is so in the thread.
            act = partial(copy_context().run, _until_unwanted, unwanted, work)
            shared = _Shared(admission.submit(act, kind=kind, caller=caller), unwanted)
            if key is not None:
                self._shared[key] = shared
        shared.waiting += 1
        try:
            result: Value = await self._in_time(asyncio.shield(shared.future))
            return result
        finally:
            shared.waiting -= 1
            if not shared.waiting:
                self._end(shared, key)

    async def _in_time(self, result: Awaitable[Value]) -> Value:
        try:
            return await asyncio.wait_for(result, self._limits.seconds)
        except asyncio.TimeoutError:
            ENGINE_FAILURES.inc()
            raise unavailable("The answer took too long; try again.") from None
        except EsSimhashError as error:
            problem = problem_of(error)
            if problem.status >= 500:
                ENGINE_FAILURES.inc()
                log(logging.WARNING, "engine failed", error=True)
            raise problem from error

    def _end(self, work: "_Shared", key: str | None) -> None:
        """End work that nobody waits for: at once in the queue, else where it looks next.

        What waits for the engine ends by the client's own limit.
        """
        work.unwanted.set()
        work.future.cancel()
        if key is not None and self._shared.get(key) is work:
            del self._shared[key]

    async def require_ready(self) -> None:
        """Check that the index can be searched, however many requests wait.

        All who ask meanwhile share one search; that it can is remembered for a second.

        Raises:
            Problem: It cannot.
        """
        if time.monotonic() < self._ready_until:
            return
        if self._readiness is None or self._readiness.done():
            loop = asyncio.get_running_loop()
            self._readiness = loop.run_in_executor(self._probing, self.answers.require_ready)
            # Read, or asyncio complains of an error that nobody waited for.
            self._readiness.add_done_callback(lambda done: done.cancelled() or done.exception())
        await self._in_time(asyncio.shield(self._readiness))
        self._ready_until = time.monotonic() + _READY_SECONDS

    def close(self) -> None:
        """End the threads, as soon as what they do is done."""
        for part in (self._light, self._heavy, self._checks):
            part.close()
        self._probing.shutdown(wait=False, cancel_futures=True)

    def _answer(self, operation: Operation, question: Question, key: str | None) -> Body:
        if key is None:
            return _body(operation.answer(question))
        CACHE.labels("miss").inc()
        shown = operation.answer(question)
        body = _body(shown)
        if not self._cache.keeps:
            return body
        (states,) = self.answers.states([(shown.ids, question.filters)])
        # What changed or went away meanwhile is not cached, and what was before it is not kept.
        if shown.ids == {id for _, id in states}:
            self._cache.put(key, CachedAnswer(body, states))
        else:
            self._cache.drop(key)
        return body


def _body(answer: ApiAnswer) -> Body:
    return Body.of(encoded(answer.body), answer.next)


def _until_unwanted(unwanted: threading.Event, work: Callable[[], Value]) -> Value:
    with interruptible(unwanted):
        return work()
