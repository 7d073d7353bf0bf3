"""Pairs of texts that tests and experiments compare."""

import numpy as np

from es_simhash.lab.methods.method_protocol import Pairs


def all_pairs(texts: int) -> Pairs:
    """Return every pair of so many texts."""
    return np.stack(np.triu_indices(texts, 1), axis=1).astype(np.int64)
