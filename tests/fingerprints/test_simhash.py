"""Majority of feature bits, and Hamming distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.hashing import Fingerprints, GroupedRuns
from es_simhash.fingerprints.simhash import hamming_distances, ones_of, run_fingerprints
from tests.support import reference
from tests.support.document_fingerprints import document_fingerprints

uint64s = st.integers(0, 2**64 - 1)
BITS = [64, 128]


def of_groups(groups: list[list[int]], bits: int) -> list[str]:
    features = np.array([number for group in groups for number in group], np.uint64)
    bounds = np.cumsum([0, *(len(group) for group in groups)])
    return [
        row.tobytes().hex() for row in run_fingerprints(GroupedRuns(features, bounds, bounds), bits)
    ]


def random_fingerprints(count: int, bits: int, seed: int = 1) -> Fingerprints:
    return np.random.default_rng(seed).integers(0, 256, (count, bits // 8), np.uint8)


@pytest.mark.parametrize("bits", BITS)
@given(groups=st.lists(st.lists(uint64s, min_size=1, max_size=9), max_size=6))
def test_the_fast_count_is_the_plain_majority(groups: list[list[int]], bits: int) -> None:
    assert of_groups(groups, bits) == [reference.fingerprint(group, bits) for group in groups]


@pytest.mark.parametrize("sizes", [[255], [256], [1, 255, 256, 2], [510, 511], [3, 1000, 1]])
def test_groups_of_more_than_255_features(sizes: list[int]) -> None:
    generator = np.random.default_rng(sum(sizes))
    groups = [generator.integers(0, 50, size, np.uint64).tolist() for size in sizes]
    assert of_groups(groups, 128) == [reference.fingerprint(group, 128) for group in groups]


@pytest.mark.parametrize("count", [256, 510, 65536])
def test_many_equal_features_do_not_overflow(count: int) -> None:
    assert of_groups([[7] * count], 128) == of_groups([[7]], 128)


def test_a_tie_gives_0() -> None:
    one, other = 3, 4
    both = int(of_groups([[one]], 128)[0], 16) & int(of_groups([[other]], 128)[0], 16)
    assert int(of_groups([[one, other]], 128)[0], 16) == both


def test_the_first_64_bits_of_128_are_those_of_64() -> None:
    groups = [[1, 2, 3], [2**64 - 1]]
    assert [value[:16] for value in of_groups(groups, 128)] == of_groups(groups, 64)


def test_a_single_feature_is_its_hash_from_the_highest_bit() -> None:
    assert of_groups([[5]], 128) == [f"{reference.xxh64(5, 0):016x}{reference.xxh64(5, 1):016x}"]


@given(st.lists(uint64s, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_features_does_not_matter(features: list[int], random: st.DataObject) -> None:
    shuffled = features.copy()
    random.shuffle(shuffled)
    assert of_groups([features], 128) == of_groups([shuffled], 128)


def test_repeated_features_count_each_time() -> None:
    assert of_groups([[1, 1, 2]], 128) == of_groups([[1]], 128)


def test_no_group_gives_no_fingerprint() -> None:
    nothing = GroupedRuns(np.zeros(0, np.uint64), np.array([0]), np.array([0]))
    assert run_fingerprints(nothing, 128).shape == (0, 16)


def test_distances_of_fingerprints_without_rows() -> None:
    assert hamming_distances(random_fingerprints(0, 128), random_fingerprints(3, 128)).shape == (
        0,
        3,
    )


@pytest.mark.parametrize("counts_bits", [True, False])
@pytest.mark.parametrize("bits", BITS)
def test_distances_count_the_differing_bits(
    bits: int, counts_bits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not counts_bits:
        # As in versions of numpy before 2.
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    rows = random_fingerprints(12, bits)
    numbers = [int(row.tobytes().hex(), 16) for row in rows]
    expected = [[bin(one ^ other).count("1") for other in numbers] for one in numbers]
    assert hamming_distances(rows, rows).tolist() == expected


@pytest.mark.parametrize("bits", BITS)
def test_distance_is_a_metric(bits: int) -> None:
    # Few bits set, so that equal and near fingerprints are among the triples.
    rows = np.vstack([random_fingerprints(20, bits), random_fingerprints(20, bits) & 1])
    distances = hamming_distances(rows, rows)
    np.testing.assert_array_equal(distances, distances.T)
    equal = (rows[:, None] == rows[None]).all(axis=2)
    np.testing.assert_array_equal(distances == 0, equal)
    through = (distances[:, :, None] + distances[None]).min(axis=1)
    assert (distances <= through).all()


def test_distances_of_the_highest_bit_and_of_all_bits() -> None:
    rows = np.zeros((3, 16), np.uint8)
    rows[1, 0] = 0x80
    rows[2] = 0xFF
    assert hamming_distances(rows, rows).tolist() == [[0, 1, 128], [1, 0, 127], [128, 127, 0]]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("bits", BITS)
def test_no_bit_is_dead_and_all_are_balanced(bits: int) -> None:
    generator = np.random.default_rng(7)
    vocabulary = [f"word{number}" for number in range(2000)]
    texts = [" ".join(generator.choice(vocabulary, 40)) for _ in range(3000)]
    rows = document_fingerprints(texts, Scheme(bits=bits))
    ones = np.unpackbits(rows, axis=1).mean(axis=0)
    # 39 features, no ties: each bit is 1 half of the time, within 5 standard deviations of 1/110.
    assert abs(ones - 0.5).max() < 0.05


@pytest.mark.parametrize("bits", BITS)
def test_unrelated_texts_differ_in_half_of_the_bits(bits: int) -> None:
    texts = [" ".join(f"t{text}w{number}" for number in range(50)) for text in range(300)]
    rows = document_fingerprints(texts, Scheme(bits=bits))
    distances = hamming_distances(rows, rows)[np.triu_indices(len(texts), 1)]
    assert abs(distances.mean() / bits - 0.5) < 0.01
    assert distances.min() > bits * 0.2


def test_bits_are_independent_of_each_other() -> None:
    generator = np.random.default_rng(3)
    texts = [" ".join(f"w{n}" for n in generator.integers(0, 9**9, 40)) for _ in range(3000)]
    bits = np.unpackbits(document_fingerprints(texts), axis=1).astype(float)
    correlations = np.corrcoef(bits.T) - np.eye(128)
    assert abs(correlations).max() < 0.12


@pytest.mark.parametrize("bits", [8, 16, 24, 64, 128, 256])
def test_distances_of_many_pairs_are_those_of_few(bits: int) -> None:
    # They are computed some rows at a time.
    rows, columns = random_fingerprints(1100, bits), random_fingerprints(1000, bits, 2)
    every = hamming_distances(rows, columns)
    assert (every[:9, :7] == hamming_distances(rows[:9], columns[:7])).all()
    assert int(every[5, 6]) == int(np.unpackbits(rows[5] ^ columns[6]).sum())
    assert (every[-9:] == hamming_distances(columns, rows[-9:]).T).all()


def test_all_bits_may_differ() -> None:
    none, every = np.zeros((1, 32), np.uint8), np.full((1, 32), 255, np.uint8)
    assert hamming_distances(none, every).tolist() == [[256]]


def test_bits_are_counted_by_every_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.default_rng(4).integers(0, 1 << 64, (30, 8), np.uint64, endpoint=False)
    counted = [[int(word).bit_count() for word in row] for row in words.tolist()]
    assert ones_of(words).tolist() == counted
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert ones_of(words).tolist() == counted
