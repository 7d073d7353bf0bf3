"""Shingles that winnowing picks of a text, and what two texts share of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.shingles import window_level, winnowing_windows
from es_simhash.fingerprints.text_fingerprints import fingerprint
from tests.support import reference
from tests.support.strategies import long_texts

# Word 0 is the text, further ones are the shared words; few of them, so that shingles repeat.
words = st.lists(st.integers(0, 40), max_size=400)


def shingles(text: str, window: int = 12) -> dict[int, int]:
    fingerprints = fingerprint(text, Scheme(window=window))
    return dict(zip(fingerprints.shingles.tolist(), fingerprints.levels.tolist(), strict=True))


def spoken(numbers: list[int], prefix: str) -> str:
    return " ".join(f"{prefix}{number}" for number in numbers)


def numbers_of(text: str) -> list[int]:
    return [reference.token_number(token) for token in text.split()]


def test_windows_grow_with_the_text_up_to_that_of_the_scheme() -> None:
    sizes = np.array([0, 1, 64, 65, 128, 129, 256, 257, 10**6])
    assert window_level(sizes).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert winnowing_windows(12).tolist() == [1, 3, 6, 12]
    assert winnowing_windows(4).tolist() == [1, 3, 4, 4]
    assert winnowing_windows(1).tolist() == [1, 1, 1, 1]
    assert winnowing_windows(64).tolist() == [1, 3, 6, 64]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_text_shorter_than_a_shingle_has_one(count: int) -> None:
    text = spoken(list(range(count)), "w")
    expected = reference.xxh64(reference.fold(numbers_of(text)), 2) >> 40
    assert list(shingles(text)) == [expected]


@pytest.mark.parametrize("count", [4, 5, 63, 64])
def test_a_short_text_keeps_all_its_shingles(count: int) -> None:
    assert len(shingles(spoken(list(range(count)), "w"))) == count - 3


def test_about_one_shingle_in_six_of_a_long_text_is_picked() -> None:
    picked = len(shingles(spoken(list(range(20000)), "w")))
    # Winnowing picks 2 / (window + 1) of the shingles (Schleimer, Wilkerson, Aiken 2003).
    assert picked / 20000 == pytest.approx(2 / 13, rel=0.05)


@given(
    st.tuples(words, words),
    st.tuples(words, words),
    st.lists(st.integers(0, 40), min_size=15, max_size=15),
    st.integers(1, 12),
)
def test_texts_that_share_a_run_of_window_and_3_words_share_a_shingle(
    around_one: tuple[list[int], list[int]],
    around_other: tuple[list[int], list[int]],
    common: list[int],
    window: int,
) -> None:
    run = spoken(common[: window + 3], "common")
    one = " ".join([spoken(around_one[0], "one"), run, spoken(around_one[1], "one")])
    other = " ".join([spoken(around_other[0], "other"), run, spoken(around_other[1], "other")])
    found, searched = shingles(one, window), shingles(other, window)
    assert set(found) & set(searched)
    # The level that both texts have shows it too.
    level = max(own_level(one), own_level(other))
    assert _from(found, level) & _from(searched, level)


def _from(levels: dict[int, int], level: int) -> set[int]:
    return {shingle for shingle in levels if levels[shingle] >= level}


def own_level(text: str) -> int:
    return int(window_level(np.array([len(text.split())]))[0])


@given(long_texts, st.integers(1, 64), st.integers(1, 64))
def test_a_smaller_window_picks_all_that_a_larger_one_picks(
    text: str, one: int, other: int
) -> None:
    smaller, larger = sorted((one, other))
    assert set(shingles(text, smaller)) >= set(shingles(text, larger))


@given(long_texts)
def test_levels_say_what_each_window_picks(text: str) -> None:
    levels = shingles(text)
    described = reference.describe(text, Scheme().name)
    assert levels == {each["number"]: each["level"] for each in described["shingles"]}


def test_a_repeated_shingle_is_stored_once() -> None:
    assert len(shingles("same " * 500)) == 1
    assert len(shingles("a b c " * 200)) <= 3


def test_a_quote_is_found_in_a_long_text() -> None:
    quote = spoken(list(range(20)), "quoted")
    long_text = f"{spoken(list(range(3000)), 'x')} {quote} {spoken(list(range(3000)), 'y')}"
    assert len(set(shingles(quote)) & set(shingles(long_text))) >= 2
