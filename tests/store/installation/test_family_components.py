"""Components of families: what they follow from, what is left of them, what is written."""

from typing import Any

import pytest

from es_simhash.store.installation import family_components, state_index
from es_simhash.store.installation.family_components import (
    Component,
    FamilyComponents,
    left_of,
    linked_families,
)
from es_simhash.store.installation.state_index import StateIndex

LINKS = {("00" * 16, "ff" * 15 + "00"): 0.625, ("01" * 16, "ab" * 16): 1.0}


def test_families_with_something_in_common_are_one_component() -> None:
    groups = [{"b"}, {"b", "a"}, {"d", "c"}, {"c", "b"}, {"f", "e"}, {"g"}]
    assert linked_families(groups) == [("a", "b", "c", "d"), ("e", "f")]


def test_what_is_left_of_a_component_is_several_families_without_their_links() -> None:
    stored = [Component(("a", "b", "c"), LINKS), Component(("d", "e")), Component(("f", "g"))]
    assert left_of(stored, {"b", "e", "x"}) == [Component(("a", "c")), Component(("f", "g"))]


@pytest.fixture
def state(client: Any, index_name: str) -> StateIndex:
    return StateIndex(client, index_name, "simhash")


@pytest.mark.cluster
def test_components_are_replaced(client: Any, index_name: str, state: StateIndex) -> None:
    components = FamilyComponents(state)
    assert not components.ids()
    assert not components.of(["a"])
    some = [Component(("a", "b"), LINKS), Component(("c", "d"))]
    state.write([*components.entries(some, ())])
    assert list(components.of(["d", "x"]).values()) == [Component(("c", "d"))]
    assert list(components.of(["b"]).values()) == [Component(("a", "b"), LINKS)]
    # Several may have one family in common, as where a document was left.
    common = [Component(("a", "b"), {}), Component(("a", "e"), LINKS)]
    state.write([*components.entries(common, components.ids())])
    # No links at all are none that are stored.
    assert components.of(["b"]).popitem()[1] == Component(("a", "b"))
    assert len(components.of(["a"])) == len(components.ids()) == 2
    assert not FamilyComponents(StateIndex(client, index_name, "other")).ids()


@pytest.mark.cluster
def test_so_many_links_are_not_stored(state: StateIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_components, "_MOST_LINKS", 1)
    components = FamilyComponents(state)
    state.write([*components.entries([Component(("a", "b"), LINKS)], ())])
    assert components.of(["a"]).popitem()[1] == Component(("a", "b"))


@pytest.mark.cluster
@pytest.mark.parametrize("links", ["AAAA", "none"])
def test_links_that_are_damaged_count_as_none(client: Any, state: StateIndex, links: str) -> None:
    components = FamilyComponents(state)
    state.write([*components.entries([Component(("a", "b"), LINKS)], ())])
    (id,) = components.ids()
    client.update(index=state.name, id=id, doc={"links": links}, refresh=True)
    assert components.of(["a"]).popitem()[1] == Component(("a", "b"))


@pytest.mark.cluster
def test_large_components_are_written_and_read_by_several_requests(
    client: Any, state: StateIndex, requests_of: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_index, "_CHARACTERS", 1)
    monkeypatch.setattr(family_components, "_PAGE", 2)
    components = FamilyComponents(state)
    made = [Component((f"a{number}", f"b{number}"), LINKS) for number in range(7)]
    state.write([*components.entries(made, ())])
    assert requests_of.count(f"POST /{state.name}/_bulk") == len(made)
    names = [name for component in made for name in component.names]
    assert sorted(components.of(names).values(), key=lambda each: each.names) == made
