"""Simhash of the characters of a text, as most libraries compute it.

A window of four characters of the letters and digits of a text, each occurrence counted, 64 bits;
fingerprints within k = 3 bits are found through C(6, 3) sorted tables (`close_pairs`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from es_simhash.fingerprints.hashing import group_runs
from es_simhash.fingerprints.simhash import run_fingerprints
from es_simhash.lab.methods.close_pairs import MaskTables, as_numbers, permuted_masks
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from es_simhash.lab.methods.method_scheme import FingerprintScheme
from es_simhash.lab.methods.shingle_sets import segmented
from es_simhash.store.indexed_methods import NO_WORDS

WINDOW, BITS, MAX_DISTANCE = 4, 64, 3
TABLES = MaskTables(BITS, permuted_masks(BITS, 6, MAX_DISTANCE), MAX_DISTANCE)
_SCHEME = FingerprintScheme(
    "simhash64-char4.v1",
    "simhash-4grams",
    BITS // 8,
    lambda rows: DocumentFingerprints.restored(rows, TABLES),
)


@dataclass(frozen=True)
class CharacterSimhash:
    """Simhash of windows of characters.

    Attributes:
        name: Name of the method.
        threshold: Similarity of two fingerprints within k bits.
        note: Empty.
        scheme: Scheme of its fingerprints.
    """

    name: str = _SCHEME.method
    threshold: float = 1 - MAX_DISTANCE / BITS
    note: str = ""
    scheme: FingerprintScheme = _SCHEME

    def read(self, texts: Sequence[str]) -> DocumentFingerprints:
        """Return the fingerprints of texts."""
        rows = [np.zeros((0, BITS // 8), np.uint8)]
        counts: list[int] = []
        for segmentation in segmented(texts):
            is_letter = segmentation.classes > 0
            before = np.concatenate([[0], np.cumsum(is_letter)])
            bounds = before[segmentation.code_bounds]
            letters = segmentation.codes[is_letter].astype(np.uint64)
            runs = group_runs(letters, bounds, WINDOW)
            rows.append(run_fingerprints(runs, BITS))
            counts.extend(end - start for start, end in pairwise(bounds.tolist()))
        known = np.flatnonzero(counts)
        numbers = np.zeros(len(texts), np.uint64)
        numbers[known] = as_numbers(np.concatenate(rows))
        unreadable = {place: NO_WORDS for place, count in enumerate(counts) if not count}
        return DocumentFingerprints(numbers, unreadable, TABLES)
