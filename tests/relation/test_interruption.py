"""A comparison that nobody waits for ends before it is done."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import changes, compare
from es_simhash.relation import interruption
from es_simhash.relation.interruption import Interrupted, interruptible, require_wanted
from tests.support.made_up_texts import make_prose

A = " ".join(make_prose(1, 40))
B = " ".join([*make_prose(2, 20), *make_prose(1, 40)[20:]])


@pytest.mark.parametrize("work", [compare, changes])
def test_what_is_unwanted_is_not_compared(work: Callable[..., Any]) -> None:
    unwanted = threading.Event()
    with interruptible(unwanted):
        wanted = work(A, B)
    assert wanted == work(A, B)
    unwanted.set()
    with interruptible(unwanted), pytest.raises(Interrupted):
        work(A, B)
    # Outside of the block nothing is ended.
    assert work(A, B) == wanted


@pytest.mark.parametrize("work", [compare, changes])
def test_long_work_looks_often(work: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    unwanted = threading.Event()

    class Counting:
        def get(self) -> threading.Event:
            nonlocal looks
            looks += 1
            if looks == 3:
                unwanted.set()
            return unwanted

    monkeypatch.setattr(interruption, "_unwanted", Counting())
    with pytest.raises(Interrupted):
        work(A, B)
    assert looks == 3


def test_another_thread_is_not_ended() -> None:
    unwanted = threading.Event()
    unwanted.set()
    found: list[bool] = []

    def other() -> None:
        require_wanted()
        found.append(True)

    with interruptible(unwanted):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found == [True]
