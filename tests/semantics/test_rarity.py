"""How rare words are."""

import gzip
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.semantics import rarity as rarities
from es_simhash.semantics.rarity import UNKNOWN_RARITY, frequency_source, rarity
from es_simhash.text.memo import Memo

# Halves of characters, too.
WORDS = st.text(st.characters(), max_size=4)
ORDERED = {
    "en": ["the", "house", "parliament", "trigonometry"],
    "de": ["und", "haus", "parlament", "kompressor"],
    "es": ["de", "casa", "parlamento", "polar"],
}


@pytest.mark.parametrize("language", ORDERED)
def test_rarer_words_are_rarer(language: str) -> None:
    values = rarity(ORDERED[language], language)
    assert np.all(np.diff(values) > 0)
    assert np.all((values >= 0) & (values < UNKNOWN_RARITY))


def test_unknown_words_are_as_rare_as_can_be() -> None:
    assert rarity(["zxqvbrrgl", ""], "en").tolist() == [UNKNOWN_RARITY, UNKNOWN_RARITY]


def test_no_words_have_no_rarity() -> None:
    assert rarity([], "en").shape == (0,)


def test_a_plural_is_as_rare_as_its_normal_form() -> None:
    assert rarity(["officials"], "en") == rarity(["official"], "en") < UNKNOWN_RARITY


@pytest.mark.parametrize("language", ["", "xx", "eo-x", "../en"])
def test_words_of_a_language_without_frequencies_are_equally_rare(language: str) -> None:
    assert frequency_source(language) == "none"
    assert rarity(["la", "domo"], language).tolist() == [UNKNOWN_RARITY, UNKNOWN_RARITY]


def test_without_packages_only_shipped_languages_have_frequencies() -> None:
    none = frozenset[str]()
    sources = {each: frequency_source(each, none) for each in ("en", "de", "es", "fr", "zh", "nb")}
    assert {each for each, source in sources.items() if source == "es-simhash"} == {
        "en",
        "de",
        "es",
    }
    assert sources["fr"] == sources["zh"] == sources["nb"] == "none"


def test_other_languages_come_from_wordfreq() -> None:
    pytest.importorskip("wordfreq")
    assert frequency_source("fr") == "wordfreq"
    common, rare = rarity(["maison", "échevin"], "fr")
    assert common < rare < UNKNOWN_RARITY


def test_a_list_is_read_once_and_without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    unpacked: list[bytes] = []
    decompress = gzip.decompress

    def counted(content: bytes) -> bytes:
        unpacked.append(content)
        return decompress(content)

    monkeypatch.setattr(gzip, "decompress", counted)
    # Other tests have read the list already.
    rarities._of_source.cache_clear()
    rarities._rarities.cache_clear()
    # Indices that were installed with other packages, asked at the same time.
    packages = [frozenset({f"read-once-{number}"}) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: rarity(["house"], "en", each)[0], packages))
    assert {*found} == {found[0]}
    assert found[0] < UNKNOWN_RARITY
    assert len(unpacked) == 1


def looked_up(listed: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> Memo[str, float]:
    """Return the rarities of a language that has this list."""
    monkeypatch.setattr(rarities, "_listed", lambda source, language: listed)
    found: Memo[str, float] = rarities._of_source.__wrapped__("es-simhash", "en")
    return found


@pytest.mark.parametrize("first", ["", "form", "normal"])
def test_what_was_looked_up_before_changes_no_rarity(
    first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    normals = {"form": "normal", "normal": "listed"}
    monkeypatch.setattr(rarities, "normal_form", lambda word, language: normals.get(word, word))
    known = looked_up({"listed": 1.0}, monkeypatch)
    assert known[first or "listed"] in (1.0, UNKNOWN_RARITY)
    # Only the form itself is reduced, not what it was reduced to.
    assert known["form"] == UNKNOWN_RARITY
    assert known["normal"] == 1.0


def test_no_more_words_are_kept_than_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rarities, "_MAX_WORDS_CACHED", 3)
    known = looked_up({"harbour": 1.0, "crane": 2.0}, monkeypatch)
    for number in range(20):
        assert known[f"unlisted{number}"] == UNKNOWN_RARITY
        assert (known["harbour"], known["harbours"], known["crane"]) == (1.0, 1.0, 2.0)
        assert len(known) <= 3


@given(st.dictionaries(WORDS, st.sampled_from([0.0, 1.5, 4.99])), WORDS)
def test_a_long_list_has_its_words_and_no_others(expected: dict[str, float], other: str) -> None:
    groups = {
        each: [word for word in expected if expected[word] == each] for each in (0, 1.5, 4.99)
    }
    listed = rarities._Listed(groups.items())
    assert {word: listed.get(word) for word in expected} == expected
    assert listed.get(other) == expected.get(other)


def test_frequencies_are_kept_once() -> None:
    wordfreq = pytest.importorskip("wordfreq")
    rarities._of_source.cache_clear()
    rarities._rarities.cache_clear()
    assert rarity(["hund"], "da", frozenset({"wordfreq"}))[0] < UNKNOWN_RARITY
    assert wordfreq.get_frequency_dict.cache_info().currsize == 0
    assert wordfreq.get_frequency_list.cache_info().currsize == 0


def test_rarities_follow_the_frequencies_of_wordfreq() -> None:
    wordfreq = pytest.importorskip("wordfreq")
    frequencies = wordfreq.get_frequency_dict("da")
    wordfreq.get_frequency_dict.cache_clear()
    wordfreq.get_frequency_list.cache_clear()
    words = list(frequencies)[::500]
    zipf = 9 + np.log10([frequencies[word] for word in words])
    assert len(words) > 50
    expected = np.clip(7 - zipf, 0, UNKNOWN_RARITY)
    assert rarity(words, "da", frozenset({"wordfreq"})) == pytest.approx(expected, abs=1e-5)
