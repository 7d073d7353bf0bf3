"""What a person decided about pairs of documents."""

import pytest

from es_simhash.relation.decided_pairs import ManualPairs


def test_without_decisions_nothing_is_bound() -> None:
    assert not ManualPairs().keeps_apart("a", "b")


def test_a_dismissal_binds_the_two_in_either_order_and_no_other() -> None:
    pairs = ManualPairs.of([("a", "b"), ("b", "c")])
    assert pairs.keeps_apart("a", "b")
    assert pairs.keeps_apart("b", "a")
    # That a and c are no versions nobody said.
    assert not pairs.keeps_apart("a", "c")


def test_undone_decisions_of_one_run_hold_together() -> None:
    pairs = ManualPairs.of(undone=[("r", ("b", "a")), ("r", ("c", "a")), ("r", ("y", "x"))])
    assert all(
        pairs.keeps_apart(*pair) for pair in (("a", "b"), ("c", "b"), ("b", "c"), ("x", "y"))
    )
    assert not pairs.keeps_apart("a", "x")
    assert not pairs.keeps_apart("b", "other")


@pytest.mark.parametrize("order", [1, -1])
def test_undone_decisions_are_joined_in_whatever_order_they_come(order: int) -> None:
    chain = [("r", ("b", "a")), ("r", ("d", "c")), ("r", ("c", "b"))][::order]
    assert ManualPairs.of(undone=chain).keeps_apart("a", "d")


def test_undone_decisions_of_two_runs_do_not_hold_together() -> None:
    pairs = ManualPairs.of(undone=[("r", ("b", "a")), ("s", ("b", "c"))])
    assert pairs.keeps_apart("a", "b")
    assert pairs.keeps_apart("b", "c")
    assert not pairs.keeps_apart("a", "c")


def test_which_pairs_are_joined() -> None:
    pairs = ManualPairs.of([("x", "y")], [("a", "b"), ("b", "c"), ("x", "z")], [("r", ("a", "b"))])
    assert pairs.joined_with("c") == {"a", "b"}
    assert pairs.joined_with("a") == {"c"}  # a decision about the other was undone
    assert pairs.joined_with("q") == frozenset()
    assert pairs.keeps_apart("x", "y")
    assert not pairs.keeps_apart("b", "c")
