"""Times of hash families on shingles that are already numbers, whole arrays or one at a time."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from math import nan

import numpy as np
import xxhash

from es_simhash.fingerprints.hashing import xxh64
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.methods.minhash import FAMILIES, Family, Uint32s
from es_simhash.lab.methods.token_simhash import lookup8
from tests.bench.experiments.bar_panels import bar_panels, decades
from tests.bench.experiments.model import Result, Size
from tests.support import slow_methods

# Keys of an array for each draw, and those that are hashed one at a time.
_ARRAY, _SINGLE, _REPEATS = 5_000, 50, 3
_PRIME, _LOW64 = 2**31 - 1, 2**64 - 1
_A, _B = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F

Times = Mapping[str, tuple[float, float]]


def times(array: int, single: int) -> Times:
    """Return nanoseconds a hash, vectorised and in a loop of Python; nan for what there is not."""
    numbers = np.random.default_rng(1).integers(0, 2**32, array, np.uint32)
    wide = numbers.astype(np.uint64)
    some = numbers[:single].tolist()
    keys = [number.to_bytes(4, "little") for number in numbers.tolist()]
    few = keys[:single]
    a, b = _A % (_PRIME - 1) + 1, _B % _PRIME
    arrays: dict[str, Callable[[], object]] = {
        name: partial(_family, family, numbers) for name, family in FAMILIES.items()
    }
    arrays["xxhash (XXH64)"] = lambda: xxh64(wide, 0)
    arrays["Jenkins (lookup8)"] = lambda: lookup8(keys)
    loops: dict[str, Callable[[], object]] = {
        "modular": lambda: [(a * (x % _PRIME) + b) % _PRIME for x in some],
        "multiplicative": lambda: [((_A | 1) * x + _B & _LOW64) >> 32 for x in some],
        "murmur3": lambda: [slow_methods.murmur3(key, 1) for key in few],
        "xxhash (XXH64)": lambda: [xxhash.xxh64_intdigest(key) for key in few],
        "Jenkins (lookup8)": lambda: [slow_methods.lookup8(key) for key in few],
    }
    return {
        name: (_nanoseconds(arrays[name], array), _nanoseconds(loops[name], single))
        for name in arrays
    }


def _family(family: Family, numbers: Uint32s) -> object:
    return family(numbers, 1)


def _nanoseconds(call: Callable[[], object], hashes: int) -> float:
    """Return the least processor time a hash of some repeats."""
    call()
    least = nan
    for _ in range(_REPEATS):
        started = time.process_time()
        call()
        least = min(time.process_time() - started, least if least == least else 1e9)
    return least / hashes * 1e9


def run(size: Size) -> Result:
    """Measure all families."""
    measured = times(_ARRAY * size.draws, _SINGLE * size.draws)
    rows = tuple(
        (name, f"{array:,.1f}", f"{single:,.0f}", f"{single / max(array, 1e-9):,.0f} ×")
        for name, (array, single) in measured.items()
    )
    columns = ("family", "arrays, ns", "one at a time, ns", "faster by arrays")
    arrays, single = ([pair[way] for pair in measured.values()] for way in (0, 1))
    panels = [
        decades("arrays, ns a hash", arrays, single),
        decades("one at a time, ns", single, arrays),
    ]
    plot = bar_panels("Time of a hash by family", list(measured), panels)
    notes = (
        "Processor time, the least of three runs. Keys are 32-bit numbers or their four bytes. "
        "One at a time: a loop of Python; xxhash is a library in C, and the others are Python. "
        "Jenkins's hash reads bytes: to lay its keys out as arrays is most of the time.",
    )
    return Result((Table("Time of a hash", columns, rows),), {"": plot}, notes)
