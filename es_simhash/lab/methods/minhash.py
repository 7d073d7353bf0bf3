"""MinHash of character shingles, with a choice of hash families, and banding.

Broder, "On the resemblance and containment of documents" (SEQUENCES 1997): the smallest hash of two
sets is the same with the probability of their resemblance.

Each function of a family has a number; its parameters are XXH64 of 2i and 2i + 1, so that they are
the same everywhere:

- modular: (a x + b) mod p, p = 2^31 - 1 (Carter and Wegman 1979);
- multiplicative: the high 32 bits of a x + b modulo 2^64, a odd (Dietzfelbinger et al. 1997);
- murmur3: MurmurHash3_x86_32 of the four bytes of x, low byte first, with the seed i.

Bands of the signatures find candidates. Two texts of resemblance s agree in all r rows of one of b
bands with the probability 1 - (1 - s^r)^b. The threshold is put at (1/b)^(1/r); what that
probability really is there is 1 - (1 - 1/b)^b: about 0.64, not 1 (Leskovec, Rajaraman, Ullman,
"Mining of massive datasets", 3.4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import BASE, Fingerprints, Uint64s, xxh64
from es_simhash.lab.methods.close_pairs import key_strings
from es_simhash.lab.methods.document_fingerprints import FingerprintBatch
from es_simhash.lab.methods.method_protocol import Ints, Pairs, Scores
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.lab.methods.shingle_sets import FeatureSets, characters_of
from es_simhash.store.indexed_methods import Keys

Uint32s = NDArray[np.uint32]
Family = Callable[[Uint32s, int], Uint32s]

_PRIME = np.uint64(2**31 - 1)
# Bits of a band's number that its block key has.
_KEY_BITS = 48


def _parameters(number: int) -> tuple[np.uint64, np.uint64]:
    one, other = xxh64(np.array([2 * number, 2 * number + 1], np.uint64), 0)[0]
    return one, other


def modular(values: Uint32s, number: int) -> Uint32s:
    """Return (a x + b) mod (2^31 - 1) of each value."""
    a, b = _parameters(number)
    hashed: Uint64s = values.astype(np.uint64) % _PRIME
    hashed *= a % (_PRIME - np.uint64(1)) + np.uint64(1)
    hashed += b % _PRIME
    hashed %= _PRIME
    return hashed.astype(np.uint32)


def multiplicative(values: Uint32s, number: int) -> Uint32s:
    """Return the high half of a x + b modulo 2^64 of each value."""
    a, b = _parameters(number)
    product: Uint64s = values.astype(np.uint64)
    product *= a | np.uint64(1)
    product += b
    product >>= np.uint64(32)
    return product.astype(np.uint32)


def murmur3(values: Uint32s, number: int) -> Uint32s:
    """Return MurmurHash3_x86_32 of the four bytes of each value, with the number as seed."""
    k: Uint32s = values * np.uint32(0xCC9E2D51)
    k = k << np.uint32(15) | k >> np.uint32(17)
    k *= np.uint32(0x1B873593)
    h: Uint32s = k ^ np.uint32(number)
    h = h << np.uint32(13) | h >> np.uint32(19)
    h *= np.uint32(5)
    h += np.uint32(0xE6546B64)
    h ^= np.uint32(4)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h


FAMILIES: dict[str, Family] = {
    "modular": modular,
    "multiplicative": multiplicative,
    "murmur3": murmur3,
}


@dataclass(frozen=True)
class Banding:
    """How a signature is cut into bands.

    Attributes:
        bands: How many bands there are.
        rows: Values of a band.
    """

    bands: int = 20
    rows: int = 10

    @property
    def hashes(self) -> int:
        """Values of a signature."""
        return self.bands * self.rows

    @property
    def threshold(self) -> float:
        """The resemblance that the bands are made for."""
        return float((1 / self.bands) ** (1 / self.rows))

    def probability(self, resemblance: float) -> float:
        """Return how probable it is that texts of a resemblance become candidates."""
        return float(1 - (1 - resemblance**self.rows) ** self.bands)

    @property
    def note(self) -> str:
        """The threshold, and the probability that is really reached there, as one line."""
        return (
            f"{self.bands} bands of {self.rows} rows: texts of resemblance {self.threshold:.3f} "
            f"become candidates with a probability of {self.probability(self.threshold):.3f}, "
            f"of 0.5 with {self.probability(0.5):.3f}"
        )

    def keys(self, signatures: NDArray[np.uint32]) -> Uint64s:
        """Return a number for each band of signatures: shape (signatures, bands)."""
        bands = signatures.reshape(len(signatures), self.bands, self.rows).astype(np.uint64)
        keys = np.empty((len(signatures), self.bands), np.uint64)
        for band in range(self.bands):
            numbers = np.zeros(len(signatures), np.uint64)
            for row in range(self.rows):
                numbers = numbers * np.uint64(BASE) + bands[:, band, row]
            keys[:, band] = xxh64(numbers, band)[0]
        return keys

    def row_keys(self, rows: Fingerprints) -> Keys:
        """Return the block keys of each signature, one for each band."""
        signatures = np.ascontiguousarray(rows).view(">u4").astype(np.uint32)
        return key_strings(self.keys(signatures) >> np.uint64(64 - _KEY_BITS), _KEY_BITS)

    def candidates(self, signatures: NDArray[np.uint32]) -> Pairs:
        """Return the pairs of signatures that agree in a whole band."""
        keys = self.keys(signatures)
        bounds = np.arange(len(signatures) + 1) * self.bands
        return FeatureSets.of(keys.ravel(), bounds).sharing()


SHINGLE_CHARACTERS = 9
BANDING = Banding()
# Pairs whose signatures are compared at once: 40 MB.
_PAIRS = 50_000


@dataclass(frozen=True)
class Signatures(FingerprintBatch):
    """MinHash signatures of texts, each value as four bytes, the highest first."""

    tables: Banding
    unit: ClassVar[str] = "values"

    @cached_property
    def values(self) -> Uint32s:
        """One row for each text; of texts without shingles 0."""
        values = np.zeros((len(self), self.tables.hashes), np.uint32)
        values[self.owners] = self._known
        return values

    @property
    def _known(self) -> Uint32s:
        return np.ascontiguousarray(self.fingerprints).view(">u4").astype(np.uint32)

    def candidates_of(self, text: int) -> Ints:
        """Return the texts that agree with one in a band."""
        bands = (len(self), self.tables.bands, self.tables.rows)
        agree = (self.values == self.values[text]).reshape(bands).all(axis=2).any(axis=1)
        agree[[text, *self.unreadable]] = False
        return np.flatnonzero(agree & (text not in self.unreadable))

    def units(self, first: Ints, second: Ints) -> Ints:
        """Return the values of a signature for each pair."""
        return np.full(len(first), self.tables.hashes)

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
        pairs: Pairs = self.owners[self.tables.candidates(self._known)]
        return pairs


def minhash_signatures(
    texts: Sequence[str], family: Family, banding: Banding = BANDING
) -> Signatures:
    """Return the signatures of texts.

    Args:
        texts: The texts.
        family: Hash functions by their numbers.
        banding: How many of them, and how candidates are found.
    """
    runs = characters_of(texts).runs(SHINGLE_CHARACTERS)
    numbers, ids = np.unique(runs.features, return_inverse=True)
    sets = FeatureSets.of(ids.astype(np.uint64), runs.bounds)
    values = (xxh64(numbers, 0)[0] >> np.uint64(32)).astype(np.uint32)
    known = np.flatnonzero(sets.sizes)
    signatures = np.zeros((len(known), banding.hashes), ">u4")
    for number in range(banding.hashes if len(known) else 0):
        hashed = family(values, number)[sets.ids]
        signatures[:, number] = np.minimum.reduceat(hashed, sets.bounds[known])
    rows = signatures.view(np.uint8).reshape(len(known), 4 * banding.hashes)
    bounds = np.concatenate([[0], np.cumsum(sets.sizes > 0)])
    return Signatures(rows, bounds, banding)


def minhash(family: str, banding: Banding = BANDING) -> FingerprintMethod:
    """Return the method with one of `FAMILIES`."""
    bands, hashes = banding.bands, banding.hashes
    name = f"minhash-{family}"
    return FingerprintMethod(
        name,
        banding.threshold,
        note=banding.note,
        read=partial(minhash_signatures, family=FAMILIES[family], banding=banding),
        scheme=FingerprintScheme(
            f"minhash{hashes}-{family}-char{SHINGLE_CHARACTERS}-b{bands}.v1",
            name,
            4 * hashes,
            partial(Signatures, tables=banding),
        ),
    )
