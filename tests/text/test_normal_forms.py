"""The normal form of whole batches."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.text.normal_forms import normalise, normalise_all
from tests.support import reference
from tests.support.strategies import texts


@given(st.lists(texts, max_size=6))
def test_a_batch_has_the_forms_of_its_texts(batch: list[str]) -> None:
    # Fewer characters than these are folded one text after the other.
    batch.append("é" * 4000)
    assert normalise_all(batch) == [reference.normalise(text) for text in batch]


@pytest.mark.parametrize(
    "text",
    [
        "£5 IN “CAFÉS”, Straße … ½",
        "E\u0301 A\u0308 \uff76\uff9e",
        "\u1100\u1161\u11a8 한국어",
        "ﬁ ﬃ ᾳ İI ŉ ´ ¨ \xa0 \u037a",
        "\U00010570É\ua7f2A\u0301 \ud800 🙂",
    ],
)
def test_what_stands_around_a_text_does_not_change_its_form(text: str) -> None:
    for around in ("A", "\u0301", "ß", "…", "\u1161", "\uff9e", "\U00010570"):
        batch = [around, text, around + text, text + around, around, "é" * 4000]
        assert normalise_all(batch) == [reference.normalise(each) for each in batch]


def test_every_character_that_changes_or_is_composed() -> None:
    everything = list(map(chr, range(0x20000)))
    characters = [
        character
        for character in everything
        if normalise(character) != character or unicodedata.category(character).startswith("M")
    ]
    # Composed with a letter before it, and a mark after it; and with neighbours that keep theirs.
    for around in ("e{}a\u0301", "E{0}{0}A"):
        batch = [around.format(character) for character in characters]
        assert normalise_all(batch) == [normalise(text) for text in batch]
