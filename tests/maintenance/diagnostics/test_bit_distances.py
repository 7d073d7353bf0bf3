"""Bits and distances of a sample, without an engine."""

from itertools import pairwise

import numpy as np
import pytest

from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.maintenance.diagnostics.bit_distances import (
    MIN_DIFFERENT,
    bit_balance,
    chance_within,
    histogram,
    nearest_distances,
)


def drawn(count: int, bits: int = 128, seed: int = 1) -> Fingerprints:
    return np.random.default_rng(seed).integers(0, 256, (count, bits // 8), np.uint8)


def test_bit_balance_evenly_spread_fingerprints_are_alive_and_even() -> None:
    found = bit_balance(drawn(500))
    assert (found.different, found.dead, found.uneven) == (500, (), 0.0)
    assert all(0.3 < share < 0.7 for share in found.shares)


def test_a_bit_that_never_changes_is_dead() -> None:
    prints = drawn(200)
    prints[:, 0] |= 0x80
    prints[:, 15] &= 0xFE
    assert bit_balance(prints).dead == (0, 127)


def test_copies_count_once_and_few_fingerprints_have_no_dead_bits() -> None:
    copies = np.repeat(drawn(MIN_DIFFERENT - 1), 10, axis=0)
    copies[:, 0] = 0
    found = bit_balance(copies)
    assert (found.different, found.dead, found.uneven) == (MIN_DIFFERENT - 1, (), 0.0)
    assert bit_balance(np.empty((0, 0), np.uint8)).shares == ()


def test_bits_that_most_texts_share_are_uneven() -> None:
    prints = drawn(300)
    rare = np.random.default_rng(2).random(300) < 0.1
    prints[:, :8] = np.where(rare[:, None], prints[:, :8], 0)
    assert bit_balance(prints).uneven == pytest.approx(0.5)


def test_the_nearest_other_is_found_across_all_rows() -> None:
    prints = drawn(700)
    prints[650] = prints[3]
    prints[10] = prints[600]
    prints[10, 0] ^= 0b111
    nearest = nearest_distances(prints)
    assert (nearest[3], nearest[650], nearest[10], nearest[600]) == (0, 0, 3, 3)
    exact = (np.unpackbits(prints[5] ^ np.delete(prints, 5, axis=0), axis=1).sum(axis=1)).min()
    assert nearest[5] == exact
    assert len(nearest_distances(drawn(1))) == 0


def test_the_bars_hold_every_document_once_without_gaps() -> None:
    nearest = np.array([0, 0, 1, 3, 4, 15, 16, 23, 24, 60])
    bars = histogram(nearest)
    assert sum(each.documents for each in bars) == len(nearest)
    assert (bars[0].least, bars[0].most, bars[0].documents) == (0, 0, 2)
    for one, other in pairwise(bars):
        assert other.least == one.most + 1
    assert bars[-1].most >= 60
    assert histogram(np.empty(0, np.int64)) == ()


def test_chance_grows_with_k_and_with_what_texts_have_in_common() -> None:
    even, alike = drawn(400), drawn(400)
    alike[:, :12] = 0
    assert chance_within(even, 7) < 1e-12
    assert chance_within(even, 7) <= chance_within(even, 20)
    assert chance_within(alike, 7) > 0.001
    assert chance_within(drawn(1), 7) == 0.0
