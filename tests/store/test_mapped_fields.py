"""Names of the fields of mappings, and the nearest to a misspelt one; no cluster."""

import pytest

from es_simhash.errors import InputError
from es_simhash.store.mapped_fields import (
    TEXT_TYPES,
    is_made,
    mapped_fields,
    nearest_field,
    nearest_text_hint,
    nested_parent,
    require_no_nested_text,
    unknown_field,
)

MAPPING = {
    "_meta": {"es_simhash": {"simhash": {"scheme": "x"}}},
    "properties": {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "body": {"properties": {"text": {"type": "text"}, "note": {"type": "keyword"}}},
        "published": {"type": "date"},
        "parts": {"type": "nested", "properties": {"changed": {"type": "date"}}},
        "when": {"type": "alias", "path": "published"},
        "a.b": {"type": "long"},
        "simhash": {"properties": {"family": {"type": "keyword"}}},
    },
    "runtime": {
        "day": {"type": "keyword", "script": {"source": "emit('x')"}},
        "plain": {"type": "date"},
        "both": {"type": "composite", "script": {}, "fields": {"one": {"type": "long"}}},
    },
}
MAPPINGS = {"i": MAPPING}


def test_all_fields_have_their_full_names_types_and_places_in_the_source() -> None:
    found = {name: (field.type, field.source) for name, field in mapped_fields(MAPPING).items()}
    assert found == {
        "title": ("text", "title"),
        "title.raw": ("keyword", "title"),
        "body": ("object", "body"),
        "body.text": ("text", "body.text"),
        "body.note": ("keyword", "body.note"),
        "published": ("date", "published"),
        "parts": ("nested", "parts"),
        "parts.changed": ("date", "parts.changed"),
        "when": ("date", "published"),
        "a.b": ("long", "a.b"),
        "simhash": ("object", "simhash"),
        "simhash.family": ("keyword", "simhash.family"),
        "day": ("keyword", None),
        "plain": ("date", "plain"),
        "both": ("composite", None),
        "both.one": ("long", None),
    }


@pytest.mark.parametrize(
    ("name", "types", "nearest"),
    [
        ("publishd", (), "published"),
        ("PUBLISHED", (), "published"),
        ("chnged", (), "parts.changed"),
        ("text", (), "body.text"),
        ("body.txt", (), "body.text"),
        ("title.rw", (), "title.raw"),
        # Among the fields of dates there is none so near as a text.
        ("titled", {"date"}, "published"),
        # A field that is there and cannot serve is not named again.
        ("title.raw", TEXT_TYPES, "title"),
    ],
)
def test_the_nearest_field_is_one_of_the_user_and_of_a_type_that_will_do(
    name: str, types: frozenset[str], nearest: str
) -> None:
    assert nearest_field(name, MAPPINGS, types) == nearest


def test_a_field_of_ours_is_not_suggested() -> None:
    assert nearest_field("simhash.famly", MAPPINGS) in mapped_fields(MAPPING).keys() - {
        "simhash",
        "simhash.family",
    }


def test_where_no_field_has_the_type_the_nearest_of_all_is_named() -> None:
    assert nearest_field("titl", MAPPINGS, {"dense_vector"}) == "title"


def test_the_error_says_where_the_field_was_looked_for() -> None:
    more = {"j": {"properties": {}}, **MAPPINGS}
    for documents, where in (
        (False, "No mapping of i, j"),
        (True, "Neither the mapping nor a document of i, j"),
    ):
        error = unknown_field("titl", more, parameter="text_field", documents=documents)
        assert str(error) == (
            f"{where} has a field 'titl'; the nearest field of the mapping is 'title'. "
            "Set text_field."
        )
        assert error.parameter == "text_field"
    bare = unknown_field("titl", {"j": {}}, parameter="text_field")
    assert str(bare) == "No mapping of j has a field 'titl'. Set text_field."


def test_where_nobody_named_a_text_headline_and_body_are_named_together() -> None:
    both = {"body": {"type": "text"}, "headline": {"type": "text"}, "title": {"type": "long"}}
    mappings = {"a": {"properties": {**both, "id": {"type": "keyword"}}}}
    hint = "; the mapping has a headline and a body, 'headline,body'"
    assert nearest_text_hint("text", mappings) == hint
    inner = {"a": {"properties": {"name": {"type": "text"}, "meta": {"properties": both}}}}
    assert nearest_text_hint("text", inner).endswith("'meta.headline,meta.body'")
    # What somebody named is misspelt.
    assert nearest_text_hint("bodi", mappings) == "; the nearest field of the mapping is 'body'"
    alone = {"a": {"properties": {"body": {"type": "text"}, "name": {"type": "long"}}}}
    assert nearest_text_hint("text", alone).endswith("is 'body'")
    assert nearest_text_hint("text", {"a": {}}) == ""
    for parameter, is_text in (("text_field", True), ("text", True), ("date", False)):
        error = unknown_field("text", mappings, {"text"}, parameter=parameter, documents=True)
        assert ("'headline,body'. Set" in str(error)) is is_text


def test_a_text_of_nested_documents_is_known_by_the_object_it_lies_in() -> None:
    assert nested_parent(MAPPING, "parts.changed") == "parts"
    assert nested_parent(MAPPING, "body.text") is None
    assert nested_parent(MAPPING, "parts") is None
    require_no_nested_text("body.text", MAPPINGS, parameter="text")
    with pytest.raises(InputError, match=r"lies in nested documents \('parts'\)") as refused:
        require_no_nested_text("parts.changed", MAPPINGS, parameter="text")
    assert refused.value.parameter == "text"


@pytest.mark.parametrize(
    ("name", "source"), [("title.raw", "title"), ("when", "published"), ("day", None)]
)
def test_a_field_that_the_mapping_makes_is_called_by_the_one_it_is_made_of(
    name: str, source: str | None
) -> None:
    assert is_made(name, MAPPINGS)
    assert not is_made("title", MAPPINGS)
    assert not is_made("nowhere", MAPPINGS)
    error = unknown_field(name, MAPPINGS, TEXT_TYPES, parameter="text_field", documents=True)
    if source is not None:
        assert f"No document has a field {name!r}: the mapping makes it of {source!r}" in str(error)
