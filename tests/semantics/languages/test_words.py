"""Words of a text, in every script."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.languages.word_lists import is_stop_word, stop_words
from es_simhash.semantics.languages.words import (
    count_forms,
    count_words,
    fold_forms,
    words_with_offsets,
)

LANGUAGES = ["en", "de", "fr", "tr", "hi", "th", "ja", "ar", ""]
CHARACTERS = (
    st.text(st.sampled_from("aAzßİIıéE\u0301'’sS £-.3²\u00ad\u200c\u200b東京のคำहि🙂عم"))
    | st.text()
)


@settings(deadline=None, database=None)
@given(CHARACTERS, st.sampled_from(LANGUAGES))
def test_counts_are_those_of_the_words_read_without_stop_words(text: str, language: str) -> None:
    read = [word.normal for word in words_with_offsets(text, language)]
    assert count_words(text, language) == Counter(
        word for word in read if not is_stop_word(word, language)
    )


@settings(deadline=None, database=None)
@given(CHARACTERS, st.sampled_from(LANGUAGES))
def test_places_point_at_letters_of_the_original_text(text: str, language: str) -> None:
    for word in words_with_offsets(text, language):
        assert word.normal
        assert text[word.start].isalpha() or text[word.start].isnumeric()


def test_plural_and_possessive_come_off_english_words() -> None:
    counts = count_words("The company's companies, a company. Glass, bus and crisis stay.", "en")
    assert counts == {"company": 3, "glass": 1, "bus": 1, "crisis": 1, "stay": 1}


def test_other_languages_keep_their_endings() -> None:
    assert set(count_words("Die Häuser des Dorfes", "de")) == {"häuser", "dorfes"}


def test_contractions_are_stop_words_with_either_apostrophe() -> None:
    assert count_words("don't won’t they’ll I'm it's that’s", "en") == {}


def test_stop_words_are_read_with_their_places() -> None:
    assert words_with_offsets("Bank of England’s", "en") == [
        ("bank", 0, 4),
        ("of", 5, 7),
        ("england", 8, 17),
    ]


def test_numbers_are_no_words() -> None:
    assert count_words("1999 2nd x2 ½ m²", "") == {"nd": 1, "x": 1, "m": 1}


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr", "L’homme d'État, c'était", {"homme", "état"}),
        ("it", "dell'Unione", {"unione"}),
        ("tr", "İstanbul'da IŞIK", {"istanbul", "ışık"}),
        ("uk", "м'яч", {"м'яч"}),
        ("hi", "हिन्दी भाषा", {"हिन्दी", "भाषा"}),
        ("ar", "الكِتاب", {"الكِتاب"}),
        ("ko", "한국어 문장", {"한국어", "문장"}),
        ("ja", "東京都です", {"東京", "京都", "都で"}),
        ("zh", "中国 ok 京", {"中国", "ok", "京"}),
        ("en", "the 東京 office", {"東京", "office"}),
    ],
)
def test_scripts_have_their_own_words(language: str, text: str, words: set[str]) -> None:
    assert set(count_words(text, language)) == words


def test_thai_vowel_signs_stay_with_their_consonant() -> None:
    # Three clusters: consonant with a sign above, consonant, consonant with a sign below.
    assert [word.normal for word in words_with_offsets("ที่นมุ", "th")] == ["ที่น", "นมุ"]


def test_composed_and_decomposed_letters_are_one_word() -> None:
    assert count_words("e\u0301tude étude", "fr") == {"étude": 2}


def test_soft_hyphens_and_joiners_do_not_count() -> None:
    assert count_words("Wort\u00adschatz می\u200cروم", "") == {"wortschatz": 1, "میروم": 1}


@pytest.mark.parametrize("text", ["", " ", "🙂🙂", "'", "''’", "123", "\ud800", "\x00"])
def test_texts_without_words_have_none(text: str) -> None:
    assert count_words(text, "en") == {}
    assert words_with_offsets(text, "en") == []


def test_a_million_words_are_counted() -> None:
    assert count_words("report  " * 1_000_000, "en") == {"report": 1_000_000}


def test_norwegian_goes_by_all_its_codes() -> None:
    assert stop_words("no") == stop_words("nb") != frozenset()


def test_an_unknown_language_drops_nothing() -> None:
    assert count_words("the sky", "xx") == {"the": 1, "sky": 1}


@settings(deadline=None, database=None)
@given(CHARACTERS, st.sampled_from(LANGUAGES))
def test_folded_forms_are_the_words_counted(text: str, language: str) -> None:
    assert fold_forms(count_forms(text, language), language) == count_words(text, language)


@pytest.mark.parametrize("language", ["az", "de", "en", "tr"])
@pytest.mark.parametrize("text", ["A’’A", "Ankara'da'ki", "’Ankara’da", "Leo's's", "’’’"])
def test_endings_behind_several_apostrophes_are_all_cut_off(text: str, language: str) -> None:
    words = count_words(text, language)
    assert fold_forms(count_forms(text, language), language) == words
    assert not any(word.endswith("'s") for word in words)


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_no_word_goes_on_behind_an_apostrophe_and_a_soft_hyphen(apostrophe: str) -> None:
    for more in ("", " é", " Ж"):
        counts = count_words(f"O{apostrophe}\u00adReilly{more}", "en")
        assert counts == {"o": 1, "reilly": 1, **({more.strip().lower(): 1} if more else {})}


def test_forms_keep_the_plural_and_lose_stop_words_and_possessives() -> None:
    forms = count_forms("The company's companies and others", "en")
    assert forms == {"company": 1, "companies": 1}
