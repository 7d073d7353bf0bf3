"""Fingerprints of many texts: of each text a row of bytes, or several, and what is common to all.

What a method adds is how two texts are scored, and which pairs of all are candidates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from es_simhash.fingerprints.hashing import Fingerprints, Uint64s
from es_simhash.fingerprints.simhash import ones_of
from es_simhash.lab.methods.close_pairs import MaskTables, as_numbers, rows_near
from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores, empty_texts, ordered_pairs
from es_simhash.store.indexed_methods import Keys


class KeyTables(Protocol):
    """Tables by which fingerprints are found."""

    def row_keys(self, rows: Fingerprints) -> Keys:
        """Return the block keys of each fingerprint."""


@dataclass(frozen=True)
class FingerprintBatch:
    """Fingerprints of a batch of texts.

    Attributes:
        fingerprints: The fingerprints of all texts, in the order of the texts.
        bounds: Bounds of the texts in them, one more than there are texts.
        tables: Finds candidates.
        unread: Texts that the method cannot read, each with the reason.
    """

    fingerprints: Fingerprints = field(repr=False)
    bounds: Ints
    tables: KeyTables
    unread: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without a fingerprint, each with the reason."""
        return {**empty_texts(self.bounds), **self.unread}

    @property
    def nbytes(self) -> int:
        """Bytes of the fingerprints."""
        return self.fingerprints.size

    @cached_property
    def owners(self) -> Ints:
        """The text of each fingerprint."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def rows(self, text: int) -> Fingerprints:
        """Return the fingerprints of one text, a row of bytes each, the highest first."""
        return self.fingerprints[self.bounds[text] : self.bounds[text + 1]]

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text, of each of its fingerprints."""
        keys = self.tables.row_keys(self.fingerprints)
        return [keys[start:end] for start, end in pairwise(self.bounds.tolist())]


@dataclass(frozen=True)
class BitFingerprints(FingerprintBatch):
    """Fingerprints that are close when few of their bits differ."""

    tables: MaskTables
    unit: ClassVar[str] = "bits"

    def candidates_of(self, text: int) -> Ints:
        """Return the texts with a fingerprint within k bits of one of a text."""
        near = rows_near(self.rows(text), self.fingerprints, self.tables.k)
        return np.setdiff1d(self.owners[near], [text])

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the bits of a fingerprint for each pair."""
        return np.full(len(first), self.tables.bits)


@dataclass(frozen=True)
class DocumentFingerprints(BitFingerprints):
    """One fingerprint of 64 bits for each text that could be read."""

    @classmethod
    def of_read(
        cls, rows: Fingerprints, texts: int, unread: Mapping[int, str], tables: MaskTables
    ) -> "DocumentFingerprints":
        """Return the fingerprints of the texts that could be read.

        Args:
            rows: One row for each of them.
            texts: How many texts there are.
            unread: The others, each with the reason.
            tables: Finds candidates.
        """
        is_read = np.ones(texts, np.int64)
        is_read[list(unread)] = 0
        return cls(rows, np.concatenate([[0], np.cumsum(is_read)]), tables, unread)

    @cached_property
    def numbers(self) -> Uint64s:
        """Fingerprints as numbers; 0 of texts that could not be read."""
        numbers = np.zeros(len(self), np.uint64)
        numbers[self.owners] = as_numbers(self.fingerprints)
        return numbers

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of equal bits of each pair."""
        scores = 1 - ones_of(self.numbers[first] ^ self.numbers[second]) / self.tables.bits
        is_read = np.diff(self.bounds) > 0
        scores[~(is_read[first] & is_read[second])] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that the tables of the method find."""
        pairs = self.tables.close_pairs(as_numbers(self.fingerprints))
        return ordered_pairs(self.owners[pairs[:, 0]], self.owners[pairs[:, 1]])
