"""Which families are linked, and the links that are stored of them."""

from es_simhash.maintenance.families.linked_components import linked_components
from es_simhash.store.installation.family_components import Component

# Families of texts: those of t1 and t2 are linked, t3 has documents of two, t4 is alone.
FAMILIES = {"t1": {"a"}, "t2": {"b"}, "t3": {"c", "d"}, "t4": {"e"}}
LINKS = {("t1", "t2"): 0.7}


def test_families_of_linked_texts_and_of_one_text_are_components() -> None:
    found = list(linked_components(FAMILIES, LINKS, [], []))
    assert found == [Component(("a", "b"), LINKS), Component(("c", "d"), {})]


def test_joined_texts_link_their_families_without_a_score() -> None:
    found = list(linked_components(FAMILIES, LINKS, [("t2", "t4")], []))
    assert found == [Component(("a", "b", "e"), LINKS), Component(("c", "d"), {})]


def test_a_dismissed_pair_is_of_one_component_whose_links_are_not_known() -> None:
    found = list(linked_components(FAMILIES, LINKS, [], [("t2", "t4")]))
    assert found == [Component(("a", "b", "e")), Component(("c", "d"), {})]


def test_what_was_decided_about_a_text_that_is_gone_links_nothing() -> None:
    found = list(linked_components(FAMILIES, {}, [("t1", "gone")], [("t3", "gone")]))
    assert found == [Component(("c", "d"))]


def test_a_link_within_one_family_makes_no_component() -> None:
    assert list(linked_components({"t1": {"a"}, "t2": {"a"}}, LINKS, [], [])) == []
