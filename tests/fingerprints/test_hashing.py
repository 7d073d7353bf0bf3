"""Hashes over whole arrays."""

import subprocess
import sys
from itertools import groupby

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints import hashing
from tests.support import reference

EDGES = [0, 1, 255, 256, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
uint64s = st.integers(0, 2**64 - 1)


def as_array(values: list[int]) -> hashing.Uint64s:
    return np.array(values, np.uint64)


@pytest.mark.parametrize("seed", [0, 1, 2, 2**32, 2**64 - 1])
def test_xxh64_is_that_of_the_xxhash_package(seed: int) -> None:
    generator = np.random.default_rng(seed % 1000)
    values = EDGES + generator.integers(0, 2**64, 2000, np.uint64).tolist()
    expected = [xxhash.xxh64_intdigest(v.to_bytes(8, "little"), seed) for v in values]
    assert hashing.xxh64(as_array(values), seed)[0].tolist() == expected


@given(st.lists(uint64s, max_size=20), st.integers(0, 3))
def test_xxh64_of_any_integers(values: list[int], seed: int) -> None:
    expected = [reference.xxh64(value, seed) for value in values]
    assert hashing.xxh64(as_array(values), seed)[0].tolist() == expected


def test_several_seeds_at_once_give_what_each_gives_alone() -> None:
    values = as_array(EDGES)
    together = hashing.xxh64(values, 0, 1, 2)
    for seed, hashes in enumerate(together):
        np.testing.assert_array_equal(hashes, hashing.xxh64(values, seed)[0])


def test_hashing_leaves_its_input_alone() -> None:
    values = as_array(EDGES)
    hashing.xxh64(values, 0, 1)
    hashing.fold(values, 3)
    assert values.tolist() == EDGES


@given(st.lists(uint64s, max_size=12), st.integers(1, 5))
def test_fold_numbers_each_run(values: list[int], length: int) -> None:
    expected = [reference.fold(values[i : i + length]) for i in range(len(values) - length + 1)]
    assert hashing.fold(as_array(values), length).tolist() == expected


@given(st.lists(st.integers(0, 0x10FFFF), min_size=1, max_size=40), st.data())
def test_a_run_has_the_same_number_wherever_it_stands(
    codes: list[int], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(codes)))
    end = data.draw(st.integers(start, len(codes)))
    number = hashing.run_numbers(np.array(codes, np.uint32), np.array([start]), np.array([end]))
    expected = sum(
        (code + 1) * pow(hashing.BASE, place, 2**64) for place, code in enumerate(codes[start:end])
    )
    assert number.tolist() == [expected % 2**64]


def test_run_numbers_beyond_the_first_table_of_powers() -> None:
    codes = np.tile(np.arange(97, 123, dtype=np.uint32), 8000)
    starts = np.arange(0, len(codes), 26)
    numbers = hashing.run_numbers(codes, starts, starts + 26)
    assert len(set(numbers.tolist())) == 1


def test_runs_that_differ_in_zeros_or_order_have_different_numbers() -> None:
    runs = [[0], [0, 0], [0, 0, 0], [1], [0, 1], [1, 0], [97, 97], [97] * 5 + [98] * 3]
    numbers = {
        hashing.run_numbers(np.array(run, np.uint32), np.array([0]), np.array([len(run)]))[0]
        for run in runs
    }
    assert len(numbers) == len(runs)


def test_fingerprints_do_not_depend_on_the_salt_of_the_process() -> None:
    code = (
        "from es_simhash.fingerprints.text_fingerprints import fingerprint;"
        "print(fingerprint('the same text in every process').document.tobytes().hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


@given(st.lists(st.integers(0, 3), max_size=20))
def test_runs_of_equal_neighbours_are_those_of_groupby(values: list[int]) -> None:
    starts, sizes = hashing.equal_runs(np.array(values, np.int64))
    runs = [list(run) for _, run in groupby(values)]
    assert sizes.tolist() == list(map(len, runs))
    assert starts.tolist() == [sum(map(len, runs[:number])) for number in range(len(runs))]
