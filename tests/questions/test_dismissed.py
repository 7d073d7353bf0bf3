"""Pairs that a person dismissed are no versions in what `related` returns."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.questions.index import Index, SidecarIndex
from es_simhash.store.elasticsearch import index_state_search
from es_simhash.store.installation.noted_pairs import Dismissals, NotedPair
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.options import SearchOptions
from tests.support.desk import Desk

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
IDS = ("a", "v1", "v2", "v3")


@pytest.fixture
def versions(desk: Desk, make_text: Make, revise: Make) -> Desk:
    """A text, three versions of it, the first the nearest, and a text that quotes it."""
    text = make_text(1)
    texts = {"a": text, **{f"v{n}": revise(text, n, 0.01 * n) for n in (1, 2, 3)}}
    quotes = f"{make_text(7, 150)} {' '.join(text.split()[:75])} {make_text(8, 150)}"
    desk.put([{"_id": id, "text": each} for id, each in {**texts, "quote": quotes}.items()])
    return desk


def related(desk: Desk, **options: Any) -> dict[str, str]:
    """Return the kind of each relation of the first text."""
    answer = Index(desk.client, desk.name).related(id="a", options=SearchOptions(**options))
    return {str(relation.id): relation.kind for relation in answer}


def test_a_dismissed_version_is_left_out_on_both_sides(versions: Desk) -> None:
    before = related(versions)
    assert before == {"v1": "version", "v2": "version", "v3": "version", "quote": "shares_passages"}
    dismiss(versions.client, versions.name, "v2", "a")
    assert related(versions) == {id: kind for id, kind in before.items() if id != "v2"}
    answers = Index(versions.client, versions.name).related_to_each(IDS)
    assert "a" not in {relation.id for relation in answers["v2"]}
    # Of another pair of the two nobody said anything.
    assert "a" in {relation.id for relation in answers["v3"]}
    assert "v2" in {relation.id for relation in answers["v1"]}
    dismiss(versions.client, versions.name, "v2", "a", undo=True)
    assert related(versions) == before


def test_another_relation_takes_the_place_of_what_is_left_out(versions: Desk) -> None:
    nearest = next(iter(related(versions, size=1)))
    dismiss(versions.client, versions.name, "a", nearest)
    assert len(related(versions, size=1)) == 1
    assert nearest not in related(versions, size=1)


def test_it_is_shown_when_that_is_requested_and_named_as_dismissed(versions: Desk) -> None:
    dismiss(versions.client, versions.name, "a", "v2")
    options = SearchOptions(dismissed=True)
    answer = Index(versions.client, versions.name).related(id="a", options=options)
    marks = {relation.id: relation.dismissed for relation in answer}
    assert marks == {"v1": False, "v2": True, "v3": False, "quote": False}


def test_shared_passages_are_shown_although_the_pair_is_dismissed(versions: Desk) -> None:
    dismiss(versions.client, versions.name, "a", "quote")
    answer = Index(versions.client, versions.name).related(id="a")
    (quote,) = [relation for relation in answer if relation.id == "quote"]
    assert (quote.kind, quote.dismissed) == ("shares_passages", True)


def test_explain_says_what_they_are_and_that_they_are_dismissed(versions: Desk) -> None:
    index = Index(versions.client, versions.name)
    before = index.explain("a", "v2")
    assert not before.dismissed
    dismiss(versions.client, versions.name, "a", "v2")
    assert index.explain("a", "v2") == replace(before, dismissed=True)
    assert index.explain("v2", "a").dismissed
    assert not index.explain("a", "v1").dismissed


def test_a_decision_that_was_undone_is_no_dismissal(versions: Desk, make_text: Make) -> None:
    versions.write([{"_id": "copy", "text": make_text(1)}], "skip")
    versions.undo()
    assert related(versions)["copy"] == "exact"


def test_it_costs_no_request(versions: Desk, requests_of: list[str]) -> None:
    index = Index(versions.client, versions.name)
    index.related(id="a")
    before = list(requests_of)
    assert not versions.client.indices.exists(index=f"{versions.name}-simhash")
    dismiss(versions.client, versions.name, "a", "v2")
    requests_of.clear()
    Index(versions.client, versions.name).related(id="a")
    assert requests_of == before
    assert len([request for request in before if "search" in request]) == 1


def test_more_dismissals_than_one_search_returns_are_all_known(
    versions: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("v1", "v2", "v3"):
        dismiss(versions.client, versions.name, "a", id)
    monkeypatch.setattr(index_state_search, "MAX_HITS", 2)
    assert related(versions) == {"quote": "shares_passages"}


def test_a_dismissal_of_another_field_does_not_count(versions: Desk) -> None:
    state = StateIndex(versions.client, versions.name, "other")
    Dismissals(state).write(NotedPair(("a", "v2")))
    assert "v2" in related(versions)


def test_a_pattern_has_no_dismissals(versions: Desk) -> None:
    dismiss(versions.client, versions.name, "a", "v2")
    answer = Index(versions.client, f"{versions.name[:-1]}*").related(
        id="a", options=SearchOptions(filters=({"ids": {"values": list(IDS)}},))
    )
    assert "v2" in {relation.id for relation in answer}


@pytest.fixture
def sidecar(versions: Desk) -> Iterator[str]:
    """A sidecar of the index."""
    name = f"{versions.name}-beside"
    assert all(outcome.ok for outcome in backfill(versions.client, versions.name, sidecar=name))
    versions.client.indices.refresh(index=name)
    yield name
    versions.client.indices.delete(index=name, ignore_unavailable=True)


@pytest.mark.long
def test_a_sidecar_knows_the_dismissals_of_the_first_index(versions: Desk, sidecar: str) -> None:
    dismiss(versions.client, versions.name, "a", "v2")
    index = SidecarIndex(versions.client, sidecar)
    assert {relation.id for relation in index.related(id="a")} == {"v1", "v3", "quote"}
    # Narrow searches are sent again, wider; the dismissals are looked up once.
    narrow = SearchOptions(size=1, filters=({"ids": {"values": ["v2", "v3"]}},))
    assert [relation.id for relation in index.related(id="a", options=narrow)] == ["v3"]
    assert index.explain("a", "v2").dismissed
