"""Runs of neighbouring units (tokens or characters) that stay inside one group (text or chunk)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold


@dataclass(frozen=True)
class GroupedRuns:
    """Numbers of the runs of all groups, in the order of the text.

    Attributes:
        features: Number of each run.
        bounds: Bounds of the groups in runs.
        units: Bounds of the groups in what the runs are made of: tokens or characters.
    """

    features: Uint64s
    bounds: NDArray[np.int64]
    units: NDArray[np.int64]


def ranks_within(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0 .. size - 1 for each size, one after the other."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)


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
    begins_run = np.ones(len(values), bool)
    for offset in range(1, length):
        begins_run[(bounds[1:] - offset)[sizes > offset]] = False
    counts = np.maximum(sizes - length + 1, np.minimum(sizes, 1))
    return GroupedRuns(numbers[begins_run], np.concatenate([[0], np.cumsum(counts)]), bounds)
