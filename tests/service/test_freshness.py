"""Kept answers are checked together, each by a search that began after it was asked for."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.service.freshness import FreshnessChecks, StatesRequest
from es_simhash.service.operations import States
from es_simhash.service.responses import Problem

OLD = {("index", "a"): (1, 1), ("index", "b"): (2, 1)}
NEW = {**OLD, ("index", "b"): (3, 1)}


class Engine:
    """Says the states of documents, once it may."""

    def __init__(self, states: States) -> None:
        self.states = states
        self.asked: list[list[set[str]]] = []
        self.gate = threading.Event()
        self.gate.set()

    def read(self, requests: Sequence[StatesRequest]) -> list[dict[Any, Any]]:
        self.asked.append([set(ids) for ids, _ in requests])
        now = dict(self.states)
        self.gate.wait(30)
        return [{key: now[key] for key in now if key[1] in ids} for ids, _ in requests]


def test_all_who_ask_meanwhile_share_a_search() -> None:
    engine = Engine(OLD)

    async def ask() -> list[bool]:
        checks = FreshnessChecks(engine.read, 60)
        engine.gate.clear()
        first = asyncio.ensure_future(checks.holds({("index", "a"): (1, 1)}, ()))
        while not engine.asked:
            await asyncio.sleep(0.001)
        # It changed after the first search began: the second one must say so.
        engine.states = NEW
        more = [asyncio.ensure_future(checks.holds(OLD, ())) for _ in range(50)]
        others = asyncio.ensure_future(checks.holds(NEW, ({"term": {"tenant": "a"}},)))
        await asyncio.sleep(0)
        engine.gate.set()
        answers = [await first, *(await asyncio.gather(*more)), await others]
        checks.close()
        return answers

    assert asyncio.run(ask()) == [True] + [False] * 50 + [True]
    assert engine.asked == [[{"a"}], [{"a", "b"}, {"a", "b"}]]


def test_what_went_away_or_came_to_another_index_is_a_change() -> None:
    async def ask(states: States) -> bool:
        checks = FreshnessChecks(Engine(states).read, 60)
        holds = await checks.holds(OLD, ())
        checks.close()
        return holds

    assert asyncio.run(ask(OLD))
    assert not asyncio.run(ask({("index", "a"): (1, 1)}))
    assert not asyncio.run(ask({**OLD, ("other", "a"): (9, 1)}))


def test_an_engine_that_is_away_is_said_to_all() -> None:
    def read(requests: Sequence[StatesRequest]) -> list[States]:
        raise ClusterError("away")

    async def ask() -> list[Any]:
        checks = FreshnessChecks(read, 60)
        asked = [checks.holds(OLD, ()) for _ in range(3)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        checks.close()
        return answers

    assert [type(each) for each in asyncio.run(ask())] == [ClusterError] * 3


@pytest.mark.parametrize("documents", [1, 3_000])
def test_many_documents_are_checked_in_several_searches(documents: int) -> None:
    states = {("index", str(number)): (number, 1) for number in range(documents)}
    engine = Engine(states)

    async def ask() -> list[bool]:
        checks = FreshnessChecks(engine.read, 60)
        answers = await asyncio.gather(*(checks.holds(states, ()) for _ in range(3)))
        checks.close()
        return answers

    assert asyncio.run(ask()) == [True] * 3
    assert len(engine.asked) == (1 if documents == 1 else 3)


def test_while_checks_wait_too_long_new_ones_are_refused_at_once() -> None:
    engine = Engine(OLD)

    async def ask() -> None:
        checks = FreshnessChecks(engine.read, 0.05)
        engine.gate.clear()
        first = asyncio.ensure_future(checks.holds(OLD, ()))
        while not engine.asked:
            await asyncio.sleep(0.001)
        second = asyncio.ensure_future(checks.holds(OLD, ()))
        await asyncio.sleep(0.1)
        with pytest.raises(Problem, match="Too many requests wait"):
            await checks.holds(OLD, ())
        engine.gate.set()
        assert await first
        assert await second
        checks.close()

    asyncio.run(ask())
