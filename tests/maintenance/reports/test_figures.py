"""Numbers of a report, without a server."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.maintenance.reports.families import FamilyCounter
from es_simhash.maintenance.reports.figures import percent, size_ranges

SIZES = st.dictionaries(st.integers(1, 3000), st.integers(1, 10**6), min_size=1)


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "0%"), (0, 9, "0%"), (9, 9, "100%"), (1, 3, "33%"), (1, 1000, "less than 1%"),
        (999, 1000, "more than 99%"),
    ],
)  # fmt: skip
def test_all_and_nothing_are_said_of_nothing_else(part: int, whole: int, shown: str) -> None:
    assert percent(part, whole) == shown


@given(SIZES)
def test_ranges_have_all_families_of_several(counts: dict[int, int]) -> None:
    several = {size: count for size, count in counts.items() if size > 1}
    ranges = size_ranges(counts)
    assert sum(each.families for each in ranges) == sum(several.values())
    assert sum(each.documents for each in ranges) == sum(s * c for s, c in several.items())


def test_the_largest_and_a_sample_are_kept_in_bounds() -> None:
    counter = FamilyCounter()
    for number in range(20_000):
        counter.add(f"f{number:05d}", 1 + number % 50)
    assert counter.counts == Counter(dict.fromkeys(range(1, 51), 400))
    assert {size for _, size in counter.largest} == {50}
    assert [name for name, _ in counter.largest] == sorted(name for name, _ in counter.largest)
    sample = counter.sample(10_000)
    assert 9_000 < sum(size for _, size in sample) <= 10_000
    assert len(set(sample)) == len(sample)
    # Drawn from the whole range of names, not from its start.
    assert max(name for name, _ in sample) > "f15000"
