"""A table from numbers of 64 bits to small ones that whole arrays are looked up in."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import BASE, Uint64s

# What is returned of a number that the table lacks.
ABSENT = -1
_LEAST_BITS = 10
# Of so many places one is taken at most, so that few numbers are not where they are looked for
# first.
_PLACES_OF_ONE = 4


class NumberTable:
    """Numbers of 64 bits, each with one of 31: a hash table with open addressing."""

    def __init__(self) -> None:
        self._count = 0
        self._resize(_LEAST_BITS)

    def __len__(self) -> int:
        return self._count

    def _resize(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._last = (1 << bits) - 1
        self._keys = np.zeros(1 << bits, np.uint64)
        self._values = np.full(1 << bits, ABSENT, np.int32)

    def _places(self, numbers: Uint64s) -> NDArray[np.int64]:
        # Polynomial numbers differ in all bits of a product, most in the highest.
        places: NDArray[np.int64] = ((numbers * np.uint64(BASE)) >> self._shift).view(np.int64)
        return places

    def find(self, numbers: Uint64s) -> NDArray[np.int32]:
        """Return what the table has for each number; `ABSENT` where it has nothing."""
        places = self._places(numbers)
        values = self._values.take(places)
        elsewhere = np.flatnonzero((self._keys.take(places) != numbers) & (values != ABSENT))
        places = places[elsewhere]
        while len(elsewhere):
            places = (places + 1) & self._last
            at = self._values.take(places)
            values[elsewhere] = at
            is_other = (self._keys.take(places) != numbers[elsewhere]) & (at != ABSENT)
            elsewhere, places = elsewhere[is_other], places[is_other]
        return values

    def add(self, numbers: Uint64s, values: NDArray[np.int32]) -> None:
        """Add numbers that the table lacks, each once."""
        self._count += len(numbers)
        if self._count * _PLACES_OF_ONE > len(self._keys):
            self._grow()
        self._put(numbers, values)

    def _grow(self) -> None:
        taken = self._values != ABSENT
        keys, values = self._keys[taken], self._values[taken]
        self._resize((self._count * _PLACES_OF_ONE).bit_length())
        self._put(keys, values)

    def _put(self, numbers: Uint64s, values: NDArray[np.int32]) -> None:
        places = self._places(numbers)
        while len(numbers):
            free = self._values[places] == ABSENT
            # Of several that want one place, the last has it.
            self._keys[places[free]] = numbers[free]
            self._values[places[free]] = values[free]
            left = (self._keys[places] != numbers) | (self._values[places] != values)
            numbers, values = numbers[left], values[left]
            places = (places[left] + 1) & self._last
