"""The extractor that needs no model."""

import pytest

from es_simhash.semantics.extraction import Extraction, Extractor
from es_simhash.semantics.extractors.builtin import BuiltinExtractor
from es_simhash.semantics.languages.words import count_words

ENGLISH = "Gordon Brown met the central bank in London. The central bank waited for Mr Brown."


def read(text: str, language: str = "", **options: bool) -> Extraction:
    (extraction,) = BuiltinExtractor(language, **options).extract([text])
    return extraction


def test_it_gives_language_words_and_entities() -> None:
    extraction = read(ENGLISH)
    assert extraction.language == "en"
    assert extraction.words == count_words(ENGLISH, "en")
    assert [entity.text for entity in extraction.entities] == ["Gordon Brown", "London", "Brown"]


def test_phrases_are_found_when_requested() -> None:
    assert read(ENGLISH).phrases == ()
    assert [phrase.text for phrase in read(ENGLISH, phrases=True).phrases] == ["central bank"]


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
    extraction = read(text, phrases=True)
    assert all(count > 0 for count in extraction.words.values())


def test_a_million_words_are_read() -> None:
    counts = {"river": 500_000, "bank": 500_000}
    assert read("river Bank " * 500_000).words == counts


def test_a_headline_without_stop_words_is_english_when_its_words_are() -> None:
    read = BuiltinExtractor().extract(["Interest rates rise", "Zinsen steigen", "harbour"])
    assert [each.language for each in read] == ["en", "", "en"]
