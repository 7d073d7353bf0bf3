"""Fingerprints of many texts, one for each, compared by Hamming distance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Fingerprints, Uint64s
from es_simhash.lab.methods.close_pairs import MaskTables, as_numbers, popcount
from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores, ordered_pairs
from es_simhash.store.indexed_methods import NO_WORDS, Keys


@dataclass(frozen=True)
class DocumentFingerprints:
    """One fingerprint of up to 64 bits for each text that could be read.

    Attributes:
        numbers: Fingerprints; 0 of texts that could not be read.
        unreadable: Texts without a fingerprint.
        tables: Finds candidates.
        unit: Unit in which two fingerprints differ.
    """

    numbers: Uint64s
    unreadable: Mapping[int, str]
    tables: MaskTables
    unit: str = "bits"

    @classmethod
    def restored(cls, rows: Sequence[Fingerprints], tables: MaskTables) -> "DocumentFingerprints":
        """Return the fingerprints that `rows` gave, of each text."""
        known = [text for text, own in enumerate(rows) if len(own)]
        numbers = np.zeros(len(rows), np.uint64)
        if known:
            numbers[known] = as_numbers(np.concatenate([rows[text] for text in known]))
        unreadable = {text: NO_WORDS for text, own in enumerate(rows) if not len(own)}
        return cls(numbers, unreadable, tables)

    @property
    def bits(self) -> int:
        """Bits of a fingerprint."""
        return self.tables.bits

    def rows(self, text: int) -> Fingerprints:
        """Return the fingerprint of one text as bytes, the highest first; none without one."""
        if text in self.unreadable:
            return np.zeros((0, self.bits // 8), np.uint8)
        number = self.numbers[text : text + 1]
        return number.astype(">u8").view(np.uint8).reshape(1, 8)[:, 8 - self.bits // 8 :]

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text."""
        keys = self.tables.keys(self.numbers)
        return [[] if text in self.unreadable else [own] for text, own in enumerate(keys)]

    def candidates_of(self, text: int) -> Ints:
        """Return the texts within k bits of one."""
        near = popcount(self.numbers ^ self.numbers[text]) <= self.tables.k
        near &= self._known & self._known[text]
        near[text] = False
        return np.flatnonzero(near)

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the bits of a fingerprint for each pair."""
        return np.full(len(first), self.bits)

    @property
    def nbytes(self) -> int:
        """Bytes of the fingerprints."""
        return self.bits // 8 * (len(self.numbers) - len(self.unreadable))

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of equal bits of each pair."""
        scores = 1 - popcount(self.numbers[first] ^ self.numbers[second]) / self.bits
        scores[~(self._known[first] & self._known[second])] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that the tables of the method find."""
        known = np.flatnonzero(self._known)
        rows = self.tables.close_pairs(self.numbers[known])
        return ordered_pairs(known[rows[:, 0]], known[rows[:, 1]])

    @property
    def _known(self) -> NDArray[np.bool_]:
        known = np.ones(len(self.numbers), bool)
        known[list(self.unreadable)] = False
        return known
