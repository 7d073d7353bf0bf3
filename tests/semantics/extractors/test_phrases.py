"""Key phrases."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.extractors.phrases import MAX_PHRASES, find_phrases


def counts(text: str, language: str = "en") -> dict[str, int]:
    return {phrase.text: phrase.count for phrase in find_phrases(text, language)}


def test_words_that_stand_together_twice_are_a_phrase() -> None:
    text = "The central bank waits. A central bank, or the banks: central bank reserves."
    assert counts(text) == {"central bank": 3}


def test_a_phrase_takes_all_its_words_but_no_part_of_its_own() -> None:
    text = "Interest rate policy here. Interest rate policy there. Interest rate policy now."
    assert counts(text) == {"interest rate policy": 3}


def test_a_part_that_also_stands_alone_is_a_phrase_too() -> None:
    text = "Interest rate policy, interest rate policy, interest rate."
    assert counts(text) == {"interest rate policy": 2, "interest rate": 3}


def test_stop_words_sentences_and_lines_part_phrases() -> None:
    assert (
        counts("Bank of rate, bank of rate. Bank. Rate! Bank. Rate!\nBank\nRate\nBank\nRate") == {}
    )


def test_places_are_those_of_the_words() -> None:
    text = "Central banks, a central bank."
    (phrase,) = find_phrases(text, "en")
    assert [text[start:end] for start, end in phrase.spans] == ["Central banks", "central bank"]


def test_only_the_best_are_kept_in_the_order_of_the_text() -> None:
    pairs = [f"{chr(97 + n)}orbl {chr(97 + n)}ilm" for n in range(20)]
    found = find_phrases(". ".join(pairs * 2), "en")
    assert len(found) == MAX_PHRASES
    firsts = [phrase.spans[0] for phrase in found]
    assert firsts == sorted(firsts)


def test_chinese_words_make_phrases() -> None:
    pytest.importorskip("jieba")
    assert "人工智能 技术" in counts("人工智能技术很好，人工智能技术发展。", "zh")


def test_pairs_of_characters_make_none() -> None:
    assert counts("東京都庁舎、東京都庁舎", "ja") == {}


@settings(deadline=None)  # the first text reads the word lists
@given(st.text(st.sampled_from("ab AB.-\n中的文")), st.sampled_from(["en", "", "ja", "th"]))
def test_every_phrase_is_repeated(text: str, language: str) -> None:
    for phrase in find_phrases(text, language):
        assert phrase.count == len(phrase.spans) >= 2


def test_a_megabyte_of_one_phrase_is_read() -> None:
    found = find_phrases("central bank " * 50_000, "en")
    assert Counter(phrase.count >= 2 for phrase in found)[False] == 0
