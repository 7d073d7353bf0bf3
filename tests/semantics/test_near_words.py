"""Words behind the similarity of two vectors: which, how they are written, and what they add."""

import pytest

from es_simhash.semantics.near_words import MAX_NEAR_WORDS, near_words
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.semantics.semantic_similarity import NearWords, SharedConcept
from es_simhash.semantics.spellings import Spellings

DOCKS = "Dockers went back to the Quays on Monday. Ships at the quays waited for 5 bn of cargo."
PORT = "Freighters unload containers again. Freighters had lain at anchor near the port."


def test_words_add_up_to_the_product_of_two_vectors_by_the_shipped_table() -> None:
    profiler = semantic_profiler(DEFAULT_SEMANTICS)
    one, other = profiler.profile([DOCKS, PORT])
    assert one.vector is not None
    assert other.vector is not None
    product = pytest.approx(float(one.vector @ other.vector), abs=1e-5)
    assert sum(profiler.word_parts(one, other.vector).values()) == product
    assert sum(profiler.word_parts(other, one.vector).values()) == product


def test_they_are_written_as_in_their_text_and_add_up_to_the_part_of_the_vectors() -> None:
    parts = [{"quays": 0.3, "ships": 0.2, "monday": 0.1}, {"freighters": 0.5, "port": 0.1}]
    near = near_words(parts, 0.12, (), Spellings((DOCKS, PORT), "en", ()))
    # Quays and quays are written as often; without capitals is how it is written within a sentence.
    assert [(word.text, word.contribution) for word in near.of_query] == [
        ("quays", 0.06), ("Ships", 0.04), ("Monday", 0.02),
    ]  # fmt: skip
    assert [(word.text, word.contribution) for word in near.of_hit] == [
        ("Freighters", 0.1), ("port", 0.02),
    ]  # fmt: skip


def test_what_is_shared_units_and_what_speaks_against_are_not_named() -> None:
    parts = [{"quays": 0.3, "bn": 0.4, "ships": 0.2, "cargo": -0.1}, {"port": 0.8}]
    shared = [SharedConcept("Quay", 0.1), SharedConcept("the old port", 0.1, is_entity=True)]
    near = near_words(parts, 0.3, shared, Spellings((DOCKS, PORT), "en", ()))
    assert [word.text for word in near.of_query] == ["Ships"]
    assert near.of_hit == ()


def test_equal_parts_come_by_the_alphabet_and_no_more_than_a_reader_reads() -> None:
    words = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu"]
    text = " ".join(reversed(words))
    parts = dict.fromkeys(reversed(words), 0.1)
    near = near_words([parts, parts], 0.2, (), Spellings((text, text), "en", ()))
    assert [word.text for word in near.of_query] == words[:MAX_NEAR_WORDS]
    assert near.of_hit == near.of_query


def test_pairs_of_characters_are_joined_where_they_overlap() -> None:
    text = "東京都知事が会見した。"
    parts = {"東京": 0.2, "京都": 0.1, "都知": 0.1, "知事": 0.1, "会見": 0.3, "見し": -0.2}
    near = near_words([parts, parts], 0.3, (), Spellings((text, text), "ja", ()))
    assert [word.text for word in near.of_query] == ["東京都知事", "会見"]
    shared = [SharedConcept("東京都", 0.1, is_entity=True)]
    near = near_words([parts, parts], 0.3, shared, Spellings((text, text), "ja", ()))
    assert [word.text for word in near.of_query] == ["会見", "都知事"]


@pytest.mark.parametrize(
    ("parts", "vector"),
    [
        ([{}, {}], 0.3),
        ([{"quays": 0.1}, {}], 0.3),
        ([{}, {"port": 0.1}], 0.3),
        ([{"quays": 0.1}, {"port": 0.1}], 0.0),
        ([{"quays": -0.1}, {"port": -0.1}], 0.3),
    ],
)
def test_nothing_is_near_without_words_or_without_a_part(
    parts: list[dict[str, float]], vector: float
) -> None:
    assert near_words(parts, vector, (), Spellings((DOCKS, PORT), "en", ())) == NearWords()
