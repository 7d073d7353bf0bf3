"""The words of the chunks of a text, weighted: which passages of two texts are nearest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.rarity import rarity
from es_simhash.text.tokens import Ints

# A chunk of one rare word would be nearest to everything that has it.
_LEAST_SQUARES = 25.0


@dataclass(frozen=True)
class WeightedChunks:
    """The words of each chunk, weighted by (1 + log count) × rarity, all of them to length 1.

    Attributes:
        count: Number of chunks.
        vocabulary: Number of each word.
        chunks: Chunk of each entry.
        words: Number of the word of each entry.
        weights: Weight of each entry.
    """

    count: int
    vocabulary: Mapping[str, int]
    chunks: Ints
    words: Ints
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, chunk_words: Sequence[Mapping[str, int]], language: str) -> "WeightedChunks":
        """Return the weighted chunks of a text.

        Args:
            chunk_words: Counts of the words of each chunk.
            language: ISO 639-1 code of the text.
        """
        vocabulary: dict[str, int] = {}
        for word in chain.from_iterable(chunk_words):
            vocabulary.setdefault(word, len(vocabulary))
        chunks = np.repeat(np.arange(len(chunk_words)), [len(words) for words in chunk_words])
        words = np.fromiter(
            map(vocabulary.__getitem__, chain.from_iterable(chunk_words)), np.int64, len(chunks)
        )
        counts = np.fromiter(
            chain.from_iterable(words.values() for words in chunk_words), np.float64, len(chunks)
        )
        rarities = rarity(vocabulary, language).astype(np.float64)
        weights = (1 + np.log(counts)) * rarities[words]
        squares = np.bincount(chunks, weights * weights, len(chunk_words))
        weights /= np.sqrt(np.maximum(squares, _LEAST_SQUARES))[chunks]
        return cls(len(chunk_words), vocabulary, chunks, words, weights)

    def cosines(self, other: "WeightedChunks") -> NDArray[np.float64]:
        """Return the cosines of each chunk with each of another text."""
        shared = sorted(self.vocabulary.keys() & other.vocabulary.keys())
        cosines: NDArray[np.float64] = self._weights_of(shared) @ other._weights_of(shared).T
        return cosines

    def _weights_of(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the weights of some words, a row for each chunk."""
        columns = np.full(len(self.vocabulary), -1)
        columns[[self.vocabulary[word] for word in words]] = np.arange(len(words))
        places = columns[self.words]
        kept = places >= 0
        rows = np.zeros((self.count, len(words)))
        rows[self.chunks[kept], places[kept]] = self.weights[kept]
        return rows
