"""Shingles, runs of four tokens: which of them are indexed, chosen by winnowing.

Schleimer, Wilkerson, Aiken: "Winnowing: local algorithms for document fingerprinting" (SIGMOD
2003). Of equal hashes in a window all are selected, as a term is indexed once anyway.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold, xxh64
from es_simhash.fingerprints.runs import group_runs
from es_simhash.fingerprints.scheme import MAX_WINDOW, SHINGLE_BITS, SHINGLE_TOKENS
from es_simhash.text.segmentation import Ints, Segmentation

_SEED = 2
# Windows of texts of up to so many tokens; the last is that of all longer texts.
_TOKEN_LIMITS = np.array([64, 128, 256])
_WINDOWS = np.array([1, 3, 6, MAX_WINDOW])
_LEVEL_BITS = 2


@dataclass(frozen=True)
class WinnowedShingles:
    """Shingles selected by winnowing, in the order of the text.

    Attributes:
        hashes: Hashes of the shingles.
        levels: For each, the number of the largest of `winnowing_windows` that selects it, from 0.
        bounds: Bounds of the texts in shingles.
    """

    hashes: Uint64s
    levels: NDArray[np.uint8]
    bounds: Ints


@dataclass(frozen=True)
class DistinctShingles:
    """The shingles of each text in the form that is stored: by number, each once.

    Attributes:
        numbers: Numbers of 24 bits, ascending inside each text.
        levels: For each, the number of the largest window that selects it, from 0.
        bounds: Bounds of the texts in shingles.
    """

    numbers: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    bounds: Ints


def winnowing_windows(largest: int) -> Ints:
    """Return the windows of texts of up to 64, up to 128, up to 256 and more tokens."""
    return np.asarray(np.minimum(_WINDOWS, largest))


def window_level(tokens: NDArray[np.int64]) -> Ints:
    """Return the number of the window of texts of so many tokens, from 0 to 3."""
    return np.asarray(np.searchsorted(_TOKEN_LIMITS, tokens))


def winnow(tokens: Uint64s, segmentation: Segmentation, largest: int) -> WinnowedShingles:
    """Return the shingles that have the smallest hash of a window of neighbouring shingles.

    Short texts have smaller windows, so that about 64 shingles are selected from texts of 64 to
    400 tokens. A smaller window selects all that a larger one selects, so two texts that share a
    run of window + 3 tokens, of the larger of their windows, share a selected shingle.
    """
    runs = group_runs(tokens, segmentation.texts, SHINGLE_TOKENS)
    hashes = xxh64(runs.features, _SEED)[0]
    text_level = np.repeat(window_level(np.diff(segmentation.texts)), np.diff(runs.bounds))
    reached = np.zeros(len(hashes), np.uint8)
    for level, size in enumerate(winnowing_windows(largest).tolist()):
        reached[_is_selected(hashes, runs.bounds, size) & (text_level <= level)] = level + 1
    positions = np.flatnonzero(reached)
    bounds = np.searchsorted(positions, runs.bounds)
    return WinnowedShingles(hashes[positions], reached[positions] - np.uint8(1), bounds)


def _is_selected(hashes: Uint64s, bounds: Ints, size: int) -> NDArray[np.bool_]:
    """Check of each shingle whether it is the smallest of a window that lies inside its text."""
    if size == 1:
        return np.ones(len(hashes), bool)
    if len(hashes) < size:
        return np.zeros(len(hashes), bool)
    # The greatest of the minima of all windows around a shingle equals its hash exactly when it is
    # the smallest of one of them: a morphological opening, without a loop over windows.
    minima = _sliding(np.minimum, hashes, size)
    border = (bounds[1:-1, None] - np.arange(1, size)).ravel()
    minima[border[(border >= 0) & (border < len(minima))]] = 0
    padding = np.zeros(size - 1, np.uint64)
    opening = _sliding(np.maximum, np.concatenate([padding, minima, padding]), size)
    return np.asarray(opening == hashes)


def _sliding(extreme: np.ufunc, values: Uint64s, size: int) -> Uint64s:
    """Return the extreme of each window of `size` neighbours, by doubling: log2(size) passes."""
    reach = 1
    while reach * 2 <= size:
        values = extreme(values[:-reach], values[reach:])
        reach *= 2
    rest = size - reach
    return extreme(values[:-rest], values[rest:]) if rest else values


def distinct_shingles(winnowed: WinnowedShingles) -> DistinctShingles:
    """Return the shingles of each text by number, equal ones once with the highest level."""
    texts = np.arange(len(winnowed.bounds), dtype=np.uint64)
    text_of = np.repeat(texts[:-1], np.diff(winnowed.bounds))
    # Text, shingle and level in one number: sorted, the last of equal shingles has the top level.
    keys = (text_of << np.uint64(SHINGLE_BITS)) | shingle_numbers(winnowed.hashes)
    keys = np.sort((keys << np.uint64(_LEVEL_BITS)) | winnowed.levels)
    shingles = keys >> np.uint64(_LEVEL_BITS)
    is_last = np.ones(len(keys), bool)
    is_last[:-1] = shingles[1:] != shingles[:-1]
    level_mask = np.uint64((1 << _LEVEL_BITS) - 1)
    shingles, levels = shingles[is_last], (keys[is_last] & level_mask).astype(np.uint8)
    bounds = np.searchsorted(shingles, texts << np.uint64(SHINGLE_BITS))
    numbers = (shingles & np.uint64((1 << SHINGLE_BITS) - 1)).astype(np.uint32)
    return DistinctShingles(numbers, levels, bounds)


def all_shingles(tokens: Uint64s) -> NDArray[np.uint32]:
    """Return the number of the shingle that begins at each token, of one text or a part of one.

    Which of them an index has is up to winnowing. Fewer tokens than a shingle have none.
    """
    numbers = shingle_numbers(xxh64(fold(tokens, SHINGLE_TOKENS), _SEED)[0])
    return numbers.astype(np.uint32)


def shingle_numbers(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the highest 24 bits of shingle hashes."""
    numbers: NDArray[np.uint64] = hashes >> np.uint64(64 - SHINGLE_BITS)
    return numbers


def shingle_counts(levels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many distinct shingles each of the four windows selects.

    The window of the text selects all of them; smaller ones are counted as 0.
    """
    per_level = np.bincount(levels, minlength=4)
    reaching = np.cumsum(per_level[::-1])[::-1]
    reaching[: int(levels.min(initial=3))] = 0
    return reaching
