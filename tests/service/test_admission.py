"""What would wait too long is refused at once, and callers take turns."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from es_simhash.service.admission import Admission
from es_simhash.service.responses import Problem
from tests.support.service import Serve


def run(steps: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(steps())  # type: ignore[arg-type]


def admission(threads: int = 1, seconds: float = 0.5, most: int = 100) -> Admission:
    return Admission("test", threads, seconds, most)


async def learned(made: Admission, seconds: float, kind: str = "k") -> None:
    """Let it see what work of a kind costs."""
    for _ in range(3):
        await made.submit(lambda: time.sleep(seconds), kind=kind)


@pytest.mark.long
def test_what_would_wait_too_long_is_refused_at_once_and_says_when_to_come_again() -> None:
    async def steps() -> tuple[int, list[float], str]:
        made = admission()
        await learned(made, 0.2)
        taken, refused, retry = [], [], ""
        for _ in range(20):
            began = time.perf_counter()
            try:
                taken.append(made.submit(lambda: time.sleep(0.2), kind="k"))
            except Problem as problem:
                refused.append(time.perf_counter() - began)
                retry = problem.headers["Retry-After"]
        await asyncio.gather(*taken)
        made.close()
        return len(taken), refused, retry

    count, refused, retry = run(steps)
    # One runs, and half a second has room for two or three more.
    assert 2 <= count <= 5
    assert len(refused) == 20 - count
    assert max(refused) < 0.05
    assert int(retry) >= 1


@pytest.mark.long
def test_work_that_takes_long_itself_may_wait_as_long() -> None:
    async def steps() -> None:
        made = admission(seconds=0.001)
        await learned(made, 0.2)
        first, second = (made.submit(lambda: time.sleep(0.2), kind="k") for _ in range(2))
        with pytest.raises(Problem, match="Too many requests wait"):
            made.submit(lambda: None, kind="k")
        await asyncio.gather(first, second)
        # With nothing before it, anything is taken.
        await made.submit(lambda: None, kind="k")
        made.close()

    run(steps)


def test_who_asks_for_much_does_not_keep_others_from_their_turn() -> None:
    async def steps() -> list[str]:
        made, done, gate = admission(seconds=60), [], threading.Event()
        blocked = made.submit(gate.wait, kind="k")
        mine = [made.submit(lambda: done.append("much"), kind="k", caller="a") for _ in range(50)]
        assert made.expected_seconds("a") > 10 * made.expected_seconds("b")
        other = made.submit(lambda: done.append("little"), kind="k", caller="b")
        gate.set()
        await asyncio.gather(blocked, other, *mine)
        made.close()
        return done

    assert "little" in run(steps)[:2]


def test_a_caller_alone_may_use_all() -> None:
    async def steps() -> None:
        made = admission(threads=4, seconds=60)
        await learned(made, 0.01)
        taken = [made.submit(lambda: time.sleep(0.01), kind="k", caller="a") for _ in range(40)]
        await asyncio.gather(*taken)
        made.close()

    run(steps)


def test_no_more_wait_than_may() -> None:
    async def steps() -> None:
        made, gate = admission(seconds=60, most=2), threading.Event()
        taken = [made.submit(gate.wait, kind="k") for _ in range(3)]
        with pytest.raises(Problem):
            made.submit(gate.wait, kind="k")
        # Whoever goes away makes room.
        taken.pop().cancel()
        await asyncio.sleep(0)
        taken.append(made.submit(gate.wait, kind="k"))
        gate.set()
        await asyncio.gather(*taken)
        made.close()

    run(steps)


def test_errors_reach_whoever_waits() -> None:
    async def steps() -> None:
        made = admission()
        with pytest.raises(ZeroDivisionError):
            await made.submit(lambda: 1 / 0, kind="k")
        made.close()

    run(steps)


@pytest.mark.cluster
def test_what_waits_and_what_was_refused_is_counted(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    assert http.get("/v1/related/a1").status_code == 200
    metrics = http.get("/metrics").text
    for name in ("waiting", "in_flight"):
        assert f'es_simhash_{name}{{part="question"}} ' in metrics
    assert 'es_simhash_waiting_seconds_count{part="question"}' in metrics
