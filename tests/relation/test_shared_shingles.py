"""Which shingles of a text are queried, and how many of them two texts have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.relation.shared_shingles import (
    ALL_SHINGLES,
    Containment,
    containment,
    least_shared,
    sample_bound,
    sampled,
    shared_bound,
    shared_shingles,
)
from es_simhash.relation.thresholds import PRIOR_SHINGLES, QUERIED_SHINGLES

shingles = st.lists(st.integers(0, ALL_SHINGLES - 1), unique=True, max_size=60).map(sorted)


def test_all_shingles_of_a_short_text_are_queried() -> None:
    short = np.arange(QUERIED_SHINGLES, dtype=np.uint32) * np.uint32(7)
    assert sampled(short).tolist() == short.tolist()
    assert sample_bound(len(short)) == ALL_SHINGLES


@given(shingles, shingles, st.integers(1, 60))
def test_what_both_texts_query_both_have(one: list[int], other: list[int], size: int) -> None:
    ours, theirs = (np.array(numbers, np.uint32) for numbers in (one, other))
    bound = sample_bound(max(len(one), len(other)), size)
    both = {*sampled(ours, size).tolist()} & {*sampled(theirs, size).tolist()}
    below = {number for number in set(one) & set(other) if number < bound}
    assert below <= both
    assert shared_shingles(ours, theirs, bound) == shared_shingles(theirs, ours, bound)
    assert shared_shingles(ours, theirs, bound) == len(below)


def test_one_shingle_is_enough_only_for_texts_that_have_few() -> None:
    assert [least_shared(count) for count in (0, 1, 4, 5, 1000)] == [1, 1, 1, 2, 2]


@given(st.integers(0, 100), st.floats(0, 100), st.floats(0, 1))
def test_a_share_of_few_shingles_is_drawn_to_the_resemblance(
    shared: int, fewer: float, resemblance: float
) -> None:
    containment = Containment(shared, fewer, fewer)
    assert 0 <= containment.share <= 1
    assert 0 <= containment.smoothed(resemblance) <= 1
    assert containment.smoothed(0.0) <= containment.smoothed(1.0)


def with_shingles(*counts: int) -> ChunkFingerprints:
    """A text with so many shingles of each of the four windows."""
    return ChunkFingerprints(np.zeros((1, 16), np.uint8), np.ones(1, np.int64), np.array(counts))


@pytest.mark.parametrize("size", [1, 12, 896])
def test_of_a_longer_text_so_many_are_queried_on_average(size: int) -> None:
    assert sample_bound(size - 1, size) == sample_bound(size, size) == ALL_SHINGLES
    for times in (2, 4, 1024):
        assert sample_bound(times * size, size) == ALL_SHINGLES // times


def test_shares_are_of_the_fewer_and_of_all() -> None:
    found = Containment(30, 40, 60)
    assert found.share == 30 / 40
    assert found.resemblance == 30 / (40 + 60 - 30)
    nothing = Containment(0, 0.0, 0.0)
    assert (nothing.share, nothing.resemblance) == (0, 0)
    # Part of one shingle: a share counted on less than one says nothing.
    assert Containment(1, 0.4, 0.4).share == Containment(1, 0.4, 0.4).resemblance == 1
    # A sample may have more than there are on average.
    assert Containment(4, 2, 2).share == Containment(4, 2, 2).resemblance == 1


def test_few_shingles_count_less_than_what_the_chunks_say() -> None:
    assert Containment(4, 8, 8).smoothed(0.5) == 0.5
    assert Containment(0, 8, 8).smoothed(1.0) == PRIOR_SHINGLES / (8 + PRIOR_SHINGLES)
    assert Containment(8, 8, 8).smoothed(0.0) == 8 / (8 + PRIOR_SHINGLES)


def test_what_is_queried_of_the_text_with_more_is_queried_of_both() -> None:
    one, other = with_shingles(10, 0, 0, 0), with_shingles(4 * QUERIED_SHINGLES, 0, 0, 0)
    assert shared_bound(one, other) == shared_bound(other, one) == ALL_SHINGLES // 4


def test_a_text_shares_as_many_as_the_longer_needs_or_nothing() -> None:
    few, many = with_shingles(4, 0, 0, 0), with_shingles(40, 0, 0, 0)
    assert containment(few, many, 1) == containment(many, few, 1) == Containment(0, 4, 40)
    assert containment(few, many, 2) == containment(many, few, 2) == Containment(2, 4, 40)
    assert containment(few, few, 1) == Containment(1, 4, 4)


def test_shingles_are_counted_at_the_larger_window_and_as_far_as_they_are_queried() -> None:
    # A quarter of the first is queried; the second has no small windows, and more of the larger.
    one, other = with_shingles(4 * QUERIED_SHINGLES, 300, 90, 20), with_shingles(0, 400, 100, 30)
    assert containment(one, other, 0) == containment(other, one, 0) == Containment(0, 75, 100)
