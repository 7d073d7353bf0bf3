"""Exact resemblance and containment of sets of words and shingles.

Resemblance (Jaccard) and containment of shingles: Broder, "On the resemblance and containment of
documents" (SEQUENCES 1997). Nine characters are a good shingle of general text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from es_simhash.lab.methods.model import Ints, Pairs, Scores, empty_texts
from es_simhash.lab.methods.sets import FeatureSets
from es_simhash.lab.methods.units import characters_of, words_of

# A shingle is stored as a hash of so many bytes.
_HASH_BYTES = 8


@dataclass(frozen=True)
class SetFeatures:
    """Sets of hashed shingles.

    Attributes:
        sets: Of the texts.
        contained: Whether containment is the score; resemblance if not.
    """

    sets: FeatureSets
    contained: bool = False

    @cached_property
    def unreadable(self) -> Mapping[int, str]:
        """Texts without a shingle."""
        return empty_texts(self.sets.bounds)

    @property
    def nbytes(self) -> int:
        """Bytes of a hash for each shingle."""
        return _HASH_BYTES * len(self.sets.ids)

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the resemblance or the containment of each pair."""
        if self.contained:
            return self.sets.containment(first, second)
        return self.sets.resemblance(first, second)

    def candidates(self) -> Pairs:
        """Return the pairs that share a shingle: all others score 0."""
        return self.sets.sharing()


@dataclass(frozen=True)
class ExactSets:
    """Runs of words or characters, compared as sets.

    Attributes:
        name: Of the method.
        length: Words or characters of a run.
        characters: Whether runs are of characters.
        contained: Whether containment is the score; resemblance if not.
        threshold: Score from which on two texts are versions.
        note: Empty.
    """

    name: str
    length: int
    characters: bool = False
    contained: bool = False
    threshold: float = 0.5
    note: str = ""

    def read(self, texts: Sequence[str]) -> SetFeatures:
        """Return the sets of shingles of texts; a text shorter than one is one shingle."""
        units = characters_of(texts) if self.characters else words_of(texts)
        runs = units.runs(self.length)
        return SetFeatures(FeatureSets.of(runs.features, runs.bounds), self.contained)
