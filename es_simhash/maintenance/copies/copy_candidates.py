"""Which units share shingles that few have, and which of their texts share most."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from es_simhash.maintenance.copies.copy_units import (
    LOW,
    SHIFT,
    ComparedDocuments,
    Shingles,
    Unit,
    UnitText,
    packed,
)
from es_simhash.relation.shared_shingles import least_shared

# A shingle of more units is dropped, whatever the number of values these have: the time to compare
# all of them with each other grows with the square.
MAX_UNITS = 1000

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CommonShingles:
    """Shingles that many values or families have.

    Attributes:
        shingles: The shingles, ascending.
        groups: How many values or families have each.
    """

    shingles: Shingles
    groups: Counts


class Postings:
    """The units that have each shingle, without the shingles that many have.

    Args:
        collection: All documents that are compared.
        boilerplate: What so many values, or families, have is common.
    """

    def __init__(self, collection: ComparedDocuments, boilerplate: int) -> None:
        self.units = collection.units
        self._values = collection.value_numbers
        lists = [unit.shingles for unit in self.units]
        by_value = packed(lists, self._values)
        by_unit = packed(lists, [np.array([number]) for number in range(len(lists))])
        shingles, groups = _counted(by_value)
        _, units = _counted(by_unit)
        is_common = (groups >= boilerplate) | (units > MAX_UNITS)
        self.common = CommonShingles(shingles[is_common], groups[is_common])
        # What one unit alone has is shared with none.
        is_kept = np.repeat(~is_common & (units > 1), units)
        self._packed = by_unit[is_kept]

    @cached_property
    def _shingles(self) -> NDArray[np.uint64]:
        shingles: NDArray[np.uint64] = self._packed >> SHIFT
        return shingles

    @cached_property
    def _bounds(self) -> Counts:
        """Bounds of the units in `_by_unit`."""
        numbers = np.arange(len(self.units) + 1, dtype=np.uint64)
        ordered = (self._packed & LOW)[self._order]
        return np.searchsorted(ordered, numbers)

    @cached_property
    def _order(self) -> Counts:
        return np.argsort(self._packed & LOW, kind="stable")

    def pairs(self) -> Iterator["UnitPair"]:
        """Yield the pairs of units without a value in common that share enough shingles."""
        for number, unit in enumerate(self.units):
            shingles = self._shared_shingles(number)
            others, counts = np.unique(self._after(number, shingles), return_counts=True)
            enough = counts >= unit.least_shared
            for other, count in zip(others[enough].tolist(), counts[enough].tolist(), strict=True):
                least = max(unit.least_shared, self.units[other].least_shared)
                apart = not np.isin(self._values[number], self._values[other]).any()
                if count >= least and apart:
                    theirs = self._shared_shingles(other)
                    shared = np.intersect1d(shingles, theirs, assume_unique=True)
                    yield UnitPair(unit, self.units[other], shared.astype(np.uint32))

    def _shared_shingles(self, number: int) -> NDArray[np.uint64]:
        """Return the shingles of a unit that others have too, ascending."""
        entries = self._order[self._bounds[number] : self._bounds[number + 1]]
        return self._shingles[entries]

    def _after(self, number: int, shingles: NDArray[np.uint64]) -> Counts:
        """Return the units behind one that have shingles of it, one for each of these."""
        starts = np.searchsorted(self._packed, (shingles << SHIFT) | np.uint64(number), "right")
        ends = np.searchsorted(self._packed, (shingles + np.uint64(1)) << SHIFT)
        lengths = ends - starts
        positions = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        positions += np.arange(int(lengths.sum()))
        units: NDArray[np.uint64] = self._packed[positions] & LOW
        return units.astype(np.int64)


def _counted(entries: NDArray[np.uint64]) -> tuple[Shingles, Counts]:
    """Return the distinct shingles of packed entries, and how many entries each has."""
    shingles, counts = np.unique((entries >> SHIFT).astype(np.uint32), return_counts=True)
    return shingles, counts


@dataclass(frozen=True)
class UnitPair:
    """Two units without a value in common that share shingles.

    Attributes:
        one: A unit.
        other: Another.
        shared: Shingles that both have and few others, ascending.
    """

    one: Unit
    other: Unit
    shared: Shingles

    @cached_property
    def _has(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Which of the shared shingles each text of either unit has."""
        return _membership(self.one, self.shared), _membership(self.other, self.shared)

    @cached_property
    def counts(self) -> NDArray[np.float32]:
        """How many shingles each text of the one shares with each of the other; 0 if too few."""
        ours, theirs = self._has
        counts: NDArray[np.float32] = ours @ theirs.T
        least = np.maximum(_least(self.one)[:, None], _least(self.other))
        counts[counts < least] = 0
        return counts

    @property
    def documents(self) -> int:
        """How many pairs of documents share enough."""
        ours = np.array([len(text.documents) for text in self.one.texts])
        theirs = np.array([len(text.documents) for text in self.other.texts])
        return int(ours @ (self.counts > 0) @ theirs)

    def best(self) -> "TextPair | None":
        """Return the texts that share most, of equal ones the earliest; None if none share enough.

        As texts are ordered by their dates, the first greatest count is that of the earliest.
        """
        place = int(self.counts.argmax())
        i, j = divmod(place, self.counts.shape[1])
        if not self.counts[i, j]:
            return None
        ours, theirs = self._has
        both = ours[i] * theirs[j]
        half = both.sum() / 2
        return TextPair(
            self.one.texts[i],
            self.other.texts[j],
            _texts_with(self.one, ours @ both >= half),
            _texts_with(self.other, theirs @ both >= half),
            self.documents,
        )

    def all(self) -> Iterator["TextPair"]:
        """Yield all pairs of documents that share enough."""
        for i, j in zip(*(places.tolist() for places in np.nonzero(self.counts)), strict=True):
            for one, other in product(self.one.texts[i].documents, self.other.texts[j].documents):
                ours, theirs = UnitText((one,)), UnitText((other,))
                yield TextPair(ours, theirs, (ours,), (theirs,), 1)


@dataclass(frozen=True)
class TextPair:
    """Two texts to align.

    Attributes:
        one: A text.
        other: Another.
        ones: Texts of the unit of the one that have at least half of what the two share.
        others: Texts of the unit of the other.
        documents: How many pairs of documents of the two units share enough.
    """

    one: UnitText
    other: UnitText
    ones: tuple[UnitText, ...]
    others: tuple[UnitText, ...]
    documents: int


def _membership(unit: Unit, shingles: Shingles) -> NDArray[np.float32]:
    rows = [np.isin(shingles, text.shingles, assume_unique=True) for text in unit.texts]
    return np.array(rows, np.float32)


def _least(unit: Unit) -> Counts:
    return np.array([least_shared(len(text.shingles)) for text in unit.texts])


def _texts_with(unit: Unit, chosen: NDArray[np.bool_]) -> tuple[UnitText, ...]:
    return tuple(text for text, is_chosen in zip(unit.texts, chosen, strict=True) if is_chosen)
