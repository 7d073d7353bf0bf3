"""Bob Jenkins's 64-bit hash `lookup8` (1997) of byte strings, for whole batches.

http://burtleburtle.net/bob/c/lookup8.c, function `hash`, level 0.
"""

from collections.abc import Sequence

import numpy as np

from es_simhash.fingerprints.hashing import Uint64s

_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C13)
_BLOCK = 24
# Of each line of the mixing: which of the three changes, the two it is lessened by, and the shift
# of the second of them: left if negative.
_ROUNDS = (43, -9, 8, 38, -23, 5, 35, -49, 11, 12, -18, 22)


def lookup8(keys: Sequence[bytes]) -> Uint64s:
    """Return the hash of each key."""
    lengths = np.array([len(key) for key in keys], np.int64)
    blocks = lengths // _BLOCK
    hashes = np.zeros(len(keys), np.uint64)
    for count in np.unique(blocks).tolist():
        rows = np.flatnonzero(blocks == count)
        size = (count + 1) * _BLOCK
        padded = b"".join(keys[row].ljust(size, b"\0") for row in rows.tolist())
        words = np.frombuffer(padded, "<u8").reshape(len(rows), -1).astype(np.uint64)
        hashes[rows] = _hashed(words, lengths[rows].astype(np.uint64))
    return hashes


def _hashed(words: Uint64s, lengths: Uint64s) -> Uint64s:
    """Return the hashes of keys that have equally many blocks of three words, zeros at the end."""
    state = [np.zeros(len(words), np.uint64) for _ in range(2)]
    state.append(np.full(len(words), _GOLDEN_RATIO))
    last = words.shape[1] - 3
    for start in range(0, last, 3):
        for place in range(3):
            state[place] += words[:, start + place]
        _mix(state)
    state[2] += lengths
    state[0] += words[:, last]
    state[1] += words[:, last + 1]
    # The lowest byte of the third word holds the length.
    state[2] += words[:, last + 2] << np.uint64(8)
    _mix(state)
    return state[2]


def _mix(state: list[Uint64s]) -> None:
    """Mix three words reversibly, in place."""
    for number, shift in enumerate(_ROUNDS):
        changed, second, third = (state[(number + step) % 3] for step in range(3))
        changed -= second
        changed -= third
        if shift > 0:
            changed ^= third >> np.uint64(shift)
        else:
            changed ^= third << np.uint64(-shift)
