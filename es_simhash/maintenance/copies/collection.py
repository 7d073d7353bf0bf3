"""The documents that are compared, by the units between which copies are looked for."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.maintenance.copies.chains import chains_of
from es_simhash.maintenance.copies.units import CopyDocument, Shingles, Unit, UnitText

# A shingle and what has it, both in one number.
SHIFT, LOW = np.uint64(32), np.uint64((1 << 32) - 1)


@dataclass
class ComparedDocuments:
    """Documents by unit, and those that are not compared.

    Attributes:
        by_values: Whether a field tells documents apart; otherwise their families do.
        changed: Documents whose text is missing, or is not the one that was fingerprinted.
        empty: Documents without words.
        without_value: Documents without a value of the field.
        without_family: Documents without a family, which are only compared by values.
        undated: How many of those that are compared have no date.
    """

    by_values: bool
    changed: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    without_value: list[str] = field(default_factory=list)
    without_family: list[str] = field(default_factory=list)
    undated: int = 0
    compared: int = 0
    _texts: dict[tuple[tuple[str, ...], str], dict[str, list[CopyDocument]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, documents: Iterable[CopyDocument]) -> None:
        """Add documents, in any order."""
        for document in documents:
            id = document.ref.id
            if not document.is_current:
                self.changed.append(id)
            elif document.is_empty:
                self.empty.append(id)
            elif self.by_values and not document.values:
                self.without_value.append(id)
            else:
                if document.family is None:
                    self.without_family.append(id)
                if self.by_values or document.family is not None:
                    self._add(document)

    def _add(self, document: CopyDocument) -> None:
        self.compared += 1
        self.undated += document.date is None
        family = document.family or ""
        values = document.values if self.by_values else (family,)
        self._texts[values, family][document.content_hash].append(document)

    @property
    def read(self) -> int:
        """How many documents were added."""
        left_out = len(self.changed) + len(self.empty) + len(self.without_value)
        return self.compared + left_out + (0 if self.by_values else len(self.without_family))

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The units, in an order that does not depend on that of the documents."""
        return tuple(
            Unit(values, tuple(texts))
            for (values, family), by_hash in sorted(self._texts.items())
            for texts in ([_texts(by_hash)] if family else chains_of(_texts(by_hash)))
        )

    @cached_property
    def values(self) -> list[str]:
        """All values of the field, or names of families, sorted."""
        return sorted({value for unit in self.units for value in unit.values})

    @cached_property
    def value_numbers(self) -> list[NDArray[np.int64]]:
        """The values of each unit, as places in `values`."""
        places = {value: place for place, value in enumerate(self.values)}
        return [np.array([places[value] for value in unit.values]) for unit in self.units]


def _texts(by_hash: dict[str, list[CopyDocument]]) -> list[UnitText]:
    """Return texts with their documents, the earliest first."""
    texts = [
        UnitText(tuple(sorted(documents, key=lambda document: document.age)))
        for documents in by_hash.values()
    ]
    return sorted(texts, key=lambda text: text.first.age)


def packed(lists: Sequence[Shingles], numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.uint64]:
    """Return each shingle of each list with each number of it, in one number, ascending, once.

    Args:
        lists: Shingles.
        numbers: One or more numbers for each list.
    """
    parts = [
        (shingles.astype(np.uint64) << SHIFT) | np.uint64(number)
        for shingles, several in zip(lists, numbers, strict=True)
        for number in several.tolist()
    ]
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.uint64)
