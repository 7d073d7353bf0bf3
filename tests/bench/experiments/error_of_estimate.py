"""The error of the MinHash estimate of a resemblance of 60 %, by the number of hashes."""

import math
from collections.abc import Mapping

import numpy as np

from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.evaluation.pair_measures import Floats
from es_simhash.lab.methods.minhash import FAMILIES, Family, Uint32s
from tests.bench.experiments.line_chart import Series, line_chart
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.plot_parts import Axis

HASHES = (10, 20, 50, 100, 200, 500, 1000)
# Two sets of 400 with 300 in common.
SHARED, OWN = 300, 100
RESEMBLANCE = SHARED / (SHARED + 2 * OWN)
_PAIRS_A_DRAW = 10


def theory(hashes: int) -> float:
    """Return the standard deviation of the share of so many independent trials that succeed."""
    return math.sqrt(RESEMBLANCE * (1 - RESEMBLANCE) / hashes)


def agreements(family: Family, values: Uint32s, hashes: int) -> Floats:
    """Return which hash functions have the same minimum on both sets of each pair.

    Args:
        family: Of the functions.
        values: The members of each pair: first the shared ones, then those of either side.
        hashes: How many functions.

    Returns:
        One row for each pair: 1 where the minima are equal.
    """
    found = np.empty((len(values), hashes))
    for number in range(hashes):
        hashed = family(values.ravel(), number).reshape(values.shape)
        shared = hashed[:, :SHARED].min(axis=1)
        found[:, number] = shared <= hashed[:, SHARED:].min(axis=1)
    return found


def errors(pairs: int) -> Mapping[str, list[float]]:
    """Return the root mean square error by the number of hashes, for each family."""
    generator = np.random.default_rng(60)
    values = generator.integers(0, 2**32, (pairs, SHARED + 2 * OWN), np.uint32)
    found = {}
    for name, family in FAMILIES.items():
        equal = agreements(family, values, HASHES[-1])
        found[name] = [
            float(np.sqrt(np.mean((equal[:, :hashes].mean(axis=1) - RESEMBLANCE) ** 2)))
            for hashes in HASHES
        ]
    return found


def run(size: Size) -> Result:
    """Compare the error that is measured with the one that theory expects."""
    pairs = _PAIRS_A_DRAW * size.draws
    measured = errors(pairs)
    rows = tuple(
        (
            f"{hashes:,}",
            f"{theory(hashes):.4f}",
            *(f"{values[place]:.4f}" for values in measured.values()),
        )
        for place, hashes in enumerate(HASHES)
    )
    table = Table(
        "Root mean square error of the estimate",
        ("hashes", "sqrt(s(1 − s) / n)", *measured),
        rows,
    )
    lines = [
        Series(name, list(zip(HASHES, values, strict=True)), dots=True)
        for name, values in measured.items()
    ]
    plot = line_chart(
        "Error of the MinHash estimate at 60 % resemblance",
        Axis("hashes", HASHES[0], HASHES[-1], HASHES, is_log=True),
        Axis("root mean square error", 0.01, 0.2, (0.01, 0.02, 0.05, 0.1, 0.2), is_log=True),
        [Series("theory", [(n, theory(n)) for n in HASHES], is_reference=True), *lines],
    )
    note = (
        f"{pairs} pairs of sets of {SHARED + OWN} random members, {SHARED} of them in common; the "
        "hash functions are the same for all pairs."
    )
    return Result((table,), {"": plot}, (note,))
