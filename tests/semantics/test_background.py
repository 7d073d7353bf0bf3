"""The background of an index: what is common in it weighs less, and nothing weighs more."""

from dataclasses import replace

import pytest

from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.similarity import FULL_NAME, compare_profiles

COUNTED = LanguageBackground(
    1000,
    {"said": 999, "dlr": 500, "bank": 99, "ferry": 20},
    {"bbc news": 400, "new york": 15, "ferry": 1},
)
BACKGROUND = Background("2026-11-23T10:00:00Z", "scheme", {"en": COUNTED})
ONE = "The bank said net profit rose to 5 mln dlrs, and BBC News reported a ferry to New York."
OTHER = "A ferry to New York was paid by the bank, which said on BBC News it cost 9 mln dlrs."


def test_what_stands_in_every_document_weighs_next_to_nothing() -> None:
    weighed = BACKGROUND.weighed_concepts({"said": 1.0, "dlr": 1.0, "new": 1.0}, "en")
    assert weighed["said"] < 0.001
    assert weighed["dlr"] == pytest.approx(0.0226, abs=0.002)
    assert weighed["new"] == 1.0


def test_a_word_of_a_tenth_of_the_documents_has_a_quarter_of_its_weight_and_is_half_a_name() -> (
    None
):
    weighed = BACKGROUND.weighed_concepts({"bank": 0.5, "ferry": 0.5}, "en")
    # The factor of one half counts for both texts.
    assert weighed["bank"] == pytest.approx(0.5 * 0.25, abs=0.005)
    assert 0.5 * 0.7 < weighed["ferry"] < 0.5 * 0.75
    names = BACKGROUND.weighed_names({"bank": 4.0, "ferry": 4.0}, "en", FULL_NAME)
    assert names["bank"] == pytest.approx(2.0, abs=0.02)
    assert 3.3 < names["ferry"] < 4.0


def test_a_whole_name_weighs_by_how_many_documents_have_it() -> None:
    names = ("bbc news", "new york", "ely cathedral")
    weighed = BACKGROUND.weighed_names({FULL_NAME + name: 4.0 for name in names}, "en", FULL_NAME)
    # Four of ten documents have the first: it says nothing.
    assert weighed.keys() == {f"{FULL_NAME}new york", f"{FULL_NAME}ely cathedral"}
    assert 3.3 < weighed[f"{FULL_NAME}new york"] < weighed[f"{FULL_NAME}ely cathedral"] == 4.0


def test_more_documents_never_make_a_word_weigh_more() -> None:
    counts = {str(count): count for count in range(0, 1001, 7)}
    factors = LanguageBackground(1000, counts).word_factors
    values = [factors.get(str(count), 1.0) for count in counts.values()]
    assert values == sorted(values, reverse=True)
    assert all(0 <= value <= 1 for value in values)


def test_among_sentences_a_word_is_common_that_stands_in_more_of_them() -> None:
    sentences = replace(COUNTED, words_each=5.0)
    assert COUNTED.word_factors.keys() == {"said", "dlr", "bank", "ferry"}
    # A fifth of the words, a fifth of the logarithm: 0.01 ** 0.2 is two documents of five.
    assert sentences.word_factors.keys() == {"said", "dlr"}
    assert COUNTED.word_factors["dlr"] < sentences.word_factors["dlr"] < 1
    assert replace(COUNTED, words_each=60.0).word_factors == COUNTED.word_factors


def test_another_language_is_weighed_by_general_frequencies() -> None:
    assert BACKGROUND.weighed_concepts({"said": 1.0}, "de") == {"said": 1.0}
    assert BACKGROUND.weighed_names({"said": 1.0}, "de", FULL_NAME) == {"said": 1.0}


def test_a_pair_never_scores_more_by_its_concepts_and_says_what_weighed_it() -> None:
    one, other = profile_texts([ONE, OTHER])
    plain = compare_profiles(one, other)
    weighed = compare_profiles(replace(one, background=BACKGROUND), other)
    assert weighed.concepts < plain.concepts
    assert weighed.vector == plain.vector
    assert (plain.background, weighed.background) == (None, BACKGROUND.name)


def test_both_sides_have_one_score() -> None:
    one, other = profile_texts([ONE, OTHER])
    there = compare_profiles(replace(one, background=BACKGROUND), other)
    back = compare_profiles(replace(other, background=BACKGROUND), one)
    assert there.similarity == pytest.approx(back.similarity, abs=1e-6)


def test_a_name_in_every_document_leaves_its_share_to_the_concepts() -> None:
    one, other = profile_texts(["BBC News opened a harbour.", "The harbour of BBC News is open."])
    everywhere = LanguageBackground(300, {"bbc": 300, "new": 300, "news": 300}, {"bbc new": 300})
    known = replace(BACKGROUND, languages={"en": everywhere})
    plain = compare_profiles(one, other)
    weighed = compare_profiles(replace(one, background=known), other)
    assert (plain.entities, weighed.entities) == (pytest.approx(0.2), 0)
    assert weighed.similarity < plain.similarity - 0.25


def test_the_name_tells_day_and_counts() -> None:
    assert BACKGROUND.name.startswith("2026-11-23-")
    later = replace(BACKGROUND, languages={"en": replace(COUNTED, words={"said": 998})})
    assert later.name != BACKGROUND.name
    assert replace(BACKGROUND, scheme="another").name != BACKGROUND.name
    assert replace(BACKGROUND, date="2026-11-23T23:00:00Z").name == BACKGROUND.name
