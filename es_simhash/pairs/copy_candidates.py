"""Which units share shingles that few have, and which of their texts share most."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument, Unit, UnitText
from es_simhash.pairs.postings import (
    Counts,
    Postings,
    Shingles,
    list_counts,
    packed,
    paired,
    parted,
)
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.shared_shingles import least_shared

# A shingle of more units is dropped, whatever the number of values these have: the time to compare
# all of them with each other grows with the square.
MAX_UNITS = 1000


@dataclass(frozen=True)
class CommonShingles:
    """Shingles that many values or families have.

    Attributes:
        shingles: The shingles, ascending.
        groups: How many values or families have each.
    """

    shingles: Shingles
    groups: Counts


@dataclass(frozen=True)
class UnitValues:
    """The values of many units, as numbers.

    Attributes:
        ends: Where those of each unit end.
        numbers: The values, those of one unit after the other.
    """

    ends: Counts
    numbers: Counts

    def __getitem__(self, unit: int) -> Counts:
        """Return the values of a unit."""
        return self.numbers[self.ends[unit - 1] if unit else 0 : self.ends[unit]]

    def of(self, units: NDArray[np.integer]) -> tuple[NDArray[np.int64], Counts]:
        """Return the values of units, one after the other, each with the place of its unit."""
        starts = np.concatenate(([0], self.ends[:-1]))[units]
        lengths = self.ends[units] - starts
        places = np.repeat(np.arange(len(units)), lengths)
        return places, self.numbers[np.repeat(starts, lengths) + ranks_within(lengths)]

    def are_apart(self, one: Counts, other: Counts) -> NDArray[np.bool_]:
        """Check which pairs of units have no value in common."""
        places, numbers = self.of(one)
        theirs, others = self.of(other)
        both = np.intersect1d(paired(places, numbers), paired(theirs, others))
        are_apart = np.ones(len(one), np.bool_)
        are_apart[parted(both)[0]] = False
        return are_apart


class CommonCounter:
    """Tells apart, a part of all shingles at a time, what many have and what a few units share.

    Args:
        values: The values of the units.
        boilerplate: What so many values, or families, have is common.
    """

    def __init__(self, values: UnitValues, boilerplate: int) -> None:
        self._values = values
        self._boilerplate = boilerplate
        self._parts: list[tuple[Shingles, Counts]] = []

    def shared(
        self, shingles: Shingles, units: NDArray[np.uint32], lengths: Counts
    ) -> NDArray[np.bool_]:
        """Return which shingles several units have, and few values, as `SpilledPostings` asks.

        Args:
            shingles: Some shingles.
            units: The units that have each, one list after the other.
            lengths: How many have each.
        """
        of_entry = np.repeat(np.arange(len(shingles)), lengths)
        entries, numbers = self._values.of(units)
        having, _ = parted(np.unique(paired(of_entry[entries], numbers)))
        groups = np.bincount(having, minlength=len(shingles))
        is_common = (groups >= self._boilerplate) | (lengths > MAX_UNITS)
        self._parts.append((shingles[is_common], groups[is_common]))
        is_shared: NDArray[np.bool_] = ~is_common & (lengths > 1)
        return is_shared

    def common(self) -> CommonShingles:
        """Return the shingles that many have, of all parts."""
        shingles = np.concatenate([np.zeros(0, np.uint32), *(part[0] for part in self._parts)])
        groups = np.concatenate([np.zeros(0, np.int64), *(part[1] for part in self._parts)])
        order = np.argsort(shingles)
        return CommonShingles(shingles[order], groups[order])


class UnitCandidates:
    """The units that share shingles which few have.

    Args:
        collection: All documents that are compared.
        boilerplate: What so many values, or families, have is common.
        known: Further shingles that are common, ascending.

    Attributes:
        units: The units.
        common: Shingles that many have.
    """

    def __init__(
        self,
        collection: ComparedDocuments,
        boilerplate: int,
        known: Shingles | None = None,
    ) -> None:
        self.units = collection.units
        self._values = collection.value_numbers
        lists = [unit.shingles for unit in self.units]
        shingles, units = list_counts(packed(lists, np.arange(len(lists))))
        groups = _group_counts(lists, self._values)
        is_common = (groups >= boilerplate) | (units > MAX_UNITS)
        if known is not None:
            is_common |= is_in(shingles, known)
        self.common = CommonShingles(shingles[is_common], groups[is_common])
        # What one unit alone has is shared with none.
        shared = shingles[~is_common & (units > 1)]
        self._shared = {number: own[is_in(own, shared)] for number, own in enumerate(lists)}
        self._postings = Postings(self._shared)

    def pairs(
        self,
        numbers: Iterable[int] | None = None,
        *,
        new: Container[DocumentRef] | None = None,
    ) -> Iterator["UnitPair"]:
        """Yield the pairs of units without a value in common that share enough shingles.

        Args:
            numbers: Units of which the pairs with later units are wanted; None for all.
            new: Documents of which each pair has one; None for any pair.
        """
        for number in range(len(self.units)) if numbers is None else numbers:
            unit = self.units[number]
            for other, count in self._postings.after(number, unit.least_shared):
                apart = not np.isin(self._values[number], self._values[other]).any()
                if count >= self.units[other].least_shared and apart:
                    ours, theirs = self._shared[number], self._shared[other]
                    shared = np.intersect1d(ours, theirs, assume_unique=True)
                    pair = UnitPair(unit, self.units[other], shared, new)
                    if new is None or pair.has_new:
                        yield pair


def _group_counts(lists: Sequence[Shingles], values: Sequence[Counts]) -> Counts:
    """Return how many values or families have each of the shingles of units, ascending."""
    repeated = [own for own, several in zip(lists, values, strict=True) for _ in several]
    numbers = np.concatenate([np.zeros(0, np.int64), *values])
    return list_counts(np.unique(packed(repeated, numbers)))[1]


def is_in(own: Shingles, ordered: Shingles) -> NDArray[np.bool_]:
    """Check which shingles are among others, which are ascending; faster than `np.isin`."""
    if not len(ordered):
        return np.zeros(len(own), bool)
    places = np.minimum(np.searchsorted(ordered, own), len(ordered) - 1)
    is_in: NDArray[np.bool_] = ordered[places] == own
    return is_in


@dataclass(frozen=True)
class UnitPair:
    """Two units without a value in common that share shingles.

    Attributes:
        one: A unit.
        other: Another.
        shared: Shingles that both have and few others, ascending.
        new: Documents of which each pair has one; None for any pair.
    """

    one: Unit
    other: Unit
    shared: Shingles
    new: Container[DocumentRef] | None = None

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
        if self.new is not None:
            is_new = self._new_documents(self.one)[:, None] + self._new_documents(self.other) > 0
            counts[~is_new] = 0
        return counts

    def _new_documents(self, unit: Unit) -> Counts:
        """Return how many documents of each text are new."""
        return np.array([sum(map(self._is_new, text.documents)) for text in unit.texts])

    @property
    def has_new(self) -> bool:
        """Whether one of the units has a document that is new."""
        texts = chain(self.one.texts, self.other.texts)
        return any(self._is_new(document) for text in texts for document in text.documents)

    def _is_new(self, document: CopyDocument) -> bool:
        return self.new is None or document.ref in self.new

    @property
    def documents(self) -> int:
        """How many pairs of documents share enough."""
        ours = np.array([len(text.documents) for text in self.one.texts])
        theirs = np.array([len(text.documents) for text in self.other.texts])
        pairs = int(ours @ (self.counts > 0) @ theirs)
        if self.new is None:
            return pairs
        ours, theirs = (
            ours - self._new_documents(self.one),
            theirs - self._new_documents(self.other),
        )
        return pairs - int(ours @ (self.counts > 0) @ theirs)

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
        one, other = self._shown(self.one.texts[i], self.other.texts[j])
        return TextPair(
            one,
            other,
            _texts_with(self.one, ours @ both >= half),
            _texts_with(self.other, theirs @ both >= half),
            self.documents,
        )

    def _shown(self, one: UnitText, other: UnitText) -> tuple[UnitText, UnitText]:
        """Return two texts, each with the document that is shown first; one of them is new."""
        if self._is_new(one.first) or self._is_new(other.first):
            return one, other
        ours = [document for document in one.documents if self._is_new(document)]
        if ours:
            return UnitText(tuple(ours)), other
        return one, UnitText(tuple(filter(self._is_new, other.documents)))

    def all(self) -> Iterator["TextPair"]:
        """Yield all pairs of documents that share enough."""
        for i, j in zip(*(places.tolist() for places in np.nonzero(self.counts)), strict=True):
            for one, other in product(self.one.texts[i].documents, self.other.texts[j].documents):
                if not (self._is_new(one) or self._is_new(other)):
                    continue
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
