"""A table from numbers of 64 bits to small ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.semantics.languages.number_table import ABSENT, NumberTable

NUMBERS = st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 300), max_size=400)


@given(st.lists(NUMBERS, max_size=4), NUMBERS)
def test_it_finds_what_was_added_and_nothing_else(parts: list[set[int]], others: set[int]) -> None:
    table, expected = NumberTable(), dict[int, int]()
    for part in parts:
        new = {number: len(expected) + place for place, number in enumerate(part - {*expected})}
        table.add(np.array([*new], np.uint64), np.array([*new.values()], np.int32))
        expected |= new
    assert len(table) == len(expected)
    asked = [*expected, *others, *expected]
    found = table.find(np.array(asked, np.uint64))
    assert found.tolist() == [expected.get(number, ABSENT) for number in asked]


def test_numbers_that_want_one_place_are_all_found() -> None:
    table = NumberTable()
    # A multiple of a power of two keeps few of the highest bits of the product.
    crowded = np.arange(1, 200, dtype=np.uint64) << np.uint64(54)
    table.add(crowded, np.arange(199, dtype=np.int32))
    assert table.find(crowded).tolist() == [*range(199)]
    assert table.find(crowded + np.uint64(1)).tolist() == [ABSENT] * 199
