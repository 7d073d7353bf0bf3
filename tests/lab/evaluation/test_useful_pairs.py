"""The order in which pairs are offered to a person."""

from itertools import combinations

import pytest

from es_simhash.lab.evaluation.useful_pairs import OfferedPair, PairedDocument, most_useful
from es_simhash.relation.relation import Kind


def pair(one: str, other: str, score: float, kind: Kind | None = None) -> OfferedPair:
    kind = kind or ("version" if score >= 0.6 else "shares_passages")
    return OfferedPair(PairedDocument(one), PairedDocument(other), kind, score)


def strangers(*scores: float) -> list[OfferedPair]:
    """Pairs of documents that are in no other pair."""
    return [pair(f"a{n}", f"b{n}", score) for n, score in enumerate(scores)]


def scores(pairs: list[OfferedPair], *, seed: int = 1, per_family: int = 10) -> list[float]:
    return [each.score for each in most_useful(pairs, seed=seed, per_family=per_family)]


def test_unsure_pairs_come_nearest_to_the_cut_first_between_sure_ones() -> None:
    pairs = strangers(0.1, 0.5, 0.95, 0.7, 0.62, 0.59, 0.79, 0.41)
    assert scores(pairs) == [0.62, 0.95, 0.59, 0.1, 0.7, 0.5, 0.79, 0.41]


def test_a_group_that_is_empty_gives_its_turn_to_the_others() -> None:
    assert scores(strangers(0.62, 0.61, 0.2)) == [0.61, 0.2, 0.62]
    assert scores([]) == []


def test_the_order_depends_on_the_seed_and_not_on_the_order_of_the_pairs() -> None:
    pairs = strangers(*[0.85 + n / 200 for n in range(20)])
    assert scores(pairs) == scores(pairs[::-1])
    assert scores(pairs) != scores(pairs, seed=2)
    assert sorted(scores(pairs, seed=2)) == sorted(scores(pairs))
    # Without some of them the others keep their order.
    kept = [each.score for each in pairs[::2]]
    assert scores(pairs[::2]) == [score for score in scores(pairs) if score in kept]


def test_equal_texts_are_the_last_of_the_sure_versions() -> None:
    equal = [pair(f"c{n}", f"d{n}", 1.0, "exact") for n in range(4)]
    assert scores([*equal, *strangers(0.9, 0.81)])[2:] == [1.0] * 4


@pytest.mark.parametrize("per_family", [1, 3])
def test_a_large_family_does_not_drown_the_others(per_family: int) -> None:
    members = [f"m{n}" for n in range(20)]
    large = [pair(*both, 0.9) for both in combinations(members, 2)]
    near = [pair("x", member, 0.5) for member in members]
    found = most_useful([*large, *near, *strangers(0.99)], seed=1, per_family=per_family)
    assert sum(each.score == 0.9 for each in found) == per_family
    assert sum(each.score == 0.5 for each in found) == per_family
    assert sum(each.score == 0.99 for each in found) == 1


def test_a_chain_of_versions_is_one_family() -> None:
    chain = [pair(f"m{n}", f"m{n + 1}", 0.7) for n in range(9)]
    assert len(most_useful(chain, seed=1, per_family=2)) == 2
    # Text that is in both connects no families.
    parts = [pair("m0", f"p{n}", 0.9, "contains") for n in range(3)]
    assert len(most_useful([*parts, pair("p1", "p2", 0.7)], seed=1, per_family=2)) == 3
