"""Units: documents that are compared with others as one, and their texts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.copies.documents import CopyDocument
from es_simhash.relation.shingle_sample import least_shared

Shingles = NDArray[np.uint32]


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
