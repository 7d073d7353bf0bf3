"""Blocks of a fingerprint and the Hamming distance they guarantee (proof in docs/guarantee.md).

Two fingerprints of f bits in b blocks that differ in k bits share at least b - k blocks, because
each differing bit spoils one block at most. A query for b - k shared blocks therefore misses none.
"""

import numpy as np

from es_simhash.errors import SchemeError
from es_simhash.fingerprints.hashing import Fingerprints


def block_sizes(bits: int, blocks: int) -> list[int]:
    """Return the bits of each block; they sum to `bits` and differ by one at most.

    Raises:
        SchemeError: There are no blocks, or more blocks than bits.
    """
    if not 1 <= blocks <= bits:
        raise SchemeError(f"{bits} bits cannot be split into {blocks} blocks.")
    small, longer = divmod(bits, blocks)
    return [small + (block < longer) for block in range(blocks)]


def block_terms(fingerprints: Fingerprints, blocks: int) -> list[list[str]]:
    """Return the index terms of each fingerprint: block number and value, `3:9f2a`, in hex."""
    bits = np.unpackbits(fingerprints, axis=1)
    columns = []
    begin = 0
    for block, size in enumerate(block_sizes(bits.shape[1], blocks)):
        powers = np.uint64(1) << np.arange(size - 1, -1, -1, dtype=np.uint64)
        values = (bits[:, begin : begin + size].astype(np.uint64) @ powers).tolist()
        digits = -(-size // 4)
        columns.append([f"{block:x}:{value:0{digits}x}" for value in values])
        begin += size
    return [list(row) for row in zip(*columns, strict=True)]


def min_shared_blocks(blocks: int, k: int) -> int:
    """Return how many blocks two fingerprints within k bits share at least.

    Raises:
        SchemeError: k is negative, or so large that nothing is guaranteed.
    """
    if not 0 <= k < blocks:
        raise SchemeError(
            f"{blocks} blocks promise a Hamming distance of 0 to {blocks - 1}, not {k}; "
            "take a scheme of more blocks."
        )
    return blocks - k
