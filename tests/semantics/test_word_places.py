"""Where a text has a word or a name: in its title, below it, or in a field alone."""

from collections.abc import Mapping, Sequence

import pytest

from es_simhash import SemanticScheme, compare
from es_simhash.semantics.spellings import Spellings
from es_simhash.semantics.word_places import WordPlaces

STORY = (
    "Policies of the Bank\n\nThe Bank of England spoke. Christine Lagarde did not; Lagarde left."
)


def place(
    shown: str,
    *words: str,
    is_entity: bool = False,
    text: str = STORY,
    title: str = "Policies of the Bank",
    fields: Mapping[str, Sequence[str]] | None = None,
) -> str:
    spellings = Spellings((text, "other"), "en", ())
    places = WordPlaces(0, spellings, title, fields or {})
    return places.place(shown, words, is_entity=is_entity)


@pytest.mark.parametrize(
    ("shown", "words", "is_entity", "expected"),
    [
        # Another form of the word is in the title.
        ("policy", ["policy"], False, "title"),
        ("spoke", ["spoke"], False, "text"),
        ("Bank", ["bank"], True, "title"),
        ("Christine Lagarde", ["christine", "lagarde"], True, "text"),
    ],
)
def test_a_word_of_the_title_is_in_the_title(
    shown: str, words: list[str], is_entity: bool, expected: str
) -> None:
    assert place(shown, *words, is_entity=is_entity) == expected


def test_a_name_by_a_word_of_it_alone_is_where_the_word_is() -> None:
    text = "Lagarde speaks\n\nShe spoke on Monday of rates that stay where they are for now."
    found = place("Christine Lagarde", "christine", "lagarde", is_entity=True, text=text,
                  title="Lagarde speaks")  # fmt: skip
    assert found == "title"


def test_what_a_field_alone_has_is_in_the_field() -> None:
    fields = {"people": ("Ada Lovelace", "Christine Lagarde"), "tags": ("Rates",)}
    assert place("Ada Lovelace", "ada", "lovelace", is_entity=True, fields=fields) == "field:people"
    # A word of a name that the text lacks, and one that it has.
    assert place("lovelace", "lovelace", fields=fields) == "field:people"
    assert place("left", "left", fields=fields) == "text"
    assert place("Rates", "rate", is_entity=True, fields=fields) == "field:tags"
    # The text has it too.
    found = place("Christine Lagarde", "christine", "lagarde", is_entity=True, fields=fields)
    assert found == "text"
    # The text has the name by a word of it, but in full the field alone.
    text = "Rates\n\nLagarde spoke."
    found = place("Christine Lagarde", "christine", "lagarde", is_entity=True, fields=fields,
                  text=text, title="Lagarde")  # fmt: skip
    assert found == "field:people"


def test_chinese_words_are_in_a_title_that_has_their_characters() -> None:
    assert place("北京大学", "北京", title="北京大学发表声明") == "title"
    assert place("北京大学", "北京", title="大学发表声明", text="北京大学") == "text"


def test_two_texts_say_where_each_has_what_they_share() -> None:
    found = compare(
        "Ferry strike\n\nThe crews of all ferries stay away. Ellery Quays has no ferry today.",
        "Crews return\n\nAt Ellery Quays the strike is over, and each ferry sails again at noon.",
        semantics=SemanticScheme("builtin", language="en"),
    )
    assert found.semantics is not None
    places = {each.text.casefold(): (each.in_query, each.in_hit) for each in found.semantics.shared}
    assert places["strike"] == ("title", "text")
    assert places["crews"] == ("text", "title")
    assert places["ellery quays"] == ("text", "text")
