"""Which shingles a document is queried by at ingest, and what a search for them returns."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery, are_found, shared_counts


def text(shingles: Sequence[int], content_hash: str = "another") -> Any:
    """Return a text with these shingles."""
    return SimpleNamespace(shingles=np.array(shingles, np.uint32), content_hash=content_hash)


def chosen(levels: Sequence[int], shingles: Sequence[int]) -> ShingleQuery:
    prints: Any = SimpleNamespace(
        levels=np.array(levels, np.uint8), shingles=np.array(shingles, np.uint32), content_hash="h"
    )
    return ShingleQuery.of(prints)


def test_the_shingles_are_those_that_a_text_of_twice_the_length_has_the_smallest_first() -> None:
    assert chosen([], []).shingles.tolist() == []
    few = chosen([0] * 20, range(100, 120))
    assert few.shingles.tolist() == list(range(100, 112))
    # Those of the next level come first, and those of further ones count as these.
    wide = chosen([0] * 12 + [1, 3, 1, 2] * 2, range(100, 120))
    assert wide.shingles.tolist() == [*range(100, 104), *range(112, 120)]
    farther = chosen([0, *[1] * 12, 2, 2, 3], range(16))
    assert farther.shingles.tolist() == list(range(1, 13))
    longest = chosen([3] * 14, range(50, 64))
    assert longest.shingles.tolist() == list(range(50, 62))
    long = chosen([2] * 8 + [3] * 8, range(16))
    assert long.shingles.tolist() == [0, 1, 2, 3, *range(8, 16)]


@pytest.mark.parametrize(("count", "least"), [(0, 1), (1, 1), (2, 1), (3, 2), (12, 2), (40, 2)])
def test_one_shingle_is_enough_for_texts_of_few(count: int, least: int) -> None:
    assert chosen([0] * count, range(count)).min_shared == least


def test_the_same_text_is_found_whatever_it_shares() -> None:
    asked = ShingleQuery("same", np.array([1, 2, 3], np.uint32), 2)
    texts = [text([9], "same"), text([2, 3, 9]), text([3, 9]), text([1, 2, 3, 4]), text([])]
    assert are_found([asked], texts).tolist() == [[True, True, False, True, False]]
    assert shared_counts([asked], texts).tolist() == [[0, 2, 1, 3, 0]]
    assert asked.sharing.content_hash == "same"
    assert asked.sharing.least == 2
    assert not asked.sharing.by_rarity


@given(st.lists(st.sets(st.integers(0, 12))), st.lists(st.sets(st.integers(0, 12))))
def test_what_is_shared_is_counted_as_of_each_pair_alone(
    asked: list[set[int]], stored: list[set[int]]
) -> None:
    queries = [ShingleQuery("", np.array(sorted(each), np.uint32), 2) for each in asked]
    texts = [text(sorted(each)) for each in stored]
    expected = [[len(one & other) for other in stored] for one in asked]
    assert shared_counts(queries, texts).tolist() == expected
    assert are_found(queries, texts).tolist() == [[each >= 2 for each in row] for row in expected]
