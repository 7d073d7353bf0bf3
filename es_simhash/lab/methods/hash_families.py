"""Families of hash functions of 32-bit numbers, for MinHash; each function has a number.

The parameters of function i are XXH64 of 2i and 2i + 1, so that they are the same everywhere.

- modular: (a x + b) mod p, p = 2^31 - 1 (Carter and Wegman 1979);
- multiplicative: the high 32 bits of a x + b modulo 2^64, a odd (Dietzfelbinger et al. 1997);
- murmur3: MurmurHash3_x86_32 of the four bytes of x, low byte first, with the seed i.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, xxh64

Uint32s = NDArray[np.uint32]
Family = Callable[[Uint32s, int], Uint32s]

_PRIME = np.uint64(2**31 - 1)


def _parameters(number: int) -> tuple[np.uint64, np.uint64]:
    one, other = xxh64(np.array([2 * number, 2 * number + 1], np.uint64), 0)[0]
    return one, other


def modular(values: Uint32s, number: int) -> Uint32s:
    """Return (a x + b) mod (2^31 - 1) of each value."""
    a, b = _parameters(number)
    hashed: Uint64s = values.astype(np.uint64) % _PRIME
    hashed *= a % (_PRIME - np.uint64(1)) + np.uint64(1)
    hashed += b % _PRIME
    hashed %= _PRIME
    return hashed.astype(np.uint32)


def multiplicative(values: Uint32s, number: int) -> Uint32s:
    """Return the high half of a x + b modulo 2^64 of each value."""
    a, b = _parameters(number)
    product: Uint64s = values.astype(np.uint64)
    product *= a | np.uint64(1)
    product += b
    product >>= np.uint64(32)
    return product.astype(np.uint32)


def murmur3(values: Uint32s, number: int) -> Uint32s:
    """Return MurmurHash3_x86_32 of the four bytes of each value, with the number as seed."""
    k: Uint32s = values * np.uint32(0xCC9E2D51)
    k = k << np.uint32(15) | k >> np.uint32(17)
    k *= np.uint32(0x1B873593)
    h: Uint32s = k ^ np.uint32(number)
    h = h << np.uint32(13) | h >> np.uint32(19)
    h *= np.uint32(5)
    h += np.uint32(0xE6546B64)
    h ^= np.uint32(4)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h


FAMILIES: dict[str, Family] = {
    "modular": modular,
    "multiplicative": multiplicative,
    "murmur3": murmur3,
}
