"""Shared shingles of many pairs, counted together: the same as those of each pair alone."""

import numpy as np
import pytest

from es_simhash.pairs.shared_counts import shared_counts
from es_simhash.relation.shared_shingles import ALL_SHINGLES, shared_shingles


@pytest.mark.parametrize("most", [1, 40, 900])
def test_counts_are_those_of_each_pair(most: int) -> None:
    chosen = np.random.default_rng(most)
    # Few numbers, so that texts share some; the least and the greatest shingle among them.
    all_shingles = np.concatenate(
        ([0, ALL_SHINGLES - 1], chosen.integers(ALL_SHINGLES, size=2 * most))
    )
    texts = [
        np.unique(chosen.choice(all_shingles, size=chosen.integers(1, most + 1))).astype(np.uint32)
        for _ in range(30)
    ]
    one, other = (each.astype(np.int64) for each in np.triu_indices(len(texts), 1))
    expected = [
        shared_shingles(texts[a], texts[b])
        for a, b in zip(one.tolist(), other.tolist(), strict=True)
    ]
    assert any(expected)
    assert shared_counts(one, other, texts.__getitem__).tolist() == expected


def test_no_pairs_share_nothing() -> None:
    none = np.zeros(0, np.int64)
    assert shared_counts(none, none, lambda number: np.zeros(0, np.uint32)).tolist() == []


def test_a_text_without_shingles_shares_none() -> None:
    texts = [np.array([1, 2], np.uint32), np.zeros(0, np.uint32), np.array([2, 3], np.uint32)]
    one, other = np.array([0, 0, 1]), np.array([1, 2, 2])
    assert shared_counts(one, other, texts.__getitem__).tolist() == [0, 1, 0]
