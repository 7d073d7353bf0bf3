"""Dotted paths, in documents and in mappings."""

import pytest

from es_simhash.store.paths import get_path, mapped_field, nested_path, without_path


@pytest.mark.parametrize(
    "source", [{"a": {"b": 1}}, {"a.b": 1}], ids=["nested objects", "a dotted name"]
)
def test_a_field_is_found_however_the_document_spells_it(source: dict[str, object]) -> None:
    assert get_path(source, "a.b") == 1
    assert get_path(source, "a.c") is None


@pytest.mark.parametrize(
    "source", [{"a.b": {"c": 1}}, {"a": {"b.c": 1}}, {"a": {"d": 2}, "a.b": {"c": 1}}]
)
def test_a_dotted_name_may_be_that_of_an_object(source: dict[str, object]) -> None:
    assert get_path(source, "a.b.c") == 1
    assert get_path(source, "a.b.d") is None


def test_what_is_no_object_has_no_fields() -> None:
    assert get_path({"a": "text"}, "a.b") is None
    assert get_path({"a": [{"b": 1}]}, "a.b") is None
    assert get_path({}, "a") is None


def test_a_value_is_put_into_nested_objects() -> None:
    assert nested_path("a", 1) == {"a": 1}
    assert nested_path("a.b.c", 1) == {"a": {"b": {"c": 1}}}
    assert get_path(nested_path("a.b.c", 1), "a.b.c") == 1


def test_a_field_is_left_out_with_the_objects_it_leaves_empty() -> None:
    assert without_path({"a": {"b": 1}, "c": 2}, "a.b") == {"c": 2}
    assert without_path({"a": {"b": 1, "d": 3}}, "a.b") == {"a": {"d": 3}}
    assert without_path({"a.b": 1}, "a.b") == {}
    source = {"a": {"b": 1}}
    without_path(source, "a.b")
    assert source == {"a": {"b": 1}}


def test_a_mapped_field_is_found_under_its_objects() -> None:
    mapping = {"properties": {"a": {"properties": {"b": {"type": "text"}}}}}
    assert mapped_field(mapping, "a.b") == {"type": "text"}
    assert mapped_field(mapping, "a.c") is None
    assert mapped_field(mapping, "b") is None
