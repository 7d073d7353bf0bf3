"""Runs of letters of a batch, compared with the expressions that read one text."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.languages.letter_runs import LetterRuns
from es_simhash.semantics.languages.words import count_written, words_with_offsets

LETTERS = "aZéÉжЖßǅªµ²½Ⅳ①٣7_ '’-.\n\t\u00ad\u0301\u064b\u093f\u200b\u200d\u2028\x00€\U0001d400"
TEXTS = st.lists(st.text(st.sampled_from(LETTERS)) | st.text(), max_size=5)
# No text of theirs is read by itself.
EVEN_TEXTS = st.lists(st.text(st.sampled_from(LETTERS)), max_size=5)


def written(runs: LetterRuns, *, eliding: bool = False) -> list[list[str]]:
    count = len(runs.bounds) - 1
    words = runs.words(eliding=np.full(count, eliding))
    spellings = [*map(runs.spelling, words.starts.tolist(), words.ends.tolist())]
    bounds = words.bounds.tolist()
    return [spellings[start:end] for start, end in pairwise(bounds)]


@settings(deadline=None)  # the first text reads the tables
@given(EVEN_TEXTS)
def test_words_are_those_that_the_expressions_find(texts: list[str]) -> None:
    for language in ("en", "fr"):
        expected = [
            [text[word.start : word.end].lower().replace("’", "'") for word in of_text]
            for text in texts
            for of_text in [words_with_offsets(text, language)]
        ]
        assert written(LetterRuns.of(texts), eliding=language == "fr") == expected


@settings(deadline=None)
@given(TEXTS)
def test_what_is_before_and_behind_a_text_changes_nothing(texts: list[str]) -> None:
    together = LetterRuns.of(texts)
    singly = [LetterRuns.of([text]) for text in texts]
    assert written(together) == [words for runs in singly for words in written(runs)]
    assert together.is_spaced.tolist() == [bool(runs.is_spaced[0]) for runs in singly]


def test_texts_are_read_by_themselves_where_letters_depend_on_others() -> None:
    runs = LetterRuns.of(["plain", "ΟΔΟΣ", "İstanbul", "東京", "Straße"])
    assert runs.is_even.tolist() == [True, False, False, True, True]
    assert runs.is_spaced.tolist() == [True, False, False, False, True]


def test_an_apostrophe_joins_letters_but_where_short_words_are_elided() -> None:
    text = "L'homme d’''eau 'n"
    assert written(LetterRuns.of([text])) == [["l'homme", "d'''eau", "n"]]
    assert written(LetterRuns.of([text]), eliding=True) == [["l", "homme", "d", "eau", "n"]]
    assert set(count_written(text, "en")) == {"L'homme", "d’''eau", "n"}


def test_equal_words_have_equal_numbers_in_whatever_case() -> None:
    runs = LetterRuns.of(["Ferry FERRY ferry", "Fern"])
    words = runs.words(eliding=np.zeros(2, bool))
    first, *others, other = runs.word_numbers(words).tolist()
    assert others == [first, first] != [other, other]


def test_telling_words_end_with_the_sample() -> None:
    runs = LetterRuns.of(["don't stop", "über"])
    telling = runs.telling(7)
    spellings = map(runs.spelling, telling.starts.tolist(), telling.ends.tolist())
    assert [*spellings] == ["don", "t", "s", "über"]
    assert telling.bounds.tolist() == [0, 3, 4]
