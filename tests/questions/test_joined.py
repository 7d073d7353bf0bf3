"""Documents that a person joined are versions in what `related` returns."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from es_simhash import Index, SearchOptions, SidecarIndex
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.families.dismissals_and_joins import join
from es_simhash.relation.decided_pairs import JoinedGroups
from es_simhash.relation.relation import Coverage, Relation, as_joined
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch import index_state_search
from tests.support.desk import Desk

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def shelf_of(desk: Desk, make_text: Make, revise: Make) -> Desk:
    """A text, a version of it, and two others that share nothing with it."""
    text = make_text(1)
    texts = {"a": text, "v1": revise(text, 1, 0.02), "far": make_text(2), "farther": make_text(3)}
    desk.put([{"_id": id, "text": each, "kind": id[0]} for id, each in texts.items()])
    return desk


def related(desk: Desk, id: str = "a", **options: Any) -> dict[str, Relation]:
    answer = Index(desk.client, desk.name).related(id=id, options=SearchOptions(**options))
    return {str(relation.id): relation for relation in answer}


def test_a_joined_document_is_a_version_from_both_sides(shelf_of: Desk) -> None:
    before = related(shelf_of)
    assert before.keys() == {"v1"}
    join(shelf_of.client, shelf_of.name, ["a", "far"])
    after = related(shelf_of)
    assert after["v1"] == before["v1"]
    far = after["far"]
    assert (far.kind, far.score, far.joined, far.evidence) == ("version", 0.6, True, ())
    assert related(shelf_of, "far")["a"].joined
    assert "far" not in related(shelf_of, "v1")
    join(shelf_of.client, shelf_of.name, ["a", "far"], undo=True)
    assert related(shelf_of) == before


def test_a_version_that_is_joined_keeps_its_kind_and_score(shelf_of: Desk) -> None:
    before = related(shelf_of)["v1"]
    join(shelf_of.client, shelf_of.name, ["v1", "a"])
    assert related(shelf_of)["v1"] == replace(before, joined=True)


def test_joins_reach_over_others(shelf_of: Desk) -> None:
    join(shelf_of.client, shelf_of.name, ["a", "far"])
    join(shelf_of.client, shelf_of.name, ["far", "farther"])
    assert related(shelf_of)["farther"].joined
    shelf_of.client.delete(index=shelf_of.name, id="far", refresh=True)
    assert related(shelf_of).keys() == {"v1", "farther"}


def test_filters_kinds_and_scores_narrow_what_is_joined_too(shelf_of: Desk) -> None:
    join(shelf_of.client, shelf_of.name, ["a", "far", "farther"])
    only = ({"ids": {"values": ["farther", "v1"]}},)
    assert related(shelf_of, filters=only).keys() == {"farther", "v1"}
    assert related(shelf_of, kinds=("exact",)).keys() == set()
    assert related(shelf_of, min_score=0.61).keys() == {"v1"}
    without_texts = related(shelf_of, passages=False, evidence=False, fields=("kind",))
    assert without_texts["far"].joined
    assert without_texts["far"].source == {"kind": "f"}


def test_answers_to_many_and_to_a_text_agree(shelf_of: Desk) -> None:
    join(shelf_of.client, shelf_of.name, ["a", "far"])
    index = Index(shelf_of.client, shelf_of.name)
    answers = index.related_to_each(["a", "far", "v1"])
    assert {id for id, found in answers.items() if any(each.joined for each in found)} == {
        "a", "far",
    }  # fmt: skip
    text = shelf_of.client.get(index=shelf_of.name, id="a")["_source"]["text"]
    assert not any(relation.joined for relation in index.related(text=text))


def test_explain_says_that_they_are_joined(shelf_of: Desk) -> None:
    index = Index(shelf_of.client, shelf_of.name)
    before = index.explain("a", "far")
    assert (before.kind in ("none", "semantic"), before.joined) == (True, False)
    join(shelf_of.client, shelf_of.name, ["a", "far"])
    after = index.explain("a", "far")
    assert (after.kind, after.score, after.joined) == ("version", 0.6, True)
    assert index.explain("far", "a").joined
    assert not index.explain("a", "v1").joined


@pytest.mark.parametrize("other", ["far", "shares"])
def test_explain_and_related_say_the_same_of_what_is_joined(
    shelf_of: Desk, make_text: Make, other: str
) -> None:
    passage = " ".join(make_text(1).split()[:40])
    shelf_of.put([{"_id": "shares", "text": f"{passage} {make_text(4, 300)}"}])
    index = Index(shelf_of.client, shelf_of.name)
    assert index.explain("a", "shares").kind == "shares_passages"
    join(shelf_of.client, shelf_of.name, ["a", other])
    for query, hit in (("a", other), (other, "a")):
        explained, found = index.explain(query, hit), related(shelf_of, query)[hit]
        assert explained.joined
        assert (explained.kind, explained.score) == (found.kind, found.score)
        assert (explained.coverage, explained.reuse) == (found.coverage, found.reuse)
        assert explained.evidence == found.evidence


def test_a_joined_neighbour_is_explained_as_related_has_it(client: Any, library: str) -> None:
    index = Index(client, library, IndexConfig())
    assert index.explain("bank", "bank-outlook").evidence[0].kind == "nearest"
    try:
        join(client, library, ["bank", "bank-outlook"])
        (found,) = (each for each in index.related(id="bank") if each.id == "bank-outlook")
        explained = index.explain("bank", "bank-outlook")
        assert (explained.kind, explained.coverage) == ("version", found.coverage)
        assert explained.evidence == found.evidence
    finally:
        client.indices.delete(index=f"{library}-simhash", ignore_unavailable=True)


def test_without_joins_it_costs_no_request(shelf_of: Desk, requests_of: list[str]) -> None:
    Index(shelf_of.client, shelf_of.name).related(id="a")
    before = list(requests_of)
    join(shelf_of.client, shelf_of.name, ["far", "farther"])
    requests_of.clear()
    Index(shelf_of.client, shelf_of.name).related(id="a")
    assert requests_of == before


def test_more_joins_than_one_search_returns_are_all_known(
    shelf_of: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    join(shelf_of.client, shelf_of.name, ["a", "far", "farther"])
    monkeypatch.setattr(index_state_search, "MAX_HITS", 1)
    assert related(shelf_of).keys() == {"v1", "far", "farther"}


@pytest.fixture
def sidecar(shelf_of: Desk) -> Iterator[str]:
    """A sidecar of the index."""
    name = f"{shelf_of.name}-beside"
    assert all(outcome.ok for outcome in backfill(shelf_of.client, shelf_of.name, sidecar=name))
    shelf_of.client.indices.refresh(index=name)
    yield name
    shelf_of.client.indices.delete(index=name, ignore_unavailable=True)


def test_a_sidecar_knows_the_joins_of_the_first_index(shelf_of: Desk, sidecar: str) -> None:
    join(shelf_of.client, shelf_of.name, ["a", "far", "farther"])
    index = SidecarIndex(shelf_of.client, sidecar)
    assert {relation.id for relation in index.related(id="a")} == {"v1", "far", "farther"}
    only = SearchOptions(filters=({"match": {"text": "far"}}, {"ids": {"values": ["far"]}}))
    assert list(index.related(id="a", options=only)) == []


def test_a_neighbour_that_is_joined_is_a_version(client: Any, library: str) -> None:
    index = Index(client, library, IndexConfig())
    before = {relation.id: relation for relation in index.related(id="bank")}
    assert before["bank-outlook"].kind == "semantic"
    try:
        join(client, library, ["bank", "bank-outlook", "bees"])
        after = {relation.id: relation for relation in index.related(id="bank")}
        assert {after[id].kind for id in ("bank-outlook", "bees")} == {"version"}
        assert after["bank-outlook"].semantics is not None
        assert after["bank-outlook"].score == 0.6
        for id in ("bank-outlook", "bees"):
            explained = index.explain("bank", id)
            assert (explained.kind, explained.score) == (after[id].kind, after[id].score)
    finally:
        client.indices.delete(index=f"{library}-simhash", ignore_unavailable=True)


def test_a_family_says_who_was_joined(shelf_of: Desk) -> None:
    from es_simhash.maintenance.families.find_families import find_families

    join(shelf_of.client, shelf_of.name, ["a", "far"])
    find_families(shelf_of.client, shelf_of.name)
    members = Index(shelf_of.client, shelf_of.name).family("far").members
    assert {member.id: member.joined for member in members} == {
        "a": True, "far": True, "v1": False,
    }  # fmt: skip


def test_groups_and_ways() -> None:
    groups = JoinedGroups([("a", "b"), ("b", "c"), ("x", "y")])
    assert groups.group("a") == {"a", "b", "c"}
    assert groups.others("x") == {"y"}
    assert groups.others("q") == frozenset()
    assert groups.path("a", "c") == ["a", "b", "c"]
    assert groups.path("a", "x") == []
    assert not JoinedGroups()


@pytest.mark.parametrize(
    ("kind", "score", "expected"),
    [
        ("none", 0.01, ("version", 0.6)),
        ("semantic", 0.5, ("version", 0.6)),
        ("shares_passages", 0.59, ("version", 0.6)),
        ("contains", 0.7, ("contains", 0.7)),
        ("exact", 1.0, ("exact", 1.0)),
    ],
)
def test_a_joined_relation_is_one_of_versions(
    kind: Any, score: float, expected: tuple[str, float]
) -> None:
    relation = as_joined(Relation("b", kind, score, Coverage(0.1, 0.2)))
    assert (relation.kind, relation.score) == expected
    assert relation.joined
