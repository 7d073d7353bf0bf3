"""Connected components of texts over arrays: texts that anything links have one label."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import equal_runs

Numbers = NDArray[np.int64]


def labels_of(texts: int, one: Numbers, other: Numbers) -> Numbers:
    """Return a label for each text, the smallest number of those that it is connected with.

    Args:
        texts: How many there are.
        one: Text of each link.
        other: The other text of each link.
    """
    labels = np.arange(texts)
    while True:
        lower = np.minimum(labels[one], labels[other])
        higher = np.maximum(labels[one], labels[other])
        is_open = lower != higher
        if not is_open.any():
            return labels
        one, other = one[is_open], other[is_open]
        np.minimum.at(labels, higher[is_open], lower[is_open])
        # Each label points to a smaller one, to the end of the chain.
        while True:
            shorter = labels[labels]
            if np.array_equal(shorter, labels):
                break
            labels = shorter


def batches_of_labels(labels: Numbers, order: Numbers, size: int, start: int) -> list[int]:
    """Return where batches of texts end that share no label, each of about one size.

    Args:
        labels: Of the texts.
        order: The texts by their labels.
        size: Texts of a batch; a component with more is a batch by itself.
        start: Place in the order where the first batch begins.
    """
    ordered = labels[order]
    starts, sizes = equal_runs(ordered)
    bounds = starts + sizes
    ends = []
    while start < len(ordered):
        place = int(np.searchsorted(bounds, min(start + size, len(ordered))))
        start = int(bounds[place])
        ends.append(start)
    return ends
