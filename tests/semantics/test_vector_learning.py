"""Learning word vectors: what they are near to, in which languages, and from what none come."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from es_simhash.semantics.extractors.builtin import BuiltinExtractor
from es_simhash.semantics.learned_vectors import OWN_DIMENSIONS, LearnedVectors
from es_simhash.semantics.semantic_scheme import INDEX_DIMENSIONS
from es_simhash.semantics.vector_learning import MAX_WORDS, VectorSample
from tests.support.company_news import notices

DAY = "2026-11-23T10:00:00Z"
EXTRACTOR = BuiltinExtractor(packages=frozenset())
FORM = "Der {} wurde in der Zeitung genannt, und {} mit {} und {} sind nicht zu sehen gewesen."
_LETTERS = "abdegiklmnoprstuw"


def subject_words(subject: str, count: int = 80) -> list[str]:
    """Return the made-up words of a subject, which begin with its name."""
    drawn = random.Random(subject)
    return [subject + "".join(drawn.choices(_LETTERS, k=5)) for _ in range(count)]


def sentence(words: Sequence[str]) -> str:
    """Return a German sentence with four words."""
    return FORM.format(*words)


def german(count: int = 240) -> list[str]:
    """Return texts of two sentences on three subjects, each with eight of its eighty words."""
    texts = []
    for number in range(count):
        words = random.Random(number).sample(subject_words(SUBJECTS[number % 3]), 8)
        texts.append(f"{sentence(words[:4])} {sentence(words[4:])}")
    return texts


SUBJECTS = ["hafen", "suppe", "lehrer"]


def learned(texts: Sequence[str]) -> LearnedVectors | None:
    sample = VectorSample()
    sample.add(EXTRACTOR.extract(texts))
    return sample.learned(DAY, "scheme")


def vectors(table: LearnedVectors | None, texts: Sequence[str]) -> list[np.ndarray | None]:
    assert table is not None
    vectors, _ = table.vectors(EXTRACTOR.extract(texts))
    return vectors


def cosine(table: LearnedVectors | None, one: str, other: str) -> float:
    first, second = vectors(table, [one, other])
    assert first is not None
    assert second is not None
    return float(first @ second)


def test_texts_without_a_word_in_common_are_near_if_they_are_on_one_subject() -> None:
    table = learned(german())
    assert table is not None
    known = set(table.languages["de"].words)
    harbour, soup = (
        [word for word in subject_words(subject) if word in known] for subject in SUBJECTS[:2]
    )
    one, same, other = sentence(harbour[:4]), sentence(harbour[4:8]), sentence(soup[:4])
    assert cosine(table, one, same) > cosine(table, one, other) + 0.2
    assert abs(cosine(table, one, other)) < 0.1


def test_vectors_have_length_one_and_the_dimensions_of_the_scheme() -> None:
    texts = list(notices().values())
    table = learned(texts)
    for vector in vectors(table, texts[:20]):
        assert vector is not None
        assert vector.shape == (INDEX_DIMENSIONS,)
        assert float(vector @ vector) == pytest.approx(1, abs=1e-5)


def test_the_order_of_the_texts_does_not_matter() -> None:
    texts = german()
    table, turned = learned(texts), learned(texts[::-1])
    assert table is not None
    for other in texts[1:5]:
        cosines = [cosine(each, texts[0], other) for each in (table, turned)]
        assert cosines[0] == pytest.approx(cosines[1], abs=0.02)
    fewer = learned(texts[1:])
    assert fewer is not None
    assert fewer.name != table.name


def test_each_language_has_its_own_and_a_stranger_none() -> None:
    table = learned([*german(), *notices().values()])
    assert table is not None
    assert {code: each.documents for code, each in table.languages.items()} == {
        "de": 240,
        "en": 300,
    }
    assert table.documents == 540
    assert table.languages["de"].reduction is None
    french = "Le port ouvre à six heures du matin, et le bateau est déjà parti avec les autres."
    assert vectors(table, [french]) == [None]


def test_an_english_word_that_the_table_lacks_is_known_by_the_shipped_vectors() -> None:
    table = learned(list(notices().values()))
    assert table is not None
    words = set(table.languages["en"].words)
    one, other, third = (
        "The trombone and the cello",
        "The violin and the oboe",
        "The tax and the law",
    )
    for text in (one, other, third):
        assert not words.intersection(EXTRACTOR.extract([text])[0].words)
    assert cosine(table, one, other) > cosine(table, one, third) + 0.2


@pytest.mark.parametrize(
    "texts",
    [
        [],
        german(199),
        ["Der Hafen wurde geöffnet, und der Dampfer ist nicht mehr da."] * 300,
        [f"{number} {number * 7}" for number in range(300)],
        [
            f"Der {chr(97 + number % 26) * (number + 2)} ist nicht da und wird."
            for number in range(300)
        ],
    ],
    ids=["nothing", "few texts", "copies", "numbers", "no word twice"],
)
def test_where_nothing_is_to_be_learned_there_is_no_table(texts: Sequence[str]) -> None:
    assert learned(texts) is None


def test_fewer_directions_than_dimensions_are_enough() -> None:
    words = [f"wort{letter}" for letter in _LETTERS]
    texts = [
        sentence(random.Random(number).sample(words, 4)) + f" Z{'x' * number}y."
        for number in range(240)
    ]
    table = learned(texts)
    assert table is not None
    german = table.languages["de"]
    assert set(german.words) == set(words)
    assert german.codes.shape == (len(words), OWN_DIMENSIONS)
    assert np.isfinite(german.weights).all()
    assert not german.codes[:, len(words) :].any()


def test_a_table_has_the_most_frequent_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_WORDS == 50_000
    monkeypatch.setattr("es_simhash.semantics.vector_learning.MAX_WORDS", 7)
    table = learned(german())
    assert table is not None
    assert table.words == 7
