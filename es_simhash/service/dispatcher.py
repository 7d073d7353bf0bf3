"""Where requests wait for Elasticsearch: a bounded pool of threads, and the cache before it."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.service.cache import AnswerCache, CachedAnswer
from es_simhash.service.configuration import ServiceLimits
from es_simhash.service.logs import log
from es_simhash.service.metrics import CACHE, ENGINE_FAILURES
from es_simhash.service.problems import problem_of, unavailable
from es_simhash.service.questions import Answering, Question

Value = TypeVar("Value")
# So long many probes ask Elasticsearch once.
_READY_SECONDS = 1.0


class Dispatcher:
    """Answers questions in threads, from the cache where nothing has changed.

    Args:
        answers: What answers.
        cache: Of answers.
        limits: Of time and of threads.
    """

    def __init__(self, answers: Answering, cache: AnswerCache, limits: ServiceLimits) -> None:
        self.answers = answers
        self._cache = cache
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, "es-simhash")
        self._pending = 0
        self._ready_until = 0.0

    async def answer(self, question: Question) -> bytes:
        """Return the body of an answer.

        Raises:
            Problem: There is none.
        """
        return await self.run(lambda: self._answer(question))

    async def run(self, work: Callable[[], Value]) -> Value:
        """Return what work in a thread returns.

        Raises:
            Problem: It failed, took too long, or too many requests wait.
        """
        if self._pending >= self._limits.threads + self._limits.waiting:
            raise unavailable("Too many requests wait; try again.")
        self._pending += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        # What was given up still has its thread, until the client's own limit ends it.
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._limits.seconds)
        except asyncio.TimeoutError:
            # One that still waits for a thread is not sent any more.
            future.cancel()
            ENGINE_FAILURES.inc()
            raise unavailable("The answer took too long; try again.") from None
        except EsSimhashError as error:
            problem = problem_of(error)
            if problem.status >= 500:
                ENGINE_FAILURES.inc()
                log(logging.WARNING, "engine failed", error=True)
            raise problem from error

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

    def _done(self, future: "asyncio.Future[Any]") -> None:
        self._pending -= 1
        if not future.cancelled():
            future.exception()  # Read, or asyncio complains of one that nobody waited for.

    def _answer(self, question: Question) -> bytes:
        key = question.key
        if key is None:
            return _json(question.make().body)
        kept = self._cache.get(key)
        if kept is not None:
            ids = {id for _, id in kept.states}
            if self.answers.states(ids, question.filters) == kept.states:
                CACHE.labels("hit").inc()
                return kept.body
            self._cache.drop(key)
        CACHE.labels("miss").inc()
        shown = question.make()
        body = _json(shown.body)
        states = self.answers.states(shown.ids, question.filters)
        # What changed or went away meanwhile is not kept.
        if shown.ids == {id for _, id in states}:
            self._cache.put(key, CachedAnswer(body, states))
        return body


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
