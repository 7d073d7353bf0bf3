"""Sets in sorted arrays: what numpy's own, slower functions say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.relation.alignment.sorted_arrays import (
    first_places,
    found_in,
    is_among,
    products,
    shared_places,
    sorted_unique,
)

numbers = st.lists(st.integers(0, 70_000), max_size=40)
sizes = st.lists(st.integers(0, 4), min_size=3, max_size=3)


@given(numbers)
def test_distinct_values_and_where_each_is_first(values: list[int]) -> None:
    array = np.array(values, np.int64)
    distinct, first = np.unique(array, return_index=True)
    assert sorted_unique(array).tolist() == distinct.tolist()
    assert [part.tolist() for part in first_places(array)] == [distinct.tolist(), first.tolist()]


@given(numbers, numbers)
def test_values_are_found_among_numbers_and_shared_ones_in_both(
    one: list[int], other: list[int]
) -> None:
    among, values = np.unique(np.array(one, np.uint64)), np.array(other, np.uint64)
    places, found = found_in(among, values)
    assert places.tolist() == np.flatnonzero(np.isin(values, among)).tolist()
    assert among[found].tolist() == values[places].tolist()
    unordered = np.array(one, np.uint64)
    assert is_among(values, unordered).tolist() == np.isin(values, unordered).tolist()
    distinct = np.unique(values)
    ours, theirs = shared_places(among, distinct)
    assert among[ours].tolist() == distinct[theirs].tolist()
    assert set(among[ours].tolist()) == set(one) & set(other)


@given(sizes, sizes)
def test_products_have_every_pair_of_every_group(one: list[int], other: list[int]) -> None:
    group, first, second = products(np.array(one), np.array(other))
    assert [*zip(group.tolist(), first.tolist(), second.tolist(), strict=True)] == [
        (number, ours, theirs)
        for number, (size, others) in enumerate(zip(one, other, strict=True))
        for ours in range(size)
        for theirs in range(others)
    ]
