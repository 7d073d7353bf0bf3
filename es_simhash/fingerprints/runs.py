"""Runs of neighbouring units (tokens or characters) that stay inside one group (text or chunk)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold


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
