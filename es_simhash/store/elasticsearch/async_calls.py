"""Calls sent by a client that does not wait; what lies between them is computed in threads."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.store.elasticsearch.answer_shapes import readable, require_readable
from es_simhash.store.elasticsearch.calls import Call, Calls
from es_simhash.store.elasticsearch.client import AsyncElasticsearch
from es_simhash.store.elasticsearch.errors import translated_errors
from es_simhash.store.elasticsearch.operations import operation
from es_simhash.store.elasticsearch.requests import headers_of, require_sendable
from es_simhash.store.opensearch.transport import speaking

Result = TypeVar("Result")

# Questions that are under way for each core. More would not be answered sooner, and what they all
# hold in memory is searched by the garbage collector, which stops the event loop meanwhile.
_PER_CORE = 4


@dataclass(frozen=True)
class _End(Generic[Result]):
    """The result of calls that have ended: a `StopIteration` cannot leave a thread."""

    result: Result


class AsyncCalls:
    """Drives calls without blocking the event loop.

    Responses are read, and the next call is made, in threads of an executor: aligning two long
    texts takes a second.

    Args:
        client: Sends the calls, and retries them as it is configured.
        executor: Its threads compute; None for those of the event loop.
    """

    def __init__(self, client: AsyncElasticsearch, executor: Executor | None = None) -> None:
        self._client = speaking(client)
        self._executor = executor
        self._turns: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    async def run(self, calls: Calls[Result]) -> Result:
        """Return the result of calls.

        Raises:
            EsSimhashError: One of them is rejected, or what it returns cannot be used.
        """
        try:
            async with self._turn():
                start = partial(calls.send, None)
                step: Callable[[], Call | _End[Result]] = partial(_advanced, start)
                while isinstance(outcome := await self._computed(calls, step), Call):
                    step = await self._sent(calls, outcome)
        except BaseException:
            with suppress(ValueError):  # It is running in a thread that nobody waits for any more.
                calls.close()
            raise
        result: Result = outcome.result
        return result

    def _turn(self) -> asyncio.Semaphore:
        """Return what questions wait for until it is their turn; each event loop has its own."""
        loop = asyncio.get_running_loop()
        if self._turns is None or self._turns[0] is not loop:
            self._turns = loop, asyncio.Semaphore(_PER_CORE * (os.cpu_count() or 1))
        return self._turns[1]

    async def _sent(self, calls: Calls[Result], call: Call) -> Callable[[], Call | _End[Result]]:
        """Send a call, and return what goes on with its response, or with what interrupts it."""
        try:
            response = await self._send(call)
        except (EsSimhashError, asyncio.CancelledError) as error:
            return partial(_advanced, partial(calls.throw, error))
        return partial(_read, calls, call, response)

    async def _computed(
        self, calls: Calls[Result], step: Callable[[], Call | _End[Result]]
    ) -> Call | _End[Result]:
        """Return the next call, or the result, which a thread computes.

        A thread cannot be stopped: where it is given up, its end is waited for, so that what the
        calls have opened can be closed.
        """
        work = asyncio.get_running_loop().run_in_executor(self._executor, step)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError as error:
            with suppress(Exception):
                if isinstance(await work, Call):
                    give_up = partial(_advanced, partial(calls.throw, error))
                    return await self._computed(calls, give_up)
            raise

    async def _send(self, call: Call) -> Any:
        require_sendable(call.body)
        if call.delay:
            await asyncio.sleep(call.delay)
        with translated_errors(self._client), readable(call.path):
            response = await self._client.perform_request(
                call.method,
                call.path,
                params=call.params,
                headers=headers_of(call.body),
                body=call.body,
                **operation(call.method, call.path),
            )
        require_readable(call.method, call.path, call.body, response.body)
        return response.body


def _read(calls: Calls[Result], call: Call, response: Any) -> Call | _End[Result]:
    try:
        with readable(call.path):
            answer = call.read(response, False)
    except EsSimhashError as error:
        failure = error
        return _advanced(lambda: calls.throw(failure))
    with readable(call.path):
        return _advanced(lambda: calls.send(answer))


def _advanced(step: Callable[[], Call]) -> Call | _End[Any]:
    """Return the next call, or the result where there is none."""
    try:
        return step()
    except StopIteration as stop:
        return _End(stop.value)
