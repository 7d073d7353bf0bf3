"""Offsets in the original text for positions in the normalised one."""

import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.characters import code_points, space_table
from es_simhash.text.segmentation import normalise

# Hangul letters, which are composed to syllables, though they are no marks.
_JAMO = range(0x1100, 0x1200)


def original_offsets(original: str) -> NDArray[np.int64]:
    """Return the offset in the original of each character of `normalise(original)` and of its end.

    Normalising never crosses white space, so each word is mapped by itself: character by character
    where that gives the same result, else to the start of the word.
    """
    if original.isascii():
        return np.arange(len(original) + 1)
    parts: list[NDArray[np.int64] | list[int]] = []
    place = 0
    for start, end in _runs_to_normalise(original):
        parts += [np.arange(place, start), _run_offsets(original[start:end], start)]
        place = end
    parts.append(np.arange(place, len(original) + 1))
    return np.concatenate(parts)


def _runs_to_normalise(original: str) -> list[tuple[int, int]]:
    """Return the bounds of words and spaces that may change their length; all else keeps it."""
    codes = code_points(original)
    is_space = space_table()[np.minimum(codes, len(space_table()) - 1)]
    known, places = np.unique(codes, return_inverse=True)
    may_change = ~np.array([_keeps_place(code) for code in known.tolist()], bool)[places]
    spaces, wide_spaces = np.flatnonzero(is_space), np.flatnonzero(is_space & may_change)
    words = np.unique(np.searchsorted(spaces, np.flatnonzero(may_change & ~is_space)))
    starts = np.concatenate([[0], spaces + 1])[words]
    ends = np.concatenate([spaces, [len(codes)]])[words]
    runs = [*zip(starts.tolist(), ends.tolist(), strict=True)]
    runs += ((space, space + 1) for space in wide_spaces.tolist())
    return sorted(runs)


@lru_cache(maxsize=1 << 16)
def _keeps_place(code: int) -> bool:
    """Check whether a character becomes one character, whatever its neighbours.

    No character is composed with one before it but marks and Hangul letters (NFC_Quick_Check is
    Maybe for these alone, of the characters that `normalise` changes).
    """
    character = chr(code)
    normalised = normalise(character)
    return len(normalised) == 1 and not any(
        unicodedata.category(each).startswith("M") or ord(each) in _JAMO
        for each in (character, normalised)
    )


def _run_offsets(run: str, start: int) -> list[int]:
    normalised = normalise(run)
    if len(normalised) == len(run):
        return list(range(start, start + len(run)))
    parts = [normalise(character) for character in run]
    if "".join(parts) == normalised:
        return [start + index for index, part in enumerate(parts) for _ in part]
    return [start + min(index, len(run) - 1) for index in range(len(normalised))]
