"""Gaoya, written in Rust: MinHash and simhash of what is between white space, in one index each."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.bench.peers.in_memory import InMemory
from tests.bench.peers.library import require
from tests.bench.peers.minhash_libraries import NO_WORDS
from tests.bench.peers.signatures import by_bits, by_equal_values

_UNSPLIT = "not split into words: it splits at white space, and has parts of 20 characters"
# Longer words than any language with spaces has, on average of a text.
_LONG = 20
_HASHES, _HASH_BYTES, _SIMHASH_BYTES = 100, 4, 8


def sign_minhash(texts: Sequence[str]) -> list[Any]:
    """Return the MinHash signatures of its defaults."""
    index = require("gaoya").minhash.MinHashStringIndex().minhash_index
    return [index.tokenize_and_minhash(text) for text in texts]


def sign_simhash(texts: Sequence[str]) -> list[Any]:
    """Return the fingerprints of its defaults."""
    index = require("gaoya").simhash.SimHashStringIndex().index
    return [index.doc2signature(text) for text in texts]


class GaoyaMinHash:
    """Its MinHash index with its defaults."""

    engine = None
    name = "gaoya-minhash"
    tool = "gaoya MinHash, 100 hashes of words; default: 20 bands, Jaccard 0.75"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Put texts into its index, one by one: all at once would use every processor."""
        index = require("gaoya").minhash.MinHashStringIndex()
        known = _known(texts)
        for number in known:
            index.insert_document(number, texts[number])
        return InMemory(
            known,
            lambda number: index.query(texts[number]),
            lambda numbers: by_equal_values(np.array(sign_minhash(texts), np.uint32), numbers),
            _HASHES * _HASH_BYTES * len(known),
            _failures(texts, known),
        )


class GaoyaSimhash:
    """Its simhash index with its defaults."""

    engine = None
    name = "gaoya-simhash"
    tool = "gaoya simhash, 64 bits of words; default: 6 blocks, 5 bits differ"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Put texts into its index, one by one."""
        index = require("gaoya").simhash.SimHashStringIndex()
        known = _known(texts)
        for number in known:
            index.insert_document(number, texts[number])
        return InMemory(
            known,
            lambda number: index.query(texts[number]),
            lambda numbers: by_bits(np.array(sign_simhash(texts), np.uint64), numbers),
            _SIMHASH_BYTES * len(known),
            _failures(texts, known),
        )


def _known(texts: Sequence[str]) -> list[int]:
    """Return the texts with words; the library finds all others equal."""
    return [number for number, text in enumerate(texts) if text.split()]


def _failures(texts: Sequence[str], known: Sequence[int]) -> Counter[str]:
    unsplit = sum(len(texts[number]) > _LONG * len(texts[number].split()) for number in known)
    return +Counter({NO_WORDS: len(texts) - len(known), _UNSPLIT: unsplit})
