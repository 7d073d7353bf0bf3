"""Shingles, runs of four tokens: which of them are indexed, chosen by winnowing.

Schleimer, Wilkerson, Aiken: "Winnowing: local algorithms for document fingerprinting" (SIGMOD
2003). Of equal hashes in a window all are selected, as a term is indexed once anyway.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import MAX_WINDOW, SHINGLE_BITS, SHINGLE_TOKENS
from es_simhash.fingerprints.hashing import Uint64s, fold, group_runs, xxh64
from es_simhash.text.tokens import Ints, Segmentation

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
    levels = window_level(np.diff(segmentation.texts)).astype(np.uint8)
    text_level = np.repeat(levels, np.diff(runs.bounds))
    reached = _reached_levels(hashes, runs.bounds, winnowing_windows(largest).tolist())
    positions = np.flatnonzero(reached > text_level)
    bounds = np.searchsorted(positions, runs.bounds)
    return WinnowedShingles(hashes[positions], reached[positions] - np.uint8(1), bounds)


def _reached_levels(hashes: Uint64s, bounds: Ints, windows: Sequence[int]) -> NDArray[np.uint8]:
    """Return how many of the windows, from the smallest on, select each shingle.

    A window selects the smallest shingle of each place where it lies inside a text.
    """
    reached = np.zeros(len(hashes), np.uint8)
    reach, minima = 1, hashes
    for size in windows:
        if len(hashes) < size:
            break
        if size > reach:
            minima = _widened(np.minimum, minima, reach, size)
            borders = (bounds[1:-1, None] - np.arange(1, size)).ravel()
            minima[borders[(borders >= 0) & (borders < len(minima))]] = 0
            reach = size
        reached += _opening(minima, size) == hashes
    return reached


def _opening(minima: Uint64s, size: int) -> Uint64s:
    """Return the greatest of the minima of all windows around each shingle.

    It equals the hash exactly when the shingle is the smallest of one of them: a morphological
    opening, without a loop over windows.
    """
    padding = np.zeros(size - 1, np.uint64)
    return _widened(np.maximum, np.concatenate([padding, minima, padding]), 1, size)


def _widened(extreme: np.ufunc, values: Uint64s, reach: int, size: int) -> Uint64s:
    """Return the extreme of each window of `size` neighbours from those of `reach` neighbours.

    By doubling, in log2(size / reach) passes.
    """
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


def wide_shingles(tokens: Uint64s) -> NDArray[np.uint32]:
    """Return the wide number of the shingle that begins at each token, of a text or a part of one.

    Which of them an index has is up to winnowing. Fewer tokens than a shingle have none.
    """
    return wide_numbers(xxh64(fold(tokens, SHINGLE_TOKENS), _SEED)[0])


def wide_numbers(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the lowest 32 bits of shingle hashes.

    Those that winnowing selects have small hashes, and so few different numbers of 24 bits: of
    100,000 long documents a dozen have each by chance. Their lowest bits are spread evenly.
    """
    return hashes.astype(np.uint32)


def shingle_numbers(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the highest 24 bits of shingle hashes."""
    numbers: NDArray[np.uint64] = hashes >> np.uint64(64 - SHINGLE_BITS)
    return numbers


def shingle_counts(levels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many distinct shingles each of the four windows selects.

    The window of the text selects all of them; smaller ones are counted as 0.
    """
    counts: NDArray[np.int64] = counts_of_texts(levels, np.array([0, len(levels)]))[0]
    return counts


def counts_of_texts(levels: NDArray[np.uint8], bounds: Ints) -> NDArray[np.int64]:
    """Return `shingle_counts` of each text of a batch: shape (texts, 4).

    Args:
        levels: Levels of the shingles of all texts.
        bounds: Bounds of the texts in shingles.
    """
    texts = len(bounds) - 1
    keys = (np.repeat(np.arange(texts), np.diff(bounds)) << _LEVEL_BITS) + levels
    per_level = np.bincount(keys, minlength=texts << _LEVEL_BITS).reshape(texts, 1 << _LEVEL_BITS)
    reaching = np.cumsum(per_level[:, ::-1], axis=1)[:, ::-1]
    # Where no shingle has the level itself or a smaller one, the window is smaller than the text's.
    return np.where(np.cumsum(per_level, axis=1) > 0, reaching, 0)
