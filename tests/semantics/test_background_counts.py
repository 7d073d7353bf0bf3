"""Counting a background: languages apart, few texts none, and drift."""

from es_simhash.semantics.background import MIN_DOCUMENTS
from es_simhash.semantics.background_counts import BackgroundCounts, drift
from es_simhash.semantics.profiler import profile_texts
from tests.support.company_news import notices, other_news

DAY = "2026-11-23T10:00:00Z"
GERMAN = "Der Hafen öffnet um sechs Uhr, und der Dampfer Nummer {} fährt nach Bremen ab, sagte er."


def counted(*texts: str) -> BackgroundCounts:
    counts = BackgroundCounts()
    counts.add(profile_texts(texts))
    return counts


def test_words_of_the_form_weigh_little_and_those_of_subjects_all() -> None:
    background = counted(*notices().values()).background(DAY, "scheme")
    assert background is not None
    factors = background.languages["en"].word_factors
    assert max(factors[word] for word in ("said", "profit", "mln", "dlr", "reuter")) < 0.05
    assert background.languages["en"].name_factors["merrill lynch"] < 0.05
    # Those of the ten notices on a subject, of 300, keep more than half of it.
    assert sum(factor < 0.5 for factor in factors.values()) < 40


def test_each_language_is_counted_by_its_own_documents() -> None:
    german = [GERMAN.format(number) for number in range(MIN_DOCUMENTS)]
    background = counted(*notices(600).values(), *german).background(DAY, "scheme")
    assert background is not None
    languages = background.languages
    assert {code: each.documents for code, each in languages.items()} == {"de": 200, "en": 600}
    # A fourth of all texts, and all German ones.
    assert languages["de"].word_factors["hafen"] < 0.05


def test_a_language_of_few_texts_has_none() -> None:
    few = [GERMAN.format(number) for number in range(MIN_DOCUMENTS - 1)]
    counts = counted(*notices().values(), *few)
    background = counts.background(DAY, "scheme")
    assert background is not None
    assert [*background.languages] == ["en"]
    assert counts.documents["de"] == MIN_DOCUMENTS - 1
    assert counted(*few).background(DAY, "scheme") is None
    assert counted().background(DAY, "scheme") is None


def test_texts_of_numbers_alone_are_not_counted() -> None:
    assert not counted(*(f"{number} {number + 1}, 17" for number in range(500))).documents


def test_samples_of_one_collection_do_not_drift_and_another_collection_does() -> None:
    texts = [*notices(800).values()]
    one = counted(*texts[::2]).background(DAY, "scheme")
    other = counted(*texts[1::2]).background(DAY, "scheme")
    weather = counted(*other_news().values()).background(DAY, "scheme")
    assert one is not None
    assert other is not None
    assert weather is not None
    assert drift(one, one) == 0
    assert 0 <= drift(one, other) < 0.1
    assert drift(one, weather) > 0.3
