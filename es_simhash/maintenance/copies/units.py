"""Documents without their texts, and units: documents that are compared with others as one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.shingle_sample import least_shared
from es_simhash.store.dates import Date
from es_simhash.store.references import DocumentRef, DocumentVersion

Shingles = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class CopyDocument:
    """A document, without its text.

    Attributes:
        version: Where it is, and in which version it was read.
        content_hash: Hash of its text.
        family: Stored family; None without one.
        values: Distinct values of the field that tells documents apart, sorted.
        date: Its date; None without one.
        shingles: Its shingles, ascending.
        is_empty: True when it has no words.
        is_current: False when the text is missing, or is not the one that was fingerprinted.
    """

    version: DocumentVersion
    content_hash: str
    family: str | None
    values: tuple[str, ...]
    date: Date | None
    shingles: NDArray[np.uint32]
    is_empty: bool
    is_current: bool

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref

    @property
    def age(self) -> tuple[bool, Date, DocumentRef]:
        """Key by which the earliest document comes first, and those without a date last."""
        return self.date is None, self.date or 0, self.ref


@dataclass(frozen=True)
class UnitText:
    """A text of a unit, and the documents that have it, the earliest first."""

    documents: tuple[CopyDocument, ...]

    @property
    def first(self) -> CopyDocument:
        """The earliest document that has it."""
        return self.documents[0]

    @property
    def shingles(self) -> Shingles:
        """Its shingles, ascending."""
        return self.first.shingles


@dataclass(frozen=True)
class Unit:
    """Documents that are one family, and have the same values of the field that tells them apart.

    Attributes:
        values: These values; of families the name of the family.
        texts: Their texts, those that are earliest first.
    """

    values: tuple[str, ...]
    texts: tuple[UnitText, ...]

    @cached_property
    def shingles(self) -> Shingles:
        """Shingles of any of its texts, ascending."""
        return np.unique(np.concatenate([text.shingles for text in self.texts]))

    @cached_property
    def least_shared(self) -> int:
        """How many shingles one of its texts must share, at the least."""
        return min(least_shared(len(text.shingles)) for text in self.texts)
