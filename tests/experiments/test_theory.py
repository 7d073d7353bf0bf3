"""What theory says of the figures of the experiments."""

import math
from math import log2

import numpy as np
import pytest

from tests.bench.experiments import banding, error_of_estimate, hash_times, space
from tests.bench.experiments.criteria import spearman
from tests.support.made_up_texts import make_text

_DRAWS = 12


@pytest.fixture(scope="module")
def pairs() -> banding.Measured:
    return banding.measure(410, _DRAWS)


def test_permutations_are_of_one_text_and_cover_the_curve(pairs: banding.Measured) -> None:
    original = make_text(50, banding.WORDS)
    made = banding.permutations(410)
    assert made[0] == original
    assert len(original.split()) == 50
    assert all(sorted(text) == sorted(original) for text in made)
    for resemblance in (0.3, 0.5, 0.7, banding.BANDING.threshold, 0.9):
        assert len(banding.near(pairs, resemblance))


@pytest.mark.parametrize("resemblance", [0.3, 0.5, 0.6, 0.7, 0.741, 0.8, 0.9])
def test_lsh_finds_pairs_as_often_as_the_binomial_law_says(
    pairs: banding.Measured, resemblance: float
) -> None:
    some = banding.near(pairs, resemblance)
    # 20 bands of 10 rows, written out: none of the bands agrees in all of its rows.
    expected = np.mean([1 - (1 - s**10) ** 20 for s in pairs.exact[some].tolist()])
    # Draws are independent, pairs of one draw are not: at the worst they are all one pair.
    error = math.sqrt(expected * (1 - expected) / _DRAWS)
    assert abs(pairs.hits[some].mean() - expected) < 3 * error + 0.01


def test_the_threshold_of_lsh_is_reached_with_the_probability_that_is_printed() -> None:
    assert banding.BANDING.threshold == pytest.approx(0.05**0.1)
    found = banding.BANDING.probability(banding.BANDING.threshold)
    assert found == pytest.approx(1 - 0.95**20)


def test_estimates_are_within_the_error_of_200_hashes(pairs: banding.Measured) -> None:
    errors = np.abs(pairs.estimates - pairs.exact)
    bounds = np.sqrt(pairs.exact * (1 - pairs.exact) / 200)
    assert (errors <= 6 * bounds + 1e-9).all()


def test_the_error_falls_with_the_root_of_the_number_of_hashes() -> None:
    measured = error_of_estimate.errors(120)
    assert set(measured) == {"modular", "multiplicative", "murmur3"}
    for values in measured.values():
        assert values == sorted(values, reverse=True)
        for hashes, value in zip(error_of_estimate.HASHES, values, strict=True):
            assert value == pytest.approx(math.sqrt(0.6 * 0.4 / hashes), rel=0.3)
        slope = log2(values[0] / values[-1]) / log2(1000 / 10)
        assert slope == pytest.approx(0.5, abs=0.08)


def test_fingerprints_have_the_size_that_their_bits_say() -> None:
    assert space.bytes_of("simhash-4grams", 50, 4) == space.bytes_of("token-simhash", 500, 4) == 8
    assert space.bytes_of("minhash-murmur3", 500, 4) == 200 * 4
    # One fingerprint for each sentence of 15 words.
    assert space.bytes_of("simhash-bigrams-32", 150, 4) == 150 / 15 * 4
    # A text without repeated words of n words has n - 2 shingles of three words.
    assert space.bytes_of("jaccard-words-3", 50, 4) == pytest.approx(48 * 8, rel=0.1)


def test_texts_for_the_space_have_the_words_they_are_said_to_have() -> None:
    for words in space.LENGTHS:
        assert {len(text.split()) for text in space.texts_of(words, 3)} == {words}


def test_arrays_are_faster_than_a_loop_for_the_families_of_arithmetic() -> None:
    measured = hash_times.times(20_000, 500)
    assert len(measured) == 5
    for name in ("modular", "multiplicative", "murmur3"):
        array, single = measured[name]
        assert 0 < array < single


def test_rank_correlation_with_ties() -> None:
    one, other = np.array([1.0, 2.0, 2.0, 4.0]), np.array([10.0, 20.0, 20.0, 21.0])
    assert spearman(one, other) == pytest.approx(1)
    assert spearman(one, -other) == pytest.approx(-1)
    assert spearman(one, np.ones(4)) == 0
    # Without ties: 1 - 6 sum(d^2) / (n (n^2 - 1)), here d = 1, 1, 0.
    distinct = spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0]))
    assert distinct == pytest.approx(1 - 6 * 2 / (3 * 8))
