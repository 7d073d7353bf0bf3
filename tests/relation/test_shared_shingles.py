"""Which shingles of a text are queried, and how many of them two texts have in common."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.relation.shared_shingles import (
    ALL_SHINGLES,
    Containment,
    least_shared,
    sample_bound,
    sampled,
    shared_shingles,
)
from es_simhash.relation.thresholds import QUERIED_SHINGLES

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
