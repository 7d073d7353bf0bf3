"""MinHash of character shingles, with a choice of hash families, and banding.

Broder, "On the resemblance and containment of documents" (SEQUENCES 1997): the smallest hash of two
sets is the same with the probability of their resemblance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import xxh64
from es_simhash.fingerprints.simhash import Fingerprints
from es_simhash.lab.methods.banding import Banding
from es_simhash.lab.methods.hash_families import FAMILIES, Family
from es_simhash.lab.methods.model import NO_WORDS, Ints, Keys, Pairs, Scores, empty_texts
from es_simhash.lab.methods.scheme import FingerprintScheme
from es_simhash.lab.methods.sets import FeatureSets
from es_simhash.lab.methods.tables import key_strings
from es_simhash.lab.methods.units import characters_of

SHINGLE_CHARACTERS = 9
# Pairs whose signatures are compared at once: 40 MB.
_PAIRS = 50_000
# Bits of a band's number that its block key has.
_KEY_BITS = 48


@dataclass(frozen=True)
class Signatures:
    """MinHash signatures of texts.

    Attributes:
        values: One row for each text; of texts without shingles 0.
        unreadable: Texts without shingles.
        banding: How candidates are found.
        unit: What two texts differ in.
    """

    values: NDArray[np.uint32]
    unreadable: Mapping[int, str]
    banding: Banding
    unit: str = "values"

    def rows(self, text: int) -> Fingerprints:
        """Return the signature of one text, each value as four bytes, the highest first."""
        if text in self.unreadable:
            return np.zeros((0, 4 * self.banding.hashes), np.uint8)
        return self.values[text : text + 1].astype(">u4").view(np.uint8)

    def block_keys(self) -> list[Keys]:
        """Return the block keys of each text, one for each band."""
        numbers = self.banding.keys(self.values) >> np.uint64(64 - _KEY_BITS)
        keys = key_strings(numbers, _KEY_BITS)
        return [[] if text in self.unreadable else [own] for text, own in enumerate(keys)]

    def candidates_of(self, text: int) -> Ints:
        """Return the texts that agree with one in a band."""
        bands = (len(self.values), self.banding.bands, self.banding.rows)
        agree = (self.values == self.values[text]).reshape(bands).all(axis=2).any(axis=1)
        agree[[text, *self.unreadable]] = False
        return np.flatnonzero(agree & (text not in self.unreadable))

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the values of a signature for each pair."""
        return np.full(len(first), self.banding.hashes)

    @property
    def nbytes(self) -> int:
        """Bytes of the signatures."""
        return (len(self.values) - len(self.unreadable)) * self.banding.hashes * 4

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of equal values of each pair."""
        scores = np.zeros(len(first))
        for start in range(0, len(first), _PAIRS):
            some = slice(start, start + _PAIRS)
            scores[some] = (self.values[first[some]] == self.values[second[some]]).mean(axis=1)
        wordless = list(self.unreadable)
        scores[np.isin(first, wordless) | np.isin(second, wordless)] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that agree in a band."""
        known = np.setdiff1d(np.arange(len(self.values)), list(self.unreadable))
        found: Pairs = known[self.banding.candidates(self.values[known])]
        return found


def _restored(banding: Banding, rows: Sequence[Fingerprints]) -> Signatures:
    values = np.zeros((len(rows), banding.hashes), np.uint32)
    for text, own in enumerate(rows):
        if len(own):
            values[text] = np.ascontiguousarray(own).view(">u4")[0]
    unreadable = {text: NO_WORDS for text, own in enumerate(rows) if not len(own)}
    return Signatures(values, unreadable, banding)


@dataclass(frozen=True)
class MinHash:
    """MinHash of character shingles.

    Attributes:
        name: Of the method.
        family: Hash functions by their numbers.
        banding: How many of them, and how candidates are found.
    """

    name: str
    family: Family
    banding: Banding = field(default_factory=Banding)

    @classmethod
    def of_family(cls, family: str) -> "MinHash":
        """Return the method with one of `FAMILIES`."""
        return cls(f"minhash-{family}", FAMILIES[family])

    @property
    def scheme(self) -> FingerprintScheme:
        """How the signatures are published."""
        bands, hashes = self.banding.bands, self.banding.hashes
        family = self.name.removeprefix("minhash-")
        return FingerprintScheme(
            f"minhash{hashes}-{family}-char{SHINGLE_CHARACTERS}-b{bands}.v1",
            self.name,
            4 * hashes,
            partial(_restored, self.banding),
        )

    @property
    def threshold(self) -> float:
        """The resemblance that the bands are made for."""
        return self.banding.threshold

    @property
    def note(self) -> str:
        """The threshold of the bands, and the probability that is really reached there."""
        return self.banding.note

    def read(self, texts: Sequence[str]) -> Signatures:
        """Return the signatures of texts."""
        runs = characters_of(texts).runs(SHINGLE_CHARACTERS)
        numbers, ids = np.unique(runs.features, return_inverse=True)
        sets = FeatureSets.of(ids.astype(np.uint64), runs.bounds)
        values = (xxh64(numbers, 0)[0] >> np.uint64(32)).astype(np.uint32)
        rows = np.zeros((len(texts), self.banding.hashes), np.uint32)
        known = np.flatnonzero(sets.sizes)
        for number in range(self.banding.hashes if len(known) else 0):
            hashed = self.family(values, number)[sets.ids]
            rows[known, number] = np.minimum.reduceat(hashed, sets.bounds[known])
        return Signatures(rows, empty_texts(runs.bounds), self.banding)
