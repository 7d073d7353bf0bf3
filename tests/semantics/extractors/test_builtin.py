"""The extractor that needs no model."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.extractors.builtin import (
    MAX_PHRASES,
    BuiltinExtractor,
    find_phrases,
    text_language,
)
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.semantic_profile import Extraction, Extractor

ENGLISH = "Gordon Brown met the central bank in London. The central bank waited for Mr Brown."


def read(text: str, language: str = "") -> Extraction:
    (extraction,) = BuiltinExtractor(language).extract([text])
    return extraction


def test_it_gives_language_words_and_entities() -> None:
    extraction = read(ENGLISH)
    assert extraction.language == "en"
    assert extraction.words == count_words(ENGLISH, "en")
    assert [entity.text for entity in extraction.entities] == ["Gordon Brown", "London", "Brown"]


def test_phrases_are_found_by_themselves() -> None:
    assert read(ENGLISH).phrases == ()
    assert [phrase.text for phrase in find_phrases(ENGLISH, "en")] == ["central bank"]


def test_a_given_language_is_not_guessed() -> None:
    assert read(ENGLISH, "de").language == "de"


def test_a_batch_gives_one_extraction_for_each_text_in_order() -> None:
    texts = ["", "London calling", "", ENGLISH]
    extractor: Extractor = BuiltinExtractor()
    assert extractor.extract(texts) == [read(text) for text in texts]
    assert extractor.extract([]) == []


def test_chinese_goes_through_jieba_and_keeps_latin_names() -> None:
    pytest.importorskip("jieba")
    extraction = read("北京大学昨天说，NATO不在上海。")
    assert extraction.language == "zh"
    assert "北京大学" in extraction.words
    assert [entity.text for entity in extraction.entities] == ["北京大学", "NATO", "上海"]


def test_without_jieba_chinese_words_are_pairs_and_the_name_says_so() -> None:
    extractor = BuiltinExtractor("zh", packages=frozenset())
    (extraction,) = extractor.extract(["北京大学"])
    assert set(extraction.words) == {"北京", "京大", "大学"}
    assert "jieba" not in extractor.name


def test_the_name_tells_the_packages_its_output_depends_on() -> None:
    names = {
        BuiltinExtractor(packages=packages).name
        for packages in (frozenset(), frozenset({"jieba"}), frozenset({"jieba", "wordfreq"}))
    }
    assert len(names) == 3


def test_packages_that_are_not_named_change_nothing() -> None:
    pytest.importorskip("wordfreq")
    text = "Dünkirchen. Mangé hier. Bonjour."
    without = BuiltinExtractor("fr", packages=frozenset()).extract([text])
    with_list = BuiltinExtractor("fr", packages=frozenset({"wordfreq"})).extract([text])
    assert without[0].entities == ()
    assert [entity.text for entity in with_list[0].entities] == ["Dünkirchen"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "London", "🙂", "\x00", "مرحبا بالعالم", "こんにちは世界", "สวัสดี", "नमस्ते", "1 2 3"],
)
def test_texts_of_every_kind_are_read(text: str) -> None:
    extraction = read(text)
    assert len(find_phrases(text, extraction.language)) <= MAX_PHRASES
    assert all(count > 0 for count in extraction.words.values())


def test_hundreds_of_thousands_of_words_are_read() -> None:
    counts = {"river": 120_000, "bank": 120_000}
    assert read("river Bank " * 120_000).words == counts


def test_a_headline_without_stop_words_is_english_when_its_words_are() -> None:
    read = BuiltinExtractor().extract(["Interest rates rise", "Zinsen steigen", "harbour"])
    assert [each.language for each in read] == ["en", "", "en"]


# Each has stop words of another language: at, net and etc, per, mar.
ENGLISH_LINES = [
    "June 06, 2013\nEsther Williams, swimming star, dies at 91",
    "MAIL BOXES ETC <MAIL> 3RD QTR NET\n\nShr 23 cts vs 18 cts\nNet 509,144 vs 277,834\nSales rose",
    "DIVIDEND MEETINGS - APRIL 7\n Milton Roy\n Ohio Mattress Co\n Staley Continental",
    "Harbour crane collapses at Port Ellery, net losses feared",
    "Ferry costs per head rise, mar summer season",
]
FOREIGN_LINES = [
    ("Ein Mann hebt schnell kleine Gewichte.", "de"),
    ("Una persona joven con pensamientos profundos.", "es"),
    ("Une petite fille colporte un scooter.", "fr"),
    ("Il governo approva la riforma", "it"),
    ("De minister stelt het net uit", "nl"),
]


@pytest.mark.parametrize("text", ENGLISH_LINES)
def test_a_line_with_a_stop_word_of_another_language_is_english_by_its_other_words(
    text: str,
) -> None:
    assert read(text).language == "en"
    assert text_language(text) == "en"


@pytest.mark.parametrize(("text", "language"), FOREIGN_LINES)
def test_lines_of_other_languages_stay_what_their_stop_words_say(text: str, language: str) -> None:
    assert read(text).language == language


def test_headlines_of_an_agency_are_english(data_dir: Path) -> None:
    lines = (data_dir / "wire_news" / "docs.jsonl").read_text("utf-8").split("\n")
    titles = [json.loads(line).get("title", "") for line in lines[:3000] if line]
    titles = [title for title in titles if len(title.split()) >= 4]
    languages = [each.language for each in BuiltinExtractor().extract(titles)]
    assert len(titles) > 1000
    assert languages.count("en") >= 0.8 * len(titles)


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


@pytest.mark.long
def test_a_megabyte_of_one_phrase_is_read() -> None:
    found = find_phrases("central bank " * 50_000, "en")
    assert Counter(phrase.count >= 2 for phrase in found)[False] == 0
