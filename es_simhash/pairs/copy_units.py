"""The documents that are compared, and units: documents that are compared with others as one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from es_simhash.pairs.postings import Shingles
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.relation.thresholds import KEPT_OF_CHAIN


@dataclass(frozen=True, eq=False)
class CopyDocument:
    """A document, without its text.

    Attributes:
        version: Where it is, and in which version it was read.
        content_hash: Hash of its text.
        family: Stored family; None without one.
        values: Distinct values of the field that tells documents apart, sorted.
        date: Its date; None without one.
        shingles: Wide numbers of its shingles, ascending.
        is_empty: True when it has no words.
        is_current: False when the text is missing, or is not the one that was fingerprinted.
        numbers: The numbers that the index has of the shingles, in their order; of a document that
            was just read.
    """

    version: DocumentVersion
    content_hash: str
    family: str | None
    values: tuple[str, ...]
    date: float | None
    shingles: NDArray[np.uint32]
    is_empty: bool
    is_current: bool
    numbers: NDArray[np.uint32] | None = None

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref

    @property
    def age(self) -> tuple[bool, float, DocumentRef]:
        """Key by which the earliest document comes first, and those without a date last."""
        return self.date is None, self.date or 0, self.ref


# Why a document is not compared; without a family it is still compared by values.
Reason = Literal["changed", "empty", "without_value", "without_family"]


def why_left_out(document: CopyDocument, *, by_values: bool) -> Reason | None:
    """Return why a document is not compared; None when it is.

    Args:
        document: The document.
        by_values: Whether a field tells documents apart; otherwise their families do.
    """
    if not document.is_current:
        return "changed"
    if document.is_empty:
        return "empty"
    if by_values:
        return None if document.values else "without_value"
    return "without_family" if document.family is None else None


def unit_key(document: CopyDocument, *, by_values: bool) -> tuple[tuple[str, ...], str]:
    """Return the values and the family of a unit; documents without a family have several."""
    family = document.family or ""
    return document.values if by_values else (family,), family


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


def earliest(texts: Iterable[UnitText]) -> CopyDocument:
    """Return the earliest document of texts; one without a date only if none has one."""
    return min((text.first for text in texts), key=lambda document: document.age)


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


# Chains of one shingle; further ones are not found by it.
_MAX_CHAINS = 1000


def chains_of(texts: Sequence[UnitText]) -> list[list[UnitText]]:
    """Return texts by chain, each chain with its earliest text first.

    Args:
        texts: Texts of the same values, the earliest first.
    """
    chains: list[list[UnitText]] = []
    postings: dict[int, list[int]] = defaultdict(list)
    for text in texts:
        shingles = text.shingles.tolist()
        shared = Counter(chain for shingle in shingles for chain in postings.get(shingle, ()))
        chain = _nearest(text, chains, shared)
        if chain is not None:
            chains[chain].append(text)
            continue
        for shingle in shingles:
            if len(postings[shingle]) < _MAX_CHAINS:
                postings[shingle].append(len(chains))
        chains.append([text])
    return chains


def _nearest(
    text: UnitText, chains: Sequence[Sequence[UnitText]], shared: Counter[int]
) -> int | None:
    """Return the chain whose first text has most of a text, of the smaller of both; or None."""
    shares = {
        chain: count / max(1, min(len(text.shingles), len(chains[chain][0].shingles)))
        for chain, count in shared.items()
    }
    best = max(shares, key=lambda chain: (shares[chain], -chain), default=None)
    return best if best is not None and shares[best] >= KEPT_OF_CHAIN else None


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
            reason = why_left_out(document, by_values=self.by_values)
            if reason is None:
                self._add(document)
            else:
                self._left_out[reason].append(document.ref.id)

    @property
    def _left_out(self) -> dict[Reason, list[str]]:
        return {
            "changed": self.changed,
            "empty": self.empty,
            "without_value": self.without_value,
            "without_family": self.without_family,
        }

    def _add(self, document: CopyDocument) -> None:
        self.compared += 1
        self.undated += document.date is None
        if document.family is None:
            self.without_family.append(document.ref.id)
        key = unit_key(document, by_values=self.by_values)
        self._texts[key][document.content_hash].append(document)

    @property
    def read(self) -> int:
        """How many documents were added."""
        left_out = len(self.changed) + len(self.empty) + len(self.without_value)
        return self.compared + left_out + (0 if self.by_values else len(self.without_family))

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The units, in an order that does not depend on that of the documents."""
        return tuple(
            unit
            for key, by_hash in sorted(self._texts.items())
            for unit in units_of(key, by_hash.values())
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


def units_of(
    key: tuple[tuple[str, ...], str], copies: Iterable[Sequence[CopyDocument]]
) -> Iterator[Unit]:
    """Yield the units of documents of one key.

    Args:
        key: As `unit_key` returns it.
        copies: The documents, those of each text together.
    """
    values, family = key
    texts = [UnitText(tuple(sorted(some, key=lambda document: document.age))) for some in copies]
    texts.sort(key=lambda text: text.first.age)
    for chain in [texts] if family else chains_of(texts):
        yield Unit(values, tuple(chain))
