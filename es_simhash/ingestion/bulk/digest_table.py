"""A table of 16 bytes for each key: what a run knows of every id, in memory that is bounded."""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

# Records read from a file at once.
_CHUNK = 1 << 16
RECORD_BYTES = 16


class DigestTable:
    """Values of 64 bits by keys of 64 bits; a value of 0 stands for none.

    It consists of sorted arrays, each at least twice as long as the next, so that a key takes 16
    bytes, and about twice that for the moment in which arrays are merged.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[Words, Words]] = []

    def __len__(self) -> int:
        return sum(len(keys) for keys, _ in self._runs)

    def find(self, keys: Words) -> Words:
        """Return the value of each key; 0 for those without one."""
        found = np.zeros(len(keys), np.uint64)
        for run_keys, run_values in self._runs:
            places, hits = _places(run_keys, keys)
            found[hits] = run_values[places[hits]]
        return found

    def put(self, keys: Words, values: Words) -> None:
        """Set values; of a key that is given twice, the last."""
        keys, values = _last_of_each(keys, values)
        fresh = np.ones(len(keys), np.bool_)
        for run_keys, run_values in self._runs:
            places, hits = _places(run_keys, keys)
            run_values[places[hits]] = values[hits]
            fresh &= ~hits
        self._append(keys[fresh], values[fresh])

    def load(self, records: bytes) -> None:
        """Set what `records_of` returned, in order."""
        words = np.frombuffer(records, "<u8").astype(np.uint64)
        for start in range(0, len(words), 2 * _CHUNK):
            chunk = words[start : start + 2 * _CHUNK]
            self.put(chunk[0::2], chunk[1::2])

    def _append(self, keys: Words, values: Words) -> None:
        """Add sorted keys; merge arrays that are not much longer than what comes after them."""
        if not len(keys):
            return
        while self._runs and len(self._runs[-1][0]) < 2 * len(keys):
            older_keys, older_values = self._runs.pop()
            places = np.searchsorted(older_keys, keys)
            keys = np.insert(older_keys, places, keys)
            values = np.insert(older_values, places, values)
        self._runs.append((keys, values))


def _places(run_keys: Words, keys: Words) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where keys are in a sorted array, and which of them are there."""
    places = np.minimum(np.searchsorted(run_keys, keys), len(run_keys) - 1)
    return places, run_keys[places] == keys


def _last_of_each(keys: Words, values: Words) -> tuple[Words, Words]:
    """Return sorted keys, each once, with the last of its values."""
    unique, first_from_end = np.unique(keys[::-1], return_index=True)
    return unique, values[::-1][first_from_end]


def records_of(keys: Words, values: Words) -> bytes:
    """Return keys and values as they are kept in a file, 16 bytes each."""
    return np.stack([keys, values], axis=1).astype("<u8").tobytes()
