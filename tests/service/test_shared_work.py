"""Work is done once for all who ask for it, ends when nobody does, and does not starve the rest."""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from es_simhash.relation.interruption import Interrupted, require_wanted
from es_simhash.service.answer_cache import AnswerCache
from es_simhash.service.dispatcher import Dispatcher
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.made_up_texts import make_prose
from tests.support.service import Serve
from tests.support.shelf import Shelf
from tests.support.waiting import until

LIMITS = ServiceLimits(threads=4, seconds=30, waiting_seconds=30)


def dispatcher(limits: ServiceLimits = LIMITS) -> Dispatcher:
    source: Any = None
    return Dispatcher(source, AnswerCache(0, 1), limits)


def run(steps: Callable[[Dispatcher], Any], limits: ServiceLimits = LIMITS) -> Any:
    async def all_steps() -> Any:
        made = dispatcher(limits)
        try:
            return await steps(made)
        finally:
            made.close()

    return asyncio.run(all_steps())


def test_the_same_is_done_once_for_all_who_ask_meanwhile() -> None:
    calls, may_end = [], threading.Event()

    def work() -> int:
        calls.append(None)
        may_end.wait(30)
        return len(calls)

    async def ask(made: Dispatcher) -> list[int]:
        asked = [asyncio.ensure_future(made.run(work, key="k")) for _ in range(20)]
        await asyncio.sleep(0)
        may_end.set()
        first = await asyncio.gather(*asked)
        return [*first, await made.run(work, key="k")]

    assert run(ask) == [1] * 20 + [2]


def test_what_has_no_key_is_done_for_each() -> None:
    calls: list[None] = []

    async def ask(made: Dispatcher) -> None:
        await asyncio.gather(*(made.run(lambda: calls.append(None)) for _ in range(5)))

    run(ask)
    assert len(calls) == 5


def test_work_ends_with_the_last_who_waits_for_it() -> None:
    ended, looked = threading.Event(), threading.Event()

    def work() -> None:
        try:
            while True:
                require_wanted()
                looked.set()
                time.sleep(0.001)
        except Interrupted:
            ended.set()
            raise

    async def leave(made: Dispatcher) -> None:
        first, second = (asyncio.ensure_future(made.run(work, key="k")) for _ in range(2))
        await asyncio.to_thread(looked.wait, 30)
        first.cancel()
        # Once the first has left, it looks twice more, and goes on.
        for _ in range(2):
            looked.clear()
            assert await asyncio.to_thread(looked.wait, 30)
        assert not ended.is_set()
        second.cancel()
        assert await asyncio.to_thread(ended.wait, 30)

    run(leave)


def test_what_takes_too_long_ends_as_well() -> None:
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                require_wanted()
                time.sleep(0.001)
        except Interrupted:
            ended.set()
            raise

    async def wait(made: Dispatcher) -> None:
        with pytest.raises(Problem, match="took too long"):
            await made.run(work)
        assert await asyncio.to_thread(ended.wait, 30)

    run(wait, ServiceLimits(threads=4, seconds=0.1))


def test_probes_share_one_search_and_wait_for_it_no_longer_than_any_request() -> None:
    calls, may_end = [], threading.Event()

    def search() -> None:
        calls.append(None)
        may_end.wait(30)

    async def probe(made: Dispatcher) -> None:
        made.answers = source
        for _ in range(2):
            probes = (made.require_ready() for _ in range(3))
            failed = await asyncio.gather(*probes, return_exceptions=True)
            assert [str(each) for each in failed] == ["The answer took too long; try again."] * 3
        assert len(calls) == 1
        may_end.set()
        await made.require_ready()

    source: Any = SimpleNamespace(require_ready=search)
    run(probe, ServiceLimits(threads=4, seconds=0.1))


def test_comparisons_leave_threads_for_the_rest() -> None:
    may_end = threading.Event()

    async def ask(made: Dispatcher) -> str:
        heavy = [
            asyncio.ensure_future(made.run(lambda: may_end.wait(30), is_heavy=True))
            for _ in range(20)
        ]
        await asyncio.sleep(0)
        light = await made.run(lambda: "light")
        assert not any(each.done() for each in heavy)
        may_end.set()
        await asyncio.gather(*heavy)
        return light

    assert run(ask) == "light"


@pytest.fixture
def long_texts(shelf: Shelf) -> str:
    """Two long texts, one with sentences of its own, and a short one."""
    sentences = make_prose(1, 6_000)
    shelf.write(
        [
            {"id": "a", "text": " ".join(sentences)},
            {"id": "b", "text": " ".join([*make_prose(2, 3_000), *sentences[3_000:]])},
            {"id": "short", "text": "The lift stays closed until the inspector has seen it."},
        ]
    )
    return shelf.name


def _give_up(http: httpx.Client, path: str) -> None:
    """Ask for a page and go before it comes; ask again where others are still in the way."""

    def was_given_up() -> bool:
        try:
            answer = http.get(path, timeout=0.05)
        except httpx.ReadTimeout:
            return True
        assert answer.status_code == 503
        return False

    until(was_given_up, 60)


@pytest.mark.long
@pytest.mark.cluster
def test_a_comparison_ends_when_its_reader_has_gone(serve: Serve, long_texts: str) -> None:
    # On a busy machine one may be done before it is seen that its reader has gone: none is kept.
    limits = ServiceLimits(threads=4, seconds=60)
    http = serve(long_texts, ServiceConfig(cache_seconds=0, limits=limits))
    for path in ("/v1/compare/a/b", "/explorer/compare/a/b"):
        for _ in range(3):
            _give_up(http, path)
    # All of it takes the same one thread, so that what was given up is out of the way by then.
    assert http.get("/v1/compare/a/short").status_code == 200
    counted = re.findall(
        r'requests_total\{route="[^"]*compare[^"]*",status="499"\} (\S+)', http.get("/metrics").text
    )
    assert sum(map(float, counted)) >= 1


@pytest.mark.cluster
def test_texts_that_are_too_large_are_not_compared(serve: Serve, long_texts: str) -> None:
    http = serve(long_texts, ServiceConfig(limits=ServiceLimits(compared_bytes=10_000)))
    for path in ("/v1/compare/a/b", "/v1/compare/a/short"):
        answer = http.get(path)
        assert answer.status_code == 413
        assert answer.json()["detail"] == (
            "Two texts may have at most 10000 bytes together to be compared here."
        )
    assert http.get("/explorer/compare/a/b").status_code == 413
    assert http.get("/v1/compare/short/short").status_code == 200
    assert http.get("/v1/compare/a/missing").status_code == 404
