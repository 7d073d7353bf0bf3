"""The normal form of whole batches, and offsets in the original text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.text.normal_forms import normalise, normalise_all, original_offsets
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


@pytest.mark.long
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


def parts_of(original: str) -> list[str]:
    """Cut a text before each character that is never composed with one before it."""
    parts: list[str] = []
    for character in original:
        first = normalise(character)[0]
        is_mark = any(unicodedata.category(each).startswith("M") for each in character + first)
        if parts and (is_mark or 0x1160 <= ord(first) < 0x1200):
            parts[-1] += character
        else:
            parts.append(character)
    return parts


# What is composed, or becomes several characters, in scripts with and without spaces.
CHANGING = st.lists(
    st.sampled_from(
        [
            *("か\u3099", "ハ\u309a", "e\u0302\u0323", "u\u031b\u0300", "ά\u0345", "\U0001d15e"),
            *("\u1112\u1161\u11ab", "น้ำ", "กำ", "क\u093c", "\u09c7\u09be", "\ud800", "\udc00"),
            *"ｶﾞﾊﾟァカㇵ料金、。한국어\u1100ㄱㅏ￡ﾡￂtĐếßﬃİŉ½…①㈱㍿ \n\u3000",
            *"ﷺﻻل\u064e\u0651\u0e33\u0958\u1dfb\u08ca",
        ]
    ),
    max_size=30,
).map("".join)


@given(texts | CHANGING)
def test_each_position_of_the_normalised_text_has_an_offset(original: str) -> None:
    found = original_offsets(original).tolist()
    assert len(found) == len(normalise(original)) + 1
    assert found == sorted(found)
    start = place = 0
    for part in parts_of(original):
        assert found[place] == start
        start, place = start + len(part), place + len(normalise(part))
        assert normalise(original)[:place].endswith(normalise(part))
    assert found[place] == start == len(original)


@pytest.mark.parametrize(
    ("original", "offsets"),
    [
        ("ｶﾞｷﾞｸﾞ料金", [0, 2, 4, 6, 7, 8]),
        ("か\u3099き\u3099く\u3099料金", [0, 2, 4, 6, 7, 8]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", [0, 3, 6, 8]),
        ("Vie\u0323\u0302t", [0, 1, 2, 5, 6]),
    ],
)
def test_letters_behind_composed_ones_keep_their_place(original: str, offsets: list[int]) -> None:
    assert original_offsets(original).tolist() == offsets


def test_letters_that_become_several_keep_their_place() -> None:
    assert original_offsets("a ﬃ b").tolist() == [0, 1, 2, 2, 2, 3, 4, 5]
    assert original_offsets("x\u3000ß").tolist() == [0, 1, 2, 2, 3]


def test_what_a_letter_becomes_keeps_its_place_before_marks_that_are_put_in_order() -> None:
    # Sara am becomes two characters; the tone stands before the vowel below, and comes behind it.
    assert normalise("ก\u0e33\u0e49\u0e38") == "ก\u0e4d\u0e32\u0e38\u0e49"
    assert original_offsets("ก\u0e33\u0e49\u0e38").tolist() == [0, 1, 1, 2, 3, 4]
    # An accent that is composed with the last letter of a ligature.
    assert original_offsets("ﬃ\u0301s").tolist() == [0, 0, 0, 2, 3]
