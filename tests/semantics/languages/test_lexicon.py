"""The words of a language by number."""

import pickle

import numpy as np

from es_simhash.semantics.languages import lexicon as lexicons
from es_simhash.semantics.languages.lexicon import NOTHING, Lexicon, NumberedWords, lexicon_of


def lengths(words: list[str]) -> np.ndarray:
    return np.array([len(word) for word in words])


def test_equal_words_have_one_number_and_no_word_the_first() -> None:
    lexicon = Lexicon("en")
    assert lexicon.numbers(["ferry", "", "strike", "ferry"]).tolist() == [1, NOTHING, 2, 1]
    assert lexicon.words == ["", "ferry", "strike"]


def test_what_follows_from_a_word_is_computed_once() -> None:
    lexicon, computed = Lexicon("en"), list[str]()

    def lengths(words: list[str]) -> np.ndarray:
        computed.extend(words)
        return np.array([len(word) for word in words])

    lexicon.numbers(["ferry"])
    assert lexicon.column("length", lengths).tolist() == [0, 5]
    lexicon.numbers(["crew", "ferry"])
    assert lexicon.column("length", lengths).tolist() == [0, 5, 4]
    assert computed == ["", "ferry", "crew"]


def test_a_full_lexicon_is_replaced_and_words_by_it_stay(monkeypatch) -> None:
    monkeypatch.setattr(lexicons, "_MAX_WORDS", 3)
    first = lexicon_of("xx")
    words = NumberedWords(first, first.numbers(["ferry", "crew", "dock"]), np.array([2, 1, 1]))
    assert lexicon_of("xx") is not first
    assert words == {"ferry": 2, "crew": 1, "dock": 1}


def test_words_by_number_are_a_mapping_in_their_order() -> None:
    lexicon = Lexicon("en")
    words = NumberedWords(lexicon, lexicon.numbers(["ferry", "crew"]), np.array([0.5, 0.25]))
    assert [*words] == [*words.keys()] == ["ferry", "crew"]
    assert [*words.items()] == [("ferry", 0.5), ("crew", 0.25)]
    assert (len(words), words["crew"], words.get("dock")) == (2, 0.25, None)
    assert {**words} == words == dict(words)
    copy = pickle.loads(pickle.dumps(words))
    assert [*copy.items()] == [*words.items()]
