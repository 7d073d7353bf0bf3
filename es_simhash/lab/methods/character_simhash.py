"""Simhash of the characters of a text, as most libraries compute it.

A window of four characters of the letters and digits of a text, each occurrence counted, 64 bits;
fingerprints within k = 3 bits are found through C(6, 3) sorted tables (`close_pairs`).
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from es_simhash.fingerprints.hashing import group_runs
from es_simhash.fingerprints.simhash import run_fingerprints
from es_simhash.lab.methods.close_pairs import MaskTables, permuted_masks
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme
from es_simhash.lab.methods.shingle_sets import segmented
from es_simhash.store.indexed_methods import NO_WORDS

_WINDOW, _BITS, _MAX_DISTANCE = 4, 64, 3
_TABLES = MaskTables(_BITS, permuted_masks(_BITS, 6, _MAX_DISTANCE), _MAX_DISTANCE)


def character_fingerprints(texts: Sequence[str]) -> DocumentFingerprints:
    """Return the fingerprints of texts, by their windows of characters."""
    rows = [np.zeros((0, _BITS // 8), np.uint8)]
    counts: list[int] = []
    for segmentation in segmented(texts):
        is_letter = segmentation.classes > 0
        before = np.concatenate([[0], np.cumsum(is_letter)])
        bounds = before[segmentation.code_bounds]
        letters = segmentation.codes[is_letter].astype(np.uint64)
        rows.append(run_fingerprints(group_runs(letters, bounds, _WINDOW), _BITS))
        counts.extend(np.diff(bounds).tolist())
    unread = {place: NO_WORDS for place, count in enumerate(counts) if not count}
    return DocumentFingerprints.of_read(np.concatenate(rows), len(texts), unread, _TABLES)


CHARACTER_SIMHASH = FingerprintMethod(
    "simhash-4grams",
    1 - _MAX_DISTANCE / _BITS,
    read=character_fingerprints,
    scheme=FingerprintScheme(
        "simhash64-char4.v1",
        "simhash-4grams",
        _BITS // 8,
        partial(DocumentFingerprints, tables=_TABLES),
    ),
)
