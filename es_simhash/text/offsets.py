"""Offsets in the original text for positions in the normalised one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.characters import code_points, space_table
from es_simhash.text.normal_forms import normalise, single_forms
from es_simhash.text.tokens import Ints, Segmentation


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
    may_change = single_forms(codes) < 0
    spaces, wide_spaces = np.flatnonzero(is_space), np.flatnonzero(is_space & may_change)
    words = np.unique(np.searchsorted(spaces, np.flatnonzero(may_change & ~is_space)))
    starts = np.concatenate([[0], spaces + 1])[words]
    ends = np.concatenate([spaces, [len(codes)]])[words]
    runs = [*zip(starts.tolist(), ends.tolist(), strict=True)]
    runs += ((space, space + 1) for space in wide_spaces.tolist())
    return sorted(runs)


def _run_offsets(run: str, start: int) -> list[int]:
    normalised = normalise(run)
    if len(normalised) == len(run):
        return list(range(start, start + len(run)))
    parts = [normalise(character) for character in run]
    if "".join(parts) == normalised:
        return [start + index for index, part in enumerate(parts) for _ in part]
    return [start + min(index, len(run) - 1) for index in range(len(normalised))]


class TokenBounds(NamedTuple):
    """Where the tokens of a text are: offset of each in the original text, and of its end."""

    starts: Ints
    ends: Ints


def token_bounds(original: str, segmentation: Segmentation) -> TokenBounds:
    """Return where the tokens of a text are that was segmented by itself."""
    codes = np.arange(len(segmentation.codes))
    positions = codes if segmentation.positions is None else segmentation.positions
    offsets = original_offsets(original)
    # The end of a token is the offset after its last character, not that of the next one.
    last = np.minimum(positions[segmentation.ends - 1] + 1, len(offsets) - 1)
    return TokenBounds(
        offsets[np.minimum(positions[segmentation.starts], len(offsets) - 1)],
        np.maximum(offsets[last], offsets[positions[segmentation.ends - 1]] + 1),
    )
