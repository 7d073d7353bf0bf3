"""Blocks: none is lost, and what they guarantee holds."""

import numpy as np
import pytest

from es_simhash.errors import SchemeError
from es_simhash.fingerprints.blocks import block_sizes, block_terms, min_shared_blocks
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.simhash import hamming_distances
from tests.support import reference

BITS = [64, 128]


def random_fingerprints(count: int, bits: int) -> Fingerprints:
    return np.random.default_rng(bits).integers(0, 256, (count, bits // 8), np.uint8)


def flipped(rows: Fingerprints, places: np.ndarray) -> Fingerprints:
    """Flip the bits at places[i] of rows[i]."""
    flips = np.zeros((len(rows), rows.shape[1] * 8), np.uint8)
    np.put_along_axis(flips, places, 1, axis=1)
    return rows ^ np.packbits(flips, axis=1)


def shared(one: list[list[str]], other: list[list[str]]) -> list[int]:
    return [len(set(a) & set(b)) for a, b in zip(one, other, strict=True)]


@pytest.mark.parametrize("bits", BITS)
def test_no_block_is_lost_by_rounding(bits: int) -> None:
    for blocks in range(1, bits + 1):
        sizes = block_sizes(bits, blocks)
        assert len(sizes) == blocks
        assert sum(sizes) == bits
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= 1


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("bits", BITS)
def test_pairs_at_exactly_k_bits_share_the_promised_blocks(bits: int) -> None:
    generator = np.random.default_rng(bits)
    rows = random_fingerprints(12, bits)
    for blocks in range(2, bits // 2 + 1):
        terms = block_terms(rows, blocks)
        for k in range(blocks):
            places = generator.permuted(np.tile(np.arange(bits), (12, 1)), axis=1)[:, :k]
            near = flipped(rows, places)
            assert (np.diag(hamming_distances(rows, near)) == k).all()
            assert min(shared(terms, block_terms(near, blocks))) >= min_shared_blocks(blocks, k)


@pytest.mark.parametrize("bits", BITS)
def test_one_flip_in_each_of_k_blocks_leaves_exactly_the_promised_blocks(bits: int) -> None:
    generator = np.random.default_rng(bits)
    rows = random_fingerprints(5, bits)
    for blocks in range(2, bits // 2 + 1):
        ends = np.cumsum(block_sizes(bits, blocks))
        terms = block_terms(rows, blocks)
        for k in {1, blocks // 2, blocks - 1}:
            chosen = np.array([generator.permutation(blocks)[:k] for _ in rows])
            near = flipped(rows, ends[chosen] - 1)
            assert shared(terms, block_terms(near, blocks)) == [blocks - k] * len(rows)


@pytest.mark.parametrize(
    ("bits", "blocks", "k"), [(64, 12, 11), (64, 20, 19), (128, 24, 21), (128, 9, 5)]
)
def test_the_worst_case_where_others_lose_blocks(bits: int, blocks: int, k: int) -> None:
    rows = random_fingerprints(300, bits)
    places = np.tile(np.cumsum(block_sizes(bits, blocks))[:k] - 1, (300, 1))
    near = flipped(rows, places)
    assert min(shared(block_terms(rows, blocks), block_terms(near, blocks))) == blocks - k


def test_an_exact_copy_shares_all_blocks() -> None:
    rows = random_fingerprints(4, 128)
    assert shared(block_terms(rows, 8), block_terms(rows.copy(), 8)) == [8] * 4
    assert min_shared_blocks(8, 0) == 8


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("blocks", [2, 3, 5, 8, 13, 24, 32])
def test_terms_are_the_digits_of_the_fingerprint(bits: int, blocks: int) -> None:
    rows = random_fingerprints(6, bits)
    expected = [reference.blocks(row.tobytes().hex(), blocks) for row in rows]
    assert block_terms(rows, blocks) == expected


@pytest.mark.parametrize("bits", BITS)
def test_terms_have_a_fixed_width_even_when_all_bits_are_0(bits: int) -> None:
    rows = np.vstack([np.zeros((1, bits // 8), np.uint8), np.full((1, bits // 8), 255, np.uint8)])
    for blocks in range(2, bits // 2 + 1):
        zeros, ones = block_terms(rows, blocks)
        assert [len(term) for term in zeros] == [len(term) for term in ones]
        assert len(set(zeros)) == blocks


def test_the_highest_bit_is_no_sign() -> None:
    rows = np.zeros((2, 16), np.uint8)
    rows[0, [0, 8]] = 0x80
    rows[1] = 0xFF
    assert block_terms(rows, 2) == [
        ["0:8000000000000000", "1:8000000000000000"],
        ["0:ffffffffffffffff", "1:ffffffffffffffff"],
    ]


def test_equal_values_in_different_blocks_are_different_terms() -> None:
    assert block_terms(np.full((1, 8), 0xAB, np.uint8), 4) == [
        ["0:abab", "1:abab", "2:abab", "3:abab"]
    ]


def test_no_fingerprints_give_no_terms() -> None:
    assert block_terms(np.zeros((0, 16), np.uint8), 8) == []


@pytest.mark.parametrize("blocks", [-1, 0, 129, 1000])
def test_impossible_numbers_of_blocks_are_refused(blocks: int) -> None:
    with pytest.raises(SchemeError, match=f"into {blocks} blocks"):
        block_sizes(128, blocks)


@pytest.mark.parametrize("k", [-1, 8, 9, 100])
def test_distances_the_blocks_cannot_promise_are_refused(k: int) -> None:
    with pytest.raises(SchemeError, match="promise"):
        min_shared_blocks(8, k)


def test_the_scheme_promises_what_the_blocks_do() -> None:
    scheme = Scheme(blocks=13)
    assert min_shared_blocks(scheme.blocks, scheme.max_k) == 1
