"""Entities from a document's own fields: shapes, paths, joining, cleaning, refusal."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.semantics.entities.document_entities import MAX_MENTIONS, upstream_entities
from es_simhash.semantics.semantic_profile import (
    MAX_NAME_LENGTH,
    Entity,
    clean_name,
    merge_mentions,
)

TEXT = "Angela Merkel met Emmanuel Macron in Berlin."


def read(value: Any) -> tuple[Entity, ...]:
    return upstream_entities({"people": value}, ["people"])


def names(value: Any) -> list[str]:
    return [each.text for each in read(value)]


@pytest.mark.parametrize(
    "nothing", [None, "", "  ", [], {"entities": []}, [None, ""], [[]], "\x00"]
)
def test_null_and_empty_fields_give_nothing(nothing: Any) -> None:
    assert read(nothing) == ()


def test_absent_fields_give_nothing() -> None:
    assert upstream_entities({}, ["people", "ml.inference.entities"]) == ()
    assert upstream_entities({"ml": None}, ["ml.inference.entities"]) == ()
    assert upstream_entities({"ml": {"inference": []}}, ["ml.inference.entities"]) == ()


def test_a_string_is_a_name_and_a_list_of_strings_are_names() -> None:
    assert read("Angela Merkel") == (Entity("Angela Merkel"),)
    assert names(["Angela Merkel", "Emmanuel Macron"]) == ["Angela Merkel", "Emmanuel Macron"]


@pytest.mark.parametrize("key", ["text", "name", "value", "entity", "word"])
@pytest.mark.parametrize("label_key", ["label", "type", "entity_group", "class", "class_name"])
def test_objects_with_a_name_and_a_label(key: str, label_key: str) -> None:
    value = [{key: "Berlin", label_key: "LOC", "start": 37, "end": 43, "count": 2}]
    assert read(value) == (Entity("Berlin", 2, ((37, 43),), "LOC"),)


def test_what_the_inference_processor_of_elasticsearch_writes() -> None:
    source = {
        "ml": {
            "inference": {
                "predicted_value": "[Angela Merkel](PER&Angela+Merkel) met ...",
                "model_id": "ner",
                "entities": [
                    {
                        "entity": "Angela Merkel",
                        "class_name": "PER",
                        "class_probability": 0.99,
                        "start_pos": 0,
                        "end_pos": 13,
                    },
                    {
                        "entity": "Berlin",
                        "class_name": "LOC",
                        "class_probability": 0.98,
                        "start_pos": 37,
                        "end_pos": 43,
                    },
                ],
            }
        }
    }
    expected = (
        Entity("Angela Merkel", 1, ((0, 13),), "PER"),
        Entity("Berlin", 1, ((37, 43),), "LOC"),
    )
    assert upstream_entities(source, ["ml.inference.entities"]) == expected
    assert upstream_entities(source, ["ml.inference"]) == expected


def test_offsets_alone_are_cut_out_of_the_text_beside_them() -> None:
    # The shape of spaCy's Doc.to_json.
    document = {
        "text": TEXT,
        "ents": [{"start": 0, "end": 13, "label": "PER"}],
        "tokens": [{"id": 0, "start": 0, "end": 6}],
    }
    expected = (Entity("Angela Merkel", 1, ((0, 13),), "PER"),)
    assert upstream_entities({"nlp": document}, ["nlp.ents"]) == expected
    assert upstream_entities({"nlp": document}, ["nlp"]) == expected


def test_the_groups_of_hugging_face() -> None:
    value = [{"entity_group": "PER", "score": 0.99, "word": "Angela Merkel", "start": 0, "end": 13}]
    assert read(value) == (Entity("Angela Merkel", 1, ((0, 13),), "PER"),)


@pytest.mark.parametrize("offsets", [True, False])
def test_the_word_pieces_of_hugging_face_are_joined(offsets: bool) -> None:
    rows = [
        ("B-PER", "Angela", 0, 6),
        ("I-PER", "Mer", 7, 10),
        ("I-PER", "##kel", 10, 13),
        ("B-PER", "Emmanuel", 18, 26),
        ("I-PER", "Macron", 27, 33),
        ("B-LOC", "Berlin", 37, 43),
    ]
    value = [
        {"entity": label, "word": word, "index": start}
        | ({"start": start, "end": end} if offsets else {})
        for label, word, start, end in rows
    ]
    found = read(value)
    assert [(each.text, each.label) for each in found] == [
        ("Angela Merkel", "PER"),
        ("Emmanuel Macron", "PER"),
        ("Berlin", "LOC"),
    ]
    expected = [((0, 13),), ((18, 33),), ((37, 43),)] if offsets else [(), (), ()]
    assert [each.spans for each in found] == expected


def test_a_piece_without_a_beginning_stands_for_itself() -> None:
    assert names([{"entity": "I-PER", "word": "##kel"}, {"entity": "I-LOC", "word": "Bonn"}]) == [
        "kel",
        "Bonn",
    ]


def test_pieces_are_not_joined_across_values() -> None:
    source = {
        "parts": [
            {"ner": [{"entity": "B-PER", "word": "Angela"}]},
            {"ner": [{"entity": "I-PER", "word": "Macron"}]},
        ]
    }
    assert [each.text for each in upstream_entities(source, ["parts.ner"])] == ["Angela", "Macron"]


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({"a": {"b": {"c": "Berlin"}}}, "a.b.c"),
        ({"a.b.c": "Berlin"}, "a.b.c"),
        ({"a.b": {"c": "Berlin"}}, "a.b.c"),
        ({"a": {"b.c": "Berlin"}}, "a.b.c"),
        ({"a": [{"b": [{"c": None}, {"c": "Berlin"}]}, {"b": None}]}, "a.b.c"),
    ],
)
def test_paths_lead_through_objects_lists_and_keys_with_dots(
    source: dict[str, Any], field: str
) -> None:
    assert upstream_entities(source, [field]) == (Entity("Berlin"),)


def test_a_name_in_several_fields_is_one_entity_with_their_counts() -> None:
    source = {
        "places": ["BERLIN", "Paris", "Berlin"],
        "ner": {"text": "Berlin", "label": "LOC", "count": 3, "start": 37, "end": 43},
    }
    assert upstream_entities(source, ["places", "ner"]) == (
        Entity("Berlin", 5, ((37, 43),), "LOC"),
        Entity("Paris"),
    )


def test_spans_are_sorted_and_each_once() -> None:
    value = [{"text": "A", "start": start, "end": start + 1} for start in (9, 4, 9)]
    assert read(value) == (Entity("A", 3, ((4, 5), (9, 10))),)


def test_the_most_frequent_spelling_and_label_are_kept() -> None:
    mentions = [
        Entity("washington", 1, (), "PER"),
        Entity("Washington", 2, (), "LOC"),
        Entity("Washington", 9, (), ""),
    ]
    assert merge_mentions(mentions) == (Entity("Washington", 12, (), "LOC"),)


def test_a_greater_count_than_a_text_can_have_is_cut() -> None:
    assert read({"name": "Berlin", "count": 10**30})[0].count == MAX_MENTIONS


@pytest.mark.parametrize("offsets", [{"start": -1, "end": 5}, {"start": 5, "end": 5}, {"start": 3}])
def test_offsets_that_bound_nothing_are_left_out(offsets: dict[str, int]) -> None:
    assert read({"name": "Berlin", **offsets}) == (Entity("Berlin"),)


def test_control_characters_and_marks_of_direction_are_taken_out() -> None:
    assert names("\x00Angela\r\n\x1b Merkel\u2028\u202e\ufeff\ud83d") == ["Angela Merkel"]


def test_joiners_stay_because_names_are_written_with_them() -> None:
    assert names("می\u200cخواهم") == ["می\u200cخواهم"]


@pytest.mark.parametrize(
    "name", ['O"Hara', "St. John's", "a.b.c", "东京", "محمد", "😀", "<b>", "O'"]
)
def test_names_with_dots_quotes_and_other_scripts_are_kept(name: str) -> None:
    assert names(name) == [name]


def test_a_long_name_is_cut_and_the_others_kept() -> None:
    assert names(["x" * 10_000, "Berlin"]) == ["x" * MAX_NAME_LENGTH, "Berlin"]


@given(st.text(max_size=500))
def test_a_cleaned_name_can_be_sent_and_stays_clean(name: str) -> None:
    cleaned = clean_name(name)
    assert len(cleaned) <= MAX_NAME_LENGTH
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert not {unicodedata.category(character) for character in cleaned} & {"Cc", "Cs"}
    assert cleaned == " ".join(cleaned.split())
    assert clean_name(cleaned) == cleaned


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (42, "42"),
        (True, "True"),
        ([1.5], "1.5"),
        ({}, "{}"),
        ({"surface": "Berlin"}, "surface"),
        ({"name": ["Berlin"]}, "Berlin"),
        ({"name": 5}, "'name': 5"),
        ({"name": "Berlin", "label": 3}, "'label'"),
        ({"name": "Berlin", "start": "0", "end": 6}, "'start'"),
        ({"name": "Berlin", "start": 0, "end": 6.5}, "'end'"),
        ({"name": "Berlin", "count": 0}, "'count'"),
        ({"name": "Berlin", "count": True}, "'count'"),
        ({"start": 0, "end": 6, "label": "LOC"}, "'start'"),
        ({"label": "LOC", "start": -2, "end": 6}, "'start'"),
        ([["Berlin", {"name": {}}]], "name"),
        ({"entities": [7]}, "7"),
    ],
)
def test_another_shape_is_refused_with_field_value_and_what_is_expected(
    value: Any, shown: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(value)
    message = str(caught.value)
    assert message.startswith("Field 'people' holds ")
    assert shown in message
    assert message.endswith("is expected.")
    assert "\n" not in message


def test_a_path_into_a_string_is_refused() -> None:
    with pytest.raises(InputError, match=r"'people.name' holds 'Ann', where an object"):
        upstream_entities({"people": "Ann"}, ["people.name"])


def test_the_message_shows_the_beginning_of_a_long_value_alone() -> None:
    with pytest.raises(InputError) as caught:
        read({"body": "secret " * 1000})
    assert len(str(caught.value)) < 250


def test_lists_nested_without_end_are_refused() -> None:
    value: Any = "Berlin"
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InputError, match="'people' holds lists nested too deeply"):
        read(value)
    while isinstance(value, list):  # taken apart here: freeing it at once would recurse
        value = value[0]


@pytest.mark.long
def test_many_mentions_of_an_entity_are_read() -> None:
    value = [
        {"name": "Berlin", "start": 10 * each + 3, "end": 10 * each + 9} for each in range(20_000)
    ]
    (entity,) = read(value)
    assert entity.count == 20_000
    assert len(entity.spans) == 20_000
