"""Alignments of two sequences: as long as a table finds them, in order, and of equal units."""

import itertools
import random
import time
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.differences.anchors import Stretch
from es_simhash.differences.sequence_alignment import (
    LONG_RUNS,
    SHORT_RUNS,
    Sequences,
    aligned,
    anchored,
    between,
    longest_common_subsequence,
)

units = st.lists(st.integers(0, 5), max_size=40)


def longest(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the length of the longest common subsequence, by the whole table."""
    row = [0] * (len(b) + 1)
    for one in a:
        above = row[:]
        for place, other in enumerate(b):
            row[place + 1] = above[place] + 1 if one == other else max(above[place + 1], row[place])
    return row[-1]


@given(units, units)
def test_it_is_as_long_as_the_table_says(a: list[int], b: list[int]) -> None:
    pairs = longest_common_subsequence(np.array(a, np.int64), np.array(b, np.int64))
    assert len(pairs) == longest(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in itertools.pairwise(pairs))


@given(units, units)
def test_an_exact_alignment_is_as_long(a: list[int], b: list[int]) -> None:
    sequences = Sequences.of(np.array(a, np.int64), np.array(b, np.int64))
    assert sum(block.size for block in aligned(sequences)) == longest(a, b)


@given(units, units)
def test_anchored_blocks_and_what_is_between_them_are_everything(
    a: list[int], b: list[int]
) -> None:
    sequences = Sequences.of(np.array(a, np.int64), np.array(b, np.int64))
    blocks = anchored(sequences, sequences.whole, LONG_RUNS + SHORT_RUNS)
    for block in blocks:
        assert a[block.a : block.a + block.size] == b[block.b : block.b + block.size]
    gaps = list(between(sequences.whole, blocks))
    covered = sum(block.size for block in blocks)
    assert covered + sum(gap.a_end - gap.a_start for gap in gaps) == len(a)
    assert covered + sum(gap.b_end - gap.b_start for gap in gaps) == len(b)


def test_nothing_is_between_equal_sequences() -> None:
    same = np.arange(3)
    sequences = Sequences.of(same, same)
    blocks = anchored(sequences, Stretch(0, 3, 0, 3), LONG_RUNS)
    assert [tuple(block) for block in blocks] == [(0, 0, 3)]
    assert list(between(sequences.whole, blocks)) == []


def test_a_short_sequence_and_a_very_long_one_of_the_same_units_are_aligned_in_seconds() -> None:
    units_of = random.Random(1)
    one, other = (
        np.array([units_of.randrange(2) for _ in range(size)]) for size in (120, 1_000_000)
    )
    start = time.process_time()
    assert len(longest_common_subsequence(one, other)) == 120
    # One second; half a minute where each bit of a row costs as much as the row.
    assert time.process_time() - start < 10
