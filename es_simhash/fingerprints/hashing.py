"""Hashes over whole numpy arrays: XXH64 of 8-byte integers, polynomial numbers of runs.

Their arithmetic is modulo 2^64, which numpy's uint64, Java's long and Go's uint64 share.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Uint64s = NDArray[np.uint64]
# Rows of bits, packed.
Fingerprints = NDArray[np.uint8]

# XXH64's primes (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
_P1 = np.uint64(0x9E3779B185EBCA87)
_P2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P3 = np.uint64(0x165667B19E3779F9)
_P4 = np.uint64(0x85EBCA77C2B2AE63)
_P5 = 0x27D4EB2F165667C5
_MASK = (1 << 64) - 1

# Odd, so that every power has an inverse modulo 2^64: the fractional part of the golden ratio.
BASE = 0x9E3779B97F4A7C15
_MULTIPLIER = np.uint64(BASE)

_DIGEST_DIGITS = 16
# Of the table of powers: those of a batch of texts.
_LEAST_EXPONENT = 18


def _rotate(values: Uint64s, count: int, scratch: Uint64s) -> None:
    """Rotate left, in place; without new arrays the whole hash is a third faster."""
    np.right_shift(values, np.uint64(64 - count), out=scratch)
    values <<= np.uint64(count)
    values |= scratch


def xxh64(values: Uint64s, *seeds: int) -> list[Uint64s]:
    """Return the XXH64 hashes of integers as 8 little-endian bytes: one array for each seed.

    Equal to `xxhash.xxh64_intdigest(int(v).to_bytes(8, "little"), seed)` for every value, which
    `es-simhash selftest` checks; the package hashes one value a call, this a whole array.
    """
    scratch = np.empty_like(values)
    lane = values * _P2
    _rotate(lane, 31, scratch)
    lane *= _P1
    return [_finish(lane, seed, scratch) for seed in seeds]


def _finish(lane: Uint64s, seed: int, scratch: Uint64s) -> Uint64s:
    hashes: Uint64s = lane ^ np.uint64((seed + _P5 + 8) & _MASK)
    _rotate(hashes, 27, scratch)
    hashes *= _P1
    hashes += _P4
    for shift, prime in ((33, _P2), (29, _P3)):
        np.right_shift(hashes, np.uint64(shift), out=scratch)
        hashes ^= scratch
        hashes *= prime
    np.right_shift(hashes, np.uint64(32), out=scratch)
    hashes ^= scratch
    return hashes


@lru_cache(maxsize=4)
def _powers(base: int, exponent: int) -> Uint64s:
    """Return the powers 0 .. 2^exponent - 1 of an odd base, modulo 2^64."""
    powers = np.ones(1, np.uint64)
    for doubling in range(exponent):
        step = np.uint64(pow(base, 1 << doubling, 1 << 64))
        powers = np.concatenate([powers, powers * step])
    return powers


class RunNumbers:
    """Numbers of runs of code points: sum((code_i + 1) * BASE^i), i from 0.

    One prefix sum serves all runs: the sum from start to end is divided by BASE^start, which has
    an inverse because BASE is odd.

    Args:
        codes: The code points that runs are taken from.
    """

    def __init__(self, codes: NDArray[np.uint32]) -> None:
        # One table serves single texts and batches, so that neither drops that of the other.
        exponent = max(_LEAST_EXPONENT, len(codes).bit_length())
        terms = codes.astype(np.uint64)
        terms += np.uint64(1)
        terms *= _powers(BASE, exponent)[: len(codes)]
        self._sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum(terms, out=self._sums[1:])
        self._inverses = _powers(pow(BASE, -1, 1 << 64), exponent)

    def of(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Uint64s:
        """Return the number of each run codes[start:end]."""
        numbers: Uint64s = self._sums.take(ends)
        numbers -= self._sums.take(starts)
        numbers *= self._inverses.take(starts)
        return numbers


def run_numbers(
    codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> Uint64s:
    """Return the number of each run codes[start:end]; see `RunNumbers`."""
    return RunNumbers(codes).of(starts, ends)


def fold(values: Uint64s, length: int) -> Uint64s:
    """Return the number of each run of `length` neighbours: ((v0 * BASE + v1) * BASE + v2) ...

    Returns:
        len(values) - length + 1 numbers, none when there are fewer values than that.
    """
    count = max(0, len(values) - length + 1)
    if not count:
        return np.zeros(0, np.uint64)
    # Runs are made of two of half the length, and one value more where the length is odd.
    numbers: Uint64s = values
    folded = 1
    for digit in f"{length:b}"[1:]:
        later = numbers[folded:]
        numbers = numbers[: len(later)] * np.uint64(pow(BASE, folded, 1 << 64))
        numbers += later
        folded *= 2
        if digit == "1":
            numbers = numbers[: len(values) - folded] * _MULTIPLIER
            numbers += values[folded:]
            folded += 1
    return numbers.copy() if length == 1 else numbers


def digest_of_key(*parts: str) -> str:
    """Return 16 hex digits that follow from strings, to name what has no name of its own."""
    joined = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:_DIGEST_DIGITS]


@dataclass(frozen=True)
class GroupedRuns:
    """Numbers of the runs of all groups, in the order of the text.

    Attributes:
        numbers: Number of the run that begins at each unit; those that would leave their group,
            the last ones of each, mean nothing.
        bounds: Bounds of the groups in runs.
        units: Bounds of the groups in what the runs are made of: tokens or characters.
    """

    numbers: Uint64s
    bounds: NDArray[np.int64]
    units: NDArray[np.int64]

    @cached_property
    def features(self) -> Uint64s:
        """Number of each run."""
        sizes, counts = np.diff(self.units), np.diff(self.bounds)
        is_run = np.ones(len(self.numbers), bool)
        lost = sizes - counts
        for offset in range(1, int(lost.max(initial=0)) + 1):
            is_run[(self.units[1:] - offset)[lost >= offset]] = False
        return self.numbers[is_run]

    def followed_by(self, others: "GroupedRuns") -> "GroupedRuns":
        """Return these groups and others as one array, for which work in batches costs less."""
        return GroupedRuns(
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.bounds, others.bounds[1:] + self.bounds[-1]]),
            np.concatenate([self.units, others.units[1:] + self.units[-1]]),
        )


def ranks_within(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0 .. size - 1 for each size, one after the other."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)


def equal_runs(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where runs of equal neighbours begin, and how many values each run has."""
    begins = np.ones(len(values), np.bool_)
    begins[1:] = values[1:] != values[:-1]
    starts = np.flatnonzero(begins)
    return starts, np.diff(starts, append=len(values))


def group_runs(values: Uint64s, bounds: NDArray[np.int64], length: int) -> GroupedRuns:
    """Return the numbers of the runs of `length` neighbours inside each group.

    A group shorter than a run has one run, the whole group.
    """
    numbers = np.empty(len(values), np.uint64)
    folded = fold(values, length)
    numbers[: len(folded)] = folded
    sizes = np.diff(bounds)
    for group in np.flatnonzero((sizes > 0) & (sizes < length)):
        begin, end = bounds[group], bounds[group + 1]
        numbers[begin] = fold(values[begin:end], int(end - begin))[0]
    counts = np.maximum(sizes - length + 1, np.minimum(sizes, 1))
    return GroupedRuns(numbers, np.concatenate([[0], np.cumsum(counts)]), bounds)
