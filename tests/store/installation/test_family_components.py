"""Components of families: what they follow from, what is left of them, what is written."""

from typing import Any

import pytest

from es_simhash.store.installation.family_components import (
    FamilyComponents,
    left_of,
    linked_components,
)
from es_simhash.store.installation.state_index import StateIndex


def test_families_with_something_in_common_are_one_component() -> None:
    groups = [{"b"}, {"b", "a"}, {"d", "c"}, {"c", "b"}, {"f", "e"}, {"g"}]
    assert linked_components(groups) == [("a", "b", "c", "d"), ("e", "f")]


def test_what_is_left_of_a_component_is_several_families() -> None:
    assert left_of([("a", "b", "c"), ("d", "e"), ("f", "g")], {"b", "e", "x"}) == [
        ("a", "c"),
        ("f", "g"),
    ]


@pytest.mark.cluster
def test_components_are_replaced_where_they_differ(client: Any, index_name: str) -> None:
    state = StateIndex(client, index_name, "simhash")
    components = FamilyComponents(state)
    assert components.all() == components.of(["a"]) == {}
    state.write(components.entries([("a", "b"), ("c", "d")], {}))
    stored = components.all()
    assert sorted(stored.values()) == [("a", "b"), ("c", "d")]
    assert list(components.of(["d", "x"]).values()) == [("c", "d")]
    assert components.entries([("a", "b"), ("c", "d")], stored) == []
    # Several may have one family in common, as where a document was left.
    state.write(components.entries([("a", "b"), ("a", "e")], stored))
    assert sorted(components.of(["a"]).values()) == [("a", "b"), ("a", "e")]
    assert len(components.all()) == 2
    other = FamilyComponents(StateIndex(client, index_name, "other"))
    assert other.all() == {}
