"""Whether kept answers still show documents as they are: one search for all who ask meanwhile."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from es_simhash.service.monitoring import REFUSALS
from es_simhash.service.operations import Filters, States
from es_simhash.service.responses import unavailable

# Ids of documents, and the filters that they must match.
StatesRequest = tuple[Collection[str], Filters]
ReadStates = Callable[[Sequence[StatesRequest]], Sequence[States]]
# Documents of one search; more wait for the next.
_MOST = 2_000
# Seconds from one search to the next: what comes meanwhile is asked together.
_PAUSE = 0.004


@dataclass(eq=False)
class _Check:
    """An answer that is checked.

    Attributes:
        states: States of its documents when it was made.
        filters: Filters of the caller.
        future: Whether they are still the same.
        since: When it was asked for.
    """

    states: States
    filters: Filters
    future: "asyncio.Future[bool]"
    since: float


class FreshnessChecks:
    """Checks kept answers, each by a search that begins after it was asked for.

    Args:
        read: Reads the states of documents; those that do not match filters are left out.
        seconds: How long a check may wait for its search; while one waits longer, new ones are
            refused.
    """

    def __init__(self, read: ReadStates, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        # A thread of its own: what is kept is answered while all others are busy.
        self._pool = ThreadPoolExecutor(1, "es-simhash-check")
        self._waiting: list[_Check] = []
        self._round: asyncio.Task[None] | None = None

    def holds(self, states: States, filters: Filters) -> "asyncio.Future[bool]":
        """Return whether all documents are as they were, and match the filters.

        Where the engine does not say, the result is an `EsSimhashError`.

        Raises:
            Problem: Too many wait.
        """
        loop = asyncio.get_running_loop()
        now = time.monotonic()
        if self._waiting and now - self._waiting[0].since > self._seconds:
            REFUSALS.labels("check").inc()
            raise unavailable("Too many requests wait; try again.")
        check = _Check(states, filters, loop.create_future(), now)
        self._waiting.append(check)
        if self._round is None:
            self._round = loop.create_task(self._rounds())
        return check.future

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _rounds(self) -> None:
        loop = asyncio.get_running_loop()
        while checks := self._taken():
            groups = _grouped(checks)
            requests = [(ids, group[0].filters) for ids, group in groups]
            try:
                states = await loop.run_in_executor(self._pool, self._read, requests)
            except Exception as error:
                # Whoever waits is told; nothing here knows what it means.
                for check in checks:
                    _settle(check.future, error)
            else:
                for (_, group), now in zip(groups, states, strict=True):
                    _compare(group, now)
            await asyncio.sleep(_PAUSE)
        self._round = None

    def _taken(self) -> list[_Check]:
        """Take those that wait, as many as one search may have."""
        taken: list[_Check] = []
        documents = 0
        for check in self._waiting:
            documents += len(check.states)
            if taken and documents > _MOST:
                break
            taken.append(check)
        del self._waiting[: len(taken)]
        return taken


def _grouped(checks: Sequence[_Check]) -> list[tuple[set[str], list[_Check]]]:
    """Return the checks by their filters, with the ids of all documents of each group."""
    groups: dict[str, tuple[set[str], list[_Check]]] = {}
    for check in checks:
        ids, group = groups.setdefault(repr(check.filters), (set(), []))
        ids.update(id for _, id in check.states)
        group.append(check)
    return list(groups.values())


def _compare(checks: Sequence[_Check], now: States) -> None:
    by_id: dict[str, dict[tuple[str, str], Any]] = {}
    for (index, id), state in now.items():
        by_id.setdefault(id, {})[index, id] = state
    for check in checks:
        current: dict[tuple[str, str], Any] = {}
        for id in {id for _, id in check.states}:
            current |= by_id.get(id, {})
        _settle(check.future, current == check.states)


def _settle(future: "asyncio.Future[bool]", result: bool | Exception) -> None:
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
