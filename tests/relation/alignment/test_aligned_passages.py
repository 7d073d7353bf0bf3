"""Passages that were copied, edited, paraphrased or summarised are found where they are."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.relation.alignment.aligned_passages import clusters
from es_simhash.relation.relation import SharedPassage
from tests.support import datasets
from tests.support.subjects import (
    LANGUAGES,
    Texts,
    dropped,
    reworded,
    sentence_of,
    shared,
    shuffled,
    texts_of,
    words_of,
)

# Shares nothing with the other texts.
BREAD = [
    "Rye bread keeps for a week when it is baked with sourdough.",
    "Yeast was sold by brewers until factories produced it in cubes.",
    "Flour absorbs more water after a rainy August.",
    "Bakers in Lyon scored their loaves with a razor blade.",
    "An oven of brick stays hot long after the fire has gone out.",
    "Salt strengthens gluten and slows fermentation.",
    "Stale crusts thicken a soup of onions.",
    "Caraway and fennel are ground together with coriander.",
    "Whole kernels are soaked overnight before anybody kneads them.",
    "Steam gives rolls their shine.",
]


def assert_found(passages: Sequence[SharedPassage], query: str, ours: str, theirs: str) -> None:
    """Check that one passage was found, its four ends within a sentence of where it is."""
    [passage] = passages
    first = query.index(ours)
    longest = max(len(each) for each in query.replace("。", ". ").split(". "))
    assert abs(passage.query.start - first) <= longest
    assert abs(passage.query.end - (first + len(ours))) <= longest
    assert passage.hit.text.strip()
    assert abs(len(passage.hit.text) - len(theirs)) <= 2 * longest
    assert theirs[len(theirs) // 2 :][:10] in passage.hit.text


@pytest.fixture(params=LANGUAGES)
def texts(request: pytest.FixtureRequest) -> Texts:
    """The texts of each language."""
    return texts_of(request.param)


@pytest.mark.parametrize("change", [list, dropped, shuffled])
def test_a_passage_is_found_in_unrelated_text(
    texts: Texts, change: Callable[[Sequence[str]], list[str]]
) -> None:
    passage = change(texts.bees)
    query = texts.host(passage, texts.harbour, 5)
    hit = texts.host(texts.bees, texts.school, 3)
    ours, theirs = texts.join(passage), texts.join(texts.bees)
    assert (ours == theirs) == (change is list)
    assert_found(shared(query, hit), query, ours, theirs)
    assert_found(shared(hit, query), hit, theirs, ours)


def test_unrelated_texts_of_one_language_share_nothing(texts: Texts) -> None:
    subjects = [texts.join(each) for each in (texts.harbour, texts.school, texts.bees)]
    assert [shared(one, other) for one in subjects for other in subjects if one != other] == [
        ()
    ] * 6


def test_texts_of_different_languages_share_nothing() -> None:
    every = [texts_of(language) for language in LANGUAGES]
    bees = [texts.join(texts.bees) for texts in every]
    assert not any(shared(one, other) for one in bees for other in bees if one != other)


def test_a_passage_of_synonyms_is_found_and_called_paraphrased() -> None:
    texts = texts_of("en")
    passage = shuffled(reworded(texts.bees))
    query = texts.host(passage, texts.harbour, 5)
    passages = shared(query, texts.host(texts.bees, texts.school, 3))
    assert_found(passages, query, texts.join(passage), texts.join(texts.bees))
    assert passages[0].kind == "paraphrased"


def test_a_passage_of_synonyms_of_wordnet_is_found() -> None:
    try:
        lines = datasets.data_file("wordnet_en", "synonyms.txt").read_text("utf-8").splitlines()
    except InputError as error:
        pytest.skip(f"needs the evaluation data: {error}")
    senses: dict[str, list[list[str]]] = {}
    for line in lines[1:]:
        words = [word for word in line.split(", ") if word.isalpha()]
        for word in words:
            senses.setdefault(word, []).append([other for other in words if other != word])
    chosen = random.Random(9)

    def replaced(word: str) -> str:
        others = senses.get(word, [[]])[0]
        return chosen.choice(others) if others and chosen.random() < 0.5 else word

    texts = texts_of("en")
    passage = [
        sentence_of([replaced(word) for word in words_of(each)], each) for each in texts.bees
    ]
    changed = sum(word not in texts.join(texts.bees) for each in passage for word in words_of(each))
    assert changed > 10
    query = texts.host(passage, texts.harbour, 5)
    passages = shared(query, texts.host(texts.bees, texts.school, 3))
    assert_found(passages, query, texts.join(passage), texts.join(texts.bees))


def test_each_kind_is_named(texts: Texts) -> None:
    hit = texts.host(texts.bees, texts.school, 3)
    # Two words of each sentence are others.
    edited = []
    for each in texts.bees:
        words = words_of(each)
        words[len(words) // 3] = words_of(texts.harbour[0])[0]
        words[len(words) * 2 // 3] = words_of(texts.harbour[1])[0]
        edited.append(sentence_of(words, each))
    for kind, passage in (("verbatim", list(texts.bees)), ("edited", edited)):
        [found] = shared(texts.host(passage, texts.harbour, 5), hit)
        assert found.kind == kind
        assert (found.changed == 0) == (kind == "verbatim")
        assert (found.score == 1) == (kind == "verbatim")
    # No two words that follow each other are left together.
    backwards = [sentence_of(words_of(each)[::-1], each) for each in texts.bees]
    [found] = shared(texts.host(backwards, texts.harbour, 5), hit)
    assert found.kind == "paraphrased"
    assert 0 < found.score < 1


# What is the same in both is most of the text, and too few words to be rare.
REPORTS = {
    "de": "Bericht {}. Der Bericht der Stadtwerke für das Jahr {} zeigt einen Gewinn von {} "
    "Millionen Euro. Die Zahl der Kunden stieg um drei Prozent auf {}. Für das kommende Jahr plant "
    "das Unternehmen den Bau eines neuen Wasserwerks am Nordufer.",
    "ar": "تقرير {}. أعلنت هيئة المياه في تقرير سنة {} أن الأرباح بلغت {} مليون دينار. وارتفع عدد "
    "المشتركين إلى {} مشترك. وتخطط الهيئة لبناء محطة مياه جديدة على الضفة الشمالية للنهر خلال "
    "العام المقبل.",
    "hi": "रिपोर्ट {}। जल निगम की {} की रिपोर्ट में {} करोड़ रुपये का लाभ दिखाया गया है। ग्राहकों की संख्या "
    "बढ़कर {} हो गई। अगले साल निगम उत्तरी तट पर एक नया जल संयंत्र बनाने की योजना बना रहा है।",
}


@pytest.mark.parametrize("language", REPORTS)
def test_short_texts_of_which_only_the_numbers_differ_share_a_passage(language: str) -> None:
    query, hit = (
        REPORTS[language].format(*numbers)
        for numbers in ((2023, 2023, 12, 84000), (2024, 2024, 14, 87000))
    )
    [passage] = shared(query, hit)
    assert passage.kind == "edited"
    assert len(passage.query.text) > 0.9 * len(query)
    assert len(passage.hit.text) > 0.9 * len(hit)


def test_what_was_copied_is_shown_to_the_letter(texts: Texts) -> None:
    query = texts.host(texts.bees, texts.harbour, 5)
    hit = texts.host(texts.bees, texts.school, 3)
    [passage] = shared(query, hit)
    copied = texts.join(texts.bees).rstrip(".。।")
    assert passage.query.text == passage.hit.text == copied
    assert (passage.query.start, passage.hit.start) == (query.index(copied), hit.index(copied))


def test_a_summary_is_found_from_both_sides() -> None:
    texts = texts_of("en")
    # Every fifth sentence, from all over the text.
    long = [*texts.harbour, *texts.school, *texts.bees]
    summary = reworded(dropped(long[::5]))
    query, hit = texts.host(summary, BREAD, 5), texts.join(long)
    for passages in (shared(query, hit), shared(hit, query)):
        [passage] = passages
        assert passage.kind == "paraphrased"
        spans = sorted((passage.query.text, passage.hit.text), key=len)
        assert texts.join(summary[1:-1]) in spans[0]
        assert len(spans[0]) < len(texts.join(summary)) + 2 * max(map(len, BREAD))
        # All that was summarised, not only one of the places.
        assert len(spans[1]) > len(hit) / 2


def test_passages_that_are_far_apart_stay_two(texts: Texts) -> None:
    other = texts.school[:5]
    query = texts.join(texts.bees, texts.harbour, other)
    hit = texts.join(texts.bees, BREAD, other)
    first, second = shared(query, hit)
    assert first.query.text in texts.join(texts.bees)
    assert second.query.text in texts.join(other)
    assert len(first.query.text) > len(texts.join(texts.bees)) / 2
    assert len(second.query.text) > len(texts.join(other)) / 2


@pytest.mark.parametrize("change", [list, dropped])
def test_a_passage_with_an_inserted_sentence_stays_one(
    texts: Texts, change: Callable[[Sequence[str]], list[str]]
) -> None:
    passage = change([*texts.bees[:3], texts.harbour[0], *texts.bees[3:]])
    query = texts.host(passage, BREAD, 5)
    hit = texts.host(texts.bees, texts.school, 3)
    assert_found(shared(query, hit), query, texts.join(passage), texts.join(texts.bees))


def test_a_stretch_that_is_quoted_twice_is_found_twice(texts: Texts) -> None:
    query = texts.join(texts.bees, texts.harbour, texts.bees)
    hit = texts.host(texts.bees, texts.school, 3)
    for one, other in ((query, hit), (hit, query)):
        first, second = shared(one, other)
        assert first.query.text == second.query.text == first.hit.text == second.hit.text
        assert (first.query.start, first.hit.start) != (second.query.start, second.hit.start)
        assert first.query.text in texts.join(texts.bees)


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=40),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_few_seeds_are_divided_at_the_same_gaps_as_many(
    pairs: list[tuple[int, int]], query_gap: int, hit_gap: int
) -> None:
    query, hit = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    few = clusters(query, hit, query_gap, hit_gap)
    # A hundred seeds far behind these, all in one place, are a group of their own.
    far = np.full(100, 1_000)
    *groups, others = clusters(
        np.concatenate([query, far]), np.concatenate([hit, far]), query_gap, hit_gap
    )
    assert [group.tolist() for group in few] == [group.tolist() for group in groups]
    assert others.tolist() == list(range(len(pairs), len(pairs) + 100))
