"""Datasketch and rensa: MinHash of features that the caller makes, here runs of three words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.peers.in_memory import InMemory, word_runs
from tests.bench.peers.library import require
from tests.bench.peers.signatures import by_equal_values

_PERMUTATIONS = 128
# Rensa has no default: the threshold of its README, and bands that find nearly all from there on.
_THRESHOLD, _BANDS = 0.8, 16
NO_WORDS = "no words"


def sign_datasketch(texts: Sequence[str]) -> list[Any]:
    """Return the sketches; None of a text without words."""
    library = require("datasketch")
    sketches: list[Any] = []
    for runs in word_runs(texts):
        sketch = library.MinHash(num_perm=_PERMUTATIONS) if runs else None
        if sketch is not None:
            sketch.update_batch(runs)
        sketches.append(sketch)
    return sketches


class Datasketch:
    """Its LSH at the threshold it has by default."""

    engine = None
    name = "datasketch"
    tool = "datasketch MinHash, 128 permutations, runs of 3 words; default: LSH for 0.9"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Sketch texts and put them into the library's LSH."""
        library = require("datasketch")
        sketches = sign_datasketch(texts)
        lsh = library.MinHashLSH(num_perm=_PERMUTATIONS)
        for number, sketch in enumerate(sketches):
            if sketch is not None:
                lsh.insert(number, sketch)
        rows = _rows([sketch and sketch.hashvalues for sketch in sketches])
        known = [number for number, sketch in enumerate(sketches) if sketch is not None]
        return InMemory.of_signatures(
            known, lambda number: lsh.query(sketches[number]), by_equal_values, rows, NO_WORDS
        )


def sign_rensa(texts: Sequence[str]) -> list[Any]:
    """Return the sketches, of texts without words as well."""
    library = require("rensa")
    sketches: list[Any] = library.RMinHash.from_token_sets(
        word_runs(texts), num_perm=_PERMUTATIONS, seed=42
    )
    return sketches


class Rensa:
    """Its LSH with the threshold of its README, and its own check of what that finds."""

    engine = None
    name = "rensa"
    tool = "rensa R-MinHash, 128 permutations, runs of 3 words; its README: 0.8"

    def build(self, texts: Sequence[str]) -> InMemory:
        """Sketch texts and put them into the library's LSH."""
        library = require("rensa")
        sketches = sign_rensa(texts)
        lsh = library.RMinHashLSH(threshold=_THRESHOLD, num_perm=_PERMUTATIONS, num_bands=_BANDS)
        rows = _rows([np.array(sketch.digest(), np.uint32) for sketch in sketches])
        known = np.flatnonzero((rows != np.uint32(0xFFFFFFFF)).any(axis=1)).tolist()
        for number in known:
            lsh.insert(number, sketches[number])
        return InMemory.of_signatures(
            known,
            lambda number: [
                found
                for found in lsh.query(sketches[number])
                if sketches[number].jaccard(sketches[found]) >= _THRESHOLD
            ],
            by_equal_values,
            rows,
            NO_WORDS,
        )


def _rows(signatures: Sequence[Any]) -> NDArray[np.uint32]:
    rows = np.zeros((len(signatures), _PERMUTATIONS), np.uint32)
    for row, signature in zip(rows, signatures, strict=True):
        if signature is not None:
            row[:] = signature
    return rows
