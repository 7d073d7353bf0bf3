"""Clusters of seeds: pairs of sentences that are near each other in both texts at once."""

import numpy as np

from es_simhash.text.segmentation import Ints


def clusters(query: Ints, hit: Ints, query_gap: int, hit_gap: int) -> list[Ints]:
    """Return groups of seeds without a gap in either text, each as places of its seeds.

    Seeds are split at the gaps in one text and in the other, in turn, until nothing splits any
    more (Sanchez-Perez et al. 2014).

    Args:
        query: Sentence of each seed in the query.
        hit: Its sentence in the hit.
        query_gap: Distance in sentences of the query from which on two seeds are apart.
        hit_gap: The same in the hit.
    """
    if not len(query):
        return []
    group = np.zeros(len(query), np.int64)
    groups = 0
    while groups <= group.max():
        groups = int(group.max()) + 1
        for places, gap in ((query, query_gap), (hit, hit_gap)):
            order = np.lexsort((places, group))
            begins = (np.diff(group[order]) != 0) | (np.diff(places[order]) > gap)
            group[order] = np.concatenate([[0], np.cumsum(begins)])
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
