"""Bands of MinHash signatures, which find candidates.

Two texts of resemblance s agree in all r rows of one of b bands with the probability
1 - (1 - s^r)^b. The threshold is put at (1/b)^(1/r); what that probability really is there is
1 - (1 - 1/b)^b: about 0.64, not 1 (Leskovec, Rajaraman, Ullman, "Mining of massive datasets", 3.4).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import BASE, Uint64s, xxh64
from es_simhash.lab.methods.model import Pairs
from es_simhash.lab.methods.sets import FeatureSets


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

    def candidates(self, signatures: NDArray[np.uint32]) -> Pairs:
        """Return the pairs of signatures that agree in a whole band."""
        keys = self.keys(signatures)
        bounds = np.arange(len(signatures) + 1) * self.bands
        return FeatureSets.of(keys.ravel(), bounds).sharing()
