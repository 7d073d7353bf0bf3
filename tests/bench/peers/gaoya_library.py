"""Gaoya, written in Rust: MinHash and simhash of what is between white space, in one index each."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from es_simhash.lab.methods.method_protocol import Ints
from tests.bench.peers.in_memory import InMemory
from tests.bench.peers.library import require
from tests.bench.peers.minhash_libraries import NO_WORDS
from tests.bench.peers.model import Scored
from tests.bench.peers.signatures import by_bits, by_equal_values

_UNSPLIT = "not split into words: it splits at white space, and has parts of 20 characters"
# Longer words than any language with spaces has, on average of a text.
_LONG = 20


def sign_minhash(texts: Sequence[str]) -> list[Any]:
    """Return the MinHash signatures of its defaults."""
    index = require("gaoya").minhash.MinHashStringIndex().minhash_index
    return [index.tokenize_and_minhash(text) for text in texts]


def sign_simhash(texts: Sequence[str]) -> list[Any]:
    """Return the fingerprints of its defaults."""
    index = require("gaoya").simhash.SimHashStringIndex().index
    return [index.doc2signature(text) for text in texts]


class _Gaoya(ABC):
    """One of its indices with its defaults."""

    engine = None
    _bytes: ClassVar[int]

    @abstractmethod
    def _index(self) -> Any:
        """Return an empty index."""

    @abstractmethod
    def _score(self, texts: Sequence[str], known: Ints) -> Scored:
        """Return pairs of texts with their scores; the index does not return its signatures."""

    def build(self, texts: Sequence[str]) -> InMemory:
        """Put texts into its index, one by one: all at once would use every processor."""
        index = self._index()
        known = _known(texts)
        for number in known:
            index.insert_document(number, texts[number])
        return InMemory(
            known,
            lambda number: index.query(texts[number]),
            partial(self._score, texts),
            self._bytes * len(known),
            _failures(texts, known),
        )


class GaoyaMinHash(_Gaoya):
    """Its MinHash index."""

    name = "gaoya-minhash"
    tool = "gaoya MinHash, 100 hashes of words; default: 20 bands, Jaccard 0.75"
    # Of 32 bits each.
    _bytes = 100 * 4

    def _index(self) -> Any:
        return require("gaoya").minhash.MinHashStringIndex()

    def _score(self, texts: Sequence[str], known: Ints) -> Scored:
        return by_equal_values(np.array(sign_minhash(texts), np.uint32), known)


class GaoyaSimhash(_Gaoya):
    """Its simhash index."""

    name = "gaoya-simhash"
    tool = "gaoya simhash, 64 bits of words; default: 6 blocks, 5 bits differ"
    _bytes = 8

    def _index(self) -> Any:
        return require("gaoya").simhash.SimHashStringIndex()

    def _score(self, texts: Sequence[str], known: Ints) -> Scored:
        return by_bits(np.array(sign_simhash(texts), np.uint64), known)


def _known(texts: Sequence[str]) -> list[int]:
    """Return the texts with words; the library finds all others equal."""
    return [number for number, text in enumerate(texts) if text.split()]


def _failures(texts: Sequence[str], known: Sequence[int]) -> Counter[str]:
    unsplit = sum(len(texts[number]) > _LONG * len(texts[number].split()) for number in known)
    return +Counter({NO_WORDS: len(texts) - len(known), _UNSPLIT: unsplit})
