"""Tables that find fingerprints within k bits, in memory.

Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007): the fingerprint is
cut into b blocks, and C(b, k) tables are sorted by the b - k blocks that k differing bits cannot
all have spoilt.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from es_simhash.errors import SchemeError
from es_simhash.fingerprints.blocks import block_sizes
from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.methods.hamming import popcount
from es_simhash.methods.model import Ints, Pairs, ordered_pairs

# Rows of one table that have the same key are all compared; of more, each with its neighbours.
_MOST_ALIKE = 2048


@lru_cache(maxsize=8)
def permuted_masks(bits: int, blocks: int, k: int) -> tuple[int, ...]:
    """Return the bits that lead each of the C(blocks, k) tables.

    Raises:
        SchemeError: There are not more blocks than k, or more than bits.
    """
    sizes = block_sizes(bits, blocks)
    if not 0 <= k < blocks:
        raise SchemeError(f"{blocks} blocks find up to {blocks - 1} differing bits, not {k}.")
    ends = np.cumsum(sizes).tolist()
    masks = [((1 << size) - 1) << (bits - end) for size, end in zip(sizes, ends, strict=True)]
    return tuple(sum(chosen) for chosen in combinations(masks, blocks - k))


def close_pairs(fingerprints: Uint64s, masks: Sequence[int], k: int) -> Pairs:
    """Return the pairs within k bits that have equal bits under one of the masks.

    Args:
        fingerprints: Of the texts.
        masks: The bits that lead each table.
        k: The greatest Hamming distance.
    """
    found = [np.zeros((0, 2), np.int64)]
    for mask in masks:
        keys = fingerprints & np.uint64(mask)
        order = np.argsort(keys, kind="stable")
        for first, second in _neighbours(keys[order]):
            rows, others = order[first], order[second]
            near = popcount(fingerprints[rows] ^ fingerprints[others]) <= k
            found.append(ordered_pairs(rows[near], others[near]))
    pairs = np.concatenate(found)
    return ordered_pairs(pairs[:, 0], pairs[:, 1])


def _neighbours(keys: Uint64s) -> Iterator[tuple[Ints, Ints]]:
    """Yield the places of equal keys, which are sorted, at each distance in the table."""
    places = np.arange(len(keys))
    for distance in range(1, min(len(keys), _MOST_ALIKE)):
        places = places[places + distance < len(keys)]
        # What has no equal key so far away has none farther.
        places = places[keys[places] == keys[places + distance]]
        if not len(places):
            return
        yield places, places + distance
