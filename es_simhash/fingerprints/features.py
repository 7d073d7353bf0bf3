"""Features of documents and chunks, and passages picked by winnowing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold, run_numbers, xxh64
from es_simhash.fingerprints.scheme import CHUNK_CHARACTERS, LARGEST_WINDOW, SHINGLE_TOKENS
from es_simhash.text.segmentation import Ints, Segmentation

_SHINGLE_SEED = 2
_SPACE = ord(" ")
# Windows of texts of up to so many tokens; the last is that of all longer texts.
_UP_TO = np.array([64, 128, 256])
_WINDOWS = np.array([1, 3, 6, LARGEST_WINDOW])


@dataclass(frozen=True)
class Grouped:
    """Feature numbers in the order of the text.

    Attributes:
        features: Numbers of the runs.
        bounds: Bounds of the groups in features.
        units: Bounds of the groups in what the runs are made of: tokens or characters.
    """

    features: Uint64s
    bounds: Ints
    units: Ints


def _drop_crossing(numbers: Uint64s, bounds: Ints, length: int) -> Grouped:
    """Keep the runs that stay in their group; a group shorter than a run keeps one, its whole.

    `numbers[i]` numbers the run from i; `bounds` are those of the groups in unit positions.
    """
    sizes = np.diff(bounds)
    counts = np.maximum(sizes - length + 1, np.minimum(sizes, 1))
    kept = np.repeat(bounds[:-1], counts) + _ranks(counts)
    return Grouped(numbers[kept], np.concatenate([[0], np.cumsum(counts)]), bounds)


def _ranks(counts: Ints) -> Ints:
    """0 .. count - 1 for each count, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)


def _runs(values: Uint64s, bounds: Ints, length: int) -> Grouped:
    """Number the runs of `length` neighbours inside each group."""
    numbers = np.zeros(len(values), np.uint64)
    folded = fold(values, length)
    numbers[: len(folded)] = folded
    sizes = np.diff(bounds)
    for group in np.flatnonzero((sizes > 0) & (sizes < length)):
        begin, end = bounds[group], bounds[group + 1]
        numbers[begin] = fold(values[begin:end], int(end - begin))[0]
    return _drop_crossing(numbers, bounds, length)


def token_numbers(segmentation: Segmentation) -> Uint64s:
    """Hash each token: XXH64, seed 0, of the polynomial number of its code points."""
    numbers = run_numbers(segmentation.codes, segmentation.starts, segmentation.ends)
    return xxh64(numbers, 0)[0]


def word_pairs(tokens: Uint64s, segmentation: Segmentation) -> Grouped:
    """Features of the document fingerprints: each run of two tokens of a text."""
    return _runs(tokens, segmentation.texts, 2)


def chunk_characters(segmentation: Segmentation) -> Grouped:
    """Features of the chunk fingerprints: runs of four characters.

    The characters of a chunk are those of its tokens, a space before each token.
    """
    characters, bounds = _spaced(segmentation)
    return _runs(characters, bounds, CHUNK_CHARACTERS)


def _spaced(segmentation: Segmentation) -> tuple[Uint64s, Ints]:
    """Characters of all tokens, a space before each, and the bounds of the chunks in them."""
    lengths = segmentation.ends - segmentation.starts
    lengths += 1
    token_bounds = np.concatenate([[0], np.cumsum(lengths)])
    spaces = token_bounds[:-1]
    characters = np.empty(int(token_bounds[-1]), np.uint64)
    is_letter = np.ones(len(characters), bool)
    is_letter[spaces] = False
    characters[is_letter] = segmentation.codes[segmentation.classes > 0]
    characters[spaces] = _SPACE
    return characters, token_bounds[segmentation.chunks]


@dataclass(frozen=True)
class Picked:
    """Passages picked by winnowing, in the order of the text.

    Attributes:
        hashes: Hashes of the passages.
        levels: For each, the number of the largest window of `windows` that picks it, from 0.
        bounds: Bounds of the texts in picked passages.
    """

    hashes: Uint64s
    levels: NDArray[np.uint8]
    bounds: Ints


def windows(largest: int) -> Ints:
    """Return the windows of texts of up to 64, up to 128, up to 256 and more tokens."""
    return np.asarray(np.minimum(_WINDOWS, largest))


def level_of(tokens: NDArray[np.int64]) -> Ints:
    """Return the number of the window of texts of so many tokens, from 0 to 3."""
    return np.asarray(np.searchsorted(_UP_TO, tokens))


def shingles(tokens: Uint64s, segmentation: Segmentation, largest: int) -> Picked:
    """Pick passages, runs of four tokens, by winnowing.

    In every window of neighbouring passages those with the smallest hash are picked (Schleimer,
    Wilkerson, Aiken: "Winnowing", SIGMOD 2003; equals all count, as a term is stored once anyway).
    Short texts have smaller windows, so that about 64 passages are picked from texts of 64 to 400
    tokens. A smaller window picks all that a larger one picks, so two texts that share a run of
    window + 3 tokens, of the larger of their windows, share a picked passage.
    """
    runs = _runs(tokens, segmentation.texts, SHINGLE_TOKENS)
    hashes = xxh64(runs.features, _SHINGLE_SEED)[0]
    own_level = np.repeat(level_of(np.diff(segmentation.texts)), np.diff(runs.bounds))
    reached = np.zeros(len(hashes), np.uint8)
    for level, size in enumerate(windows(largest).tolist()):
        reached[_is_picked(hashes, runs.bounds, size) & (own_level <= level)] = level + 1
    positions = np.flatnonzero(reached)
    bounds = np.searchsorted(positions, runs.bounds)
    return Picked(hashes[positions], reached[positions] - np.uint8(1), bounds)


def _is_picked(hashes: Uint64s, bounds: Ints, size: int) -> NDArray[np.bool_]:
    """Check of each passage whether it is the smallest of a window that lies inside its text."""
    if size == 1:
        return np.ones(len(hashes), bool)
    if len(hashes) < size:
        return np.zeros(len(hashes), bool)
    # The greatest of the minima of all windows around a passage equals its hash exactly when it is
    # the smallest of one of them: a morphological opening, without a loop over windows.
    minima = _sliding(np.minimum, hashes, size)
    border = (bounds[1:-1, None] - np.arange(1, size)).ravel()
    minima[border[(border >= 0) & (border < len(minima))]] = 0
    padding = np.zeros(size - 1, np.uint64)
    opening = _sliding(np.maximum, np.concatenate([padding, minima, padding]), size)
    return np.asarray(opening == hashes)


def _sliding(extreme: np.ufunc, values: Uint64s, size: int) -> Uint64s:
    """Extreme of each window of `size` neighbours, by doubling: log2(size) passes."""
    reach = 1
    while reach * 2 <= size:
        values = extreme(values[:-reach], values[reach:])
        reach *= 2
    rest = size - reach
    return extreme(values[:-rest], values[rest:]) if rest else values
