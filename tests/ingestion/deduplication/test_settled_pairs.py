"""Which pairs of documents a person's decisions bind."""

import pytest

from es_simhash.ingestion.deduplication.settled_pairs import SettledPairs


def test_without_decisions_nothing_is_bound() -> None:
    assert not SettledPairs().binds("a", "b")


def test_a_dismissal_binds_the_two_in_either_order_and_no_other() -> None:
    settled = SettledPairs([("a", "b"), ("b", "c")])
    assert settled.binds("a", "b")
    assert settled.binds("b", "a")
    # That a and c are no versions nobody said.
    assert not settled.binds("a", "c")


def test_undone_decisions_of_one_run_hold_together() -> None:
    settled = SettledPairs([], [("r", ("b", "a")), ("r", ("c", "a")), ("r", ("y", "x"))])
    assert all(settled.binds(*pair) for pair in (("a", "b"), ("c", "b"), ("b", "c"), ("x", "y")))
    assert not settled.binds("a", "x")
    assert not settled.binds("b", "other")


@pytest.mark.parametrize("order", [1, -1])
def test_undone_decisions_are_joined_in_whatever_order_they_come(order: int) -> None:
    chain = [("r", ("b", "a")), ("r", ("d", "c")), ("r", ("c", "b"))][::order]
    assert SettledPairs([], chain).binds("a", "d")


def test_undone_decisions_of_two_runs_do_not_hold_together() -> None:
    settled = SettledPairs([], [("r", ("b", "a")), ("s", ("b", "c"))])
    assert settled.binds("a", "b")
    assert settled.binds("b", "c")
    assert not settled.binds("a", "c")
