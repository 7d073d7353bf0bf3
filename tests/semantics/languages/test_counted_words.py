"""Words of a batch, compared with those of each text by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.languages import lexicon
from es_simhash.semantics.languages.counted_words import (
    content_words,
    count_texts,
    numbered_texts,
    stable_order,
)
from es_simhash.semantics.languages.letter_runs import LetterRuns
from es_simhash.semantics.languages.lexicon import Lexicon
from es_simhash.semantics.languages.words import count_forms, count_words, fold_forms

WORDS = ["The", "ferries", "ferry", "CREWS’", "d'Estaing", "n't", "Ankara'da", "éte\u0301", "x"]
WORDS += ["O'\u00adReilly", "doesn’\u00adt", "Be\u00adhörde", "é'\u00ad\u00ad'", "\u00ad'a"]
TEXTS = [
    "The crews' ferries wait; a ferry waits.",
    "L'homme de l'État, l’homme.",
    "İstanbul'da ISPARTA'nın",
    "東京 and ferries",
    "हिन्दी की किताबें",
    "كِتَابٌ جديد",
    "",
]


def items(counts: object) -> list[tuple[str, int]]:
    return list(counts.items())  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["en", "fr", "tr", "de", "ja", "hi", "ar", ""])
def test_words_of_a_batch_are_those_of_each_text_in_their_order(language: str) -> None:
    counted = count_texts(TEXTS, [language] * len(TEXTS), LetterRuns.of(TEXTS))
    for text, words in zip(TEXTS, counted, strict=True):
        forms = count_forms(text, language)
        assert items(words.forms) == items(forms)
        assert items(words.normals) == items(fold_forms(forms, language))


@settings(deadline=None)  # the first text reads the word lists
@given(st.lists(st.lists(st.sampled_from(WORDS) | st.text(max_size=4)).map(" ".join), max_size=5))
def test_words_of_any_batch_are_those_of_each_text(texts: list[str]) -> None:
    languages = [("en", "de", "fr")[number % 3] for number in range(len(texts))]
    counted = count_texts(texts, languages, LetterRuns.of(texts))
    for text, language, words in zip(texts, languages, counted, strict=True):
        assert items(words.normals) == items(count_words(text, language))


def test_of_a_text_without_a_language_no_words_are_counted() -> None:
    first, second = count_texts(["ferry", "ferry"], [None, "en"], LetterRuns.of(["ferry"] * 2))
    assert (items(first.normals), items(second.normals)) == ([], [("ferry", 1)])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_content_words_are_counted_by_the_number_of_their_text(language: str) -> None:
    words = Lexicon(language)
    found = content_words(TEXTS, words)
    expected = [
        (number, word, count)
        for number, text in enumerate(TEXTS)
        for word, count in count_words(text, language).items()
    ]
    spelled = [words.words[number] for number in found.numbers.tolist()]
    triples = zip(found.texts.tolist(), spelled, found.counts.tolist(), strict=True)
    assert [*triples] == expected


def test_words_that_were_counted_elsewhere_are_numbered() -> None:
    words = Lexicon("en")
    found = numbered_texts([{"ferry": 2}, {}, {"crew": 1, "ferry": 3}], words)
    assert found.texts.tolist() == [0, 2, 2]
    assert found.counts.tolist() == [2, 1, 3]
    assert [words.words[number] for number in found.numbers.tolist()] == ["ferry", "crew", "ferry"]


def test_a_lexicon_that_is_replaced_in_between_changes_no_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lexicon, "_MAX_WORDS", 1)
    texts = [f"word{number} ferries ferry" for number in range(20)]
    for batch in (texts[:10], texts[10:]):
        counted = count_texts(batch, ["en"] * 10, LetterRuns.of(batch))
        assert [items(words.normals) for words in counted] == [
            items(count_words(text, "en")) for text in batch
        ]


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**62)))
def test_an_order_is_stable_however_great_the_numbers(keys: list[int]) -> None:
    numbers = np.array(keys, np.int64)
    assert stable_order(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()
