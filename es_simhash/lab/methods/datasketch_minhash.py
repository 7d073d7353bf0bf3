"""MinHash and its LSH as the library datasketch computes them (extra: baselines).

Runs of three words, 128 permutations and a threshold of 0.5: the library's own choices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.lab.methods.method_protocol import (
    Ints,
    Method,
    Pairs,
    Scores,
    empty_texts,
    ordered_pairs,
    require_baseline,
)
from es_simhash.lab.methods.shingle_sets import words_of

_NAME = "minhash"
_RUN, _PERMUTATIONS, _THRESHOLD = 3, 128, 0.5


@dataclass(frozen=True)
class DatasketchSignatures:
    """Signatures of datasketch.

    Attributes:
        sketches: Sketches of the texts; None of those without words.
        rows: Their values.
        unreadable: Texts without words.
        library: The module.
    """

    sketches: Sequence[Any] = field(repr=False)
    rows: NDArray[np.uint64] = field(repr=False)
    unreadable: Mapping[int, str]
    library: Any = field(repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes of the signatures; their values have 32 bits."""
        return 4 * _PERMUTATIONS * (len(self.rows) - len(self.unreadable))

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the share of equal values of each pair."""
        equal = [
            np.count_nonzero(self.rows[one] == self.rows[other])
            for one, other in zip(first.tolist(), second.tolist(), strict=True)
        ]
        scores = np.array(equal, np.float64) / _PERMUTATIONS
        wordless = list(self.unreadable)
        scores[np.isin(first, wordless) | np.isin(second, wordless)] = 0
        return scores

    def candidates(self) -> Pairs:
        """Return the pairs that the library's LSH finds."""
        lsh = self.library.MinHashLSH(threshold=_THRESHOLD, num_perm=_PERMUTATIONS)
        first: list[int] = []
        second: list[int] = []
        for number, sketch in enumerate(self.sketches):
            if sketch is None:
                continue
            alike = lsh.query(sketch)
            first.extend(alike)
            second.extend([number] * len(alike))
            lsh.insert(number, sketch)
        return ordered_pairs(np.array(first, np.int64), np.array(second, np.int64))


def _read(texts: Sequence[str]) -> DatasketchSignatures:
    library = require_baseline("datasketch", _NAME)
    runs = words_of(texts).runs(_RUN)
    shingles = np.ascontiguousarray(runs.features).view("V8")
    sketches: list[Any] = []
    rows = np.zeros((len(texts), _PERMUTATIONS), np.uint64)
    for number, (start, end) in enumerate(pairwise(runs.bounds.tolist())):
        sketch = library.MinHash(num_perm=_PERMUTATIONS) if end > start else None
        if sketch is not None:
            sketch.update_batch([bytes(shingle) for shingle in shingles[start:end].tolist()])
            rows[number] = sketch.hashvalues
        sketches.append(sketch)
    return DatasketchSignatures(sketches, rows, empty_texts(runs.bounds), library)


DATASKETCH_MINHASH = Method(_NAME, _THRESHOLD, _read)
