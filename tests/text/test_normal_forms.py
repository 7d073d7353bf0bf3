"""The normal form of whole batches, and offsets in the original text."""

import re
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


def word_by_word(original: str) -> list[int]:
    """Map each word and each run of spaces by itself."""
    offsets = []
    for run in re.finditer(r"\s+|\S+", original):
        normalised, start = normalise(run.group()), run.start()
        parts = [normalise(character) for character in run.group()]
        if len(normalised) == len(run.group()):
            offsets += range(start, run.end())
        elif "".join(parts) == normalised:
            offsets += [start + place for place, part in enumerate(parts) for _ in part]
        else:
            offsets += [
                start + min(place, len(run.group()) - 1) for place in range(len(normalised))
            ]
    return [*offsets, len(original)]


@given(texts)
def test_each_position_of_the_normalised_text_has_an_offset(original: str) -> None:
    found = original_offsets(original).tolist()
    assert found == word_by_word(original)
    assert len(found) == len(normalise(original)) + 1


def test_letters_that_become_several_keep_their_place() -> None:
    assert original_offsets("a ﬃ b").tolist() == [0, 1, 2, 2, 2, 3, 4, 5]
    assert original_offsets("x\u3000ß").tolist() == [0, 1, 2, 2, 3]
