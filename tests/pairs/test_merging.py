"""Families merged from the closest, of any scores."""

import random
from itertools import combinations

import pytest

from es_simhash.pairs.merging import Comparison, families_of
from es_simhash.relation.thresholds import LEAST_KEPT


def members(families: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(family) for family in families}


def test_left_out_texts_make_families_of_their_own() -> None:
    neighbours = {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}
    order = "abcd"
    found = families_of(
        order,
        neighbours,
        Comparison(
            score=lambda one, other: 0.7 * (abs(order.index(one) - order.index(other)) == 1),
            kept=lambda one, other: 1.0,
            rank=lambda node: -order.index(node),
        ),
    )
    assert members(list(found)) == {frozenset("ab"), frozenset("cd")}


@pytest.mark.parametrize(("kept", "expected"), [(0.3, {"abcd"}), (0.05, {"ab", "cd"})])
def test_small_steps_lead_to_members_that_keep_something(kept: float, expected: set[str]) -> None:
    neighbours = {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}
    order = "abcd"
    found = families_of(
        order,
        neighbours,
        Comparison(
            score=lambda one, other: 0.97 * (abs(order.index(one) - order.index(other)) == 1),
            kept=lambda one, other: kept,
            rank=lambda node: -order.index(node),
        ),
    )
    assert members(list(found)) == {frozenset(each) for each in expected}


def test_no_text_leaves_its_closest_version_for_a_longer_text() -> None:
    scores = {("long", "first"): 0.7, ("first", "second"): 0.95}
    neighbours = {"long": ["first"], "first": ["long", "second"], "second": ["first"]}
    found = families_of(
        neighbours,
        neighbours,
        Comparison(
            score=lambda one, other: scores.get((one, other), scores.get((other, one), 0.0)),
            kept=lambda one, other: 0.0,
            rank=len,
        ),
    )
    assert members(list(found)) == {frozenset({"long"}), frozenset({"first", "second"})}


def test_dismissed_texts_keep_their_families_apart() -> None:
    scores = {"ab": 0.95, "cd": 0.9, "ac": 0.8, "bc": 0.8, "ad": 0.8, "bd": 0.7}
    neighbours = {node: [other for other in "abcd" if other != node] for node in "abcd"}
    comparison = Comparison(
        score=lambda one, other: scores["".join(sorted((one, other)))],
        kept=lambda one, other: 1.0,
        rank="dcba".index,
    )
    assert members(list(families_of("abcd", neighbours, comparison))) == {frozenset("abcd")}
    apart = families_of("abcd", neighbours, comparison, {"b": {"d"}, "d": {"b"}})
    assert members(list(apart)) == {frozenset("ab"), frozenset("cd")}


@pytest.mark.parametrize("seed", range(30))
def test_families_of_any_scores(seed: int) -> None:
    chosen = random.Random(seed)
    nodes = [f"{number:02}" for number in range(24)]
    drawn = {each: chosen.choice([0, 0, 0.6 + 0.4 * chosen.random()]) for each in pairs_of(nodes)}
    kept = {each: chosen.random() * 0.3 for each in drawn}

    def score(one: str, other: str) -> float:
        return drawn[min(one, other), max(one, other)]

    neighbours = {
        node: [other for other in nodes if other != node and score(node, other)] for node in nodes
    }
    comparison = Comparison(score, lambda one, other: kept[min(one, other), max(one, other)], int)
    families = list(families_of(nodes, neighbours, comparison))
    assert sorted(node for family in families for node in family) == nodes
    chosen.shuffle(nodes)
    shuffled = {node: chosen.sample(neighbours[node], len(neighbours[node])) for node in nodes}
    assert members(list(families_of(nodes, shuffled, comparison))) == members(families)
    family_of = {node: family for family in families for node in family}
    for family in families:
        assert family[0] == max(family)
        for node in family[1:]:
            assert score(family[0], node) or kept[node, family[0]] >= LEAST_KEPT
    closest = {
        node: max(others, key=lambda other: score(node, other))
        for node, others in neighbours.items()
        if others
    }
    for node, other in closest.items():
        if closest[other] == node:
            assert family_of[node] is family_of[other]


def pairs_of(nodes: list[str]) -> list[tuple[str, str]]:
    return list(combinations(nodes, 2))
