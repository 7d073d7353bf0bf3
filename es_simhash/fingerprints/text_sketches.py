"""Sketches of texts, computed in batches from their tokens."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.features import SpacedCharacters
from es_simhash.fingerprints.fingerprint_scheme import CHUNK_CHARACTERS
from es_simhash.fingerprints.hashing import BASE, GroupedRuns, Uint64s, group_runs, xxh64
from es_simhash.fingerprints.sketch import (
    HEAD_BITS,
    HEAD_TOKENS,
    LEAST_WORD_BITS,
    MOST_WORD_BITS,
    NUMBERS,
    WORD_BYTES,
)
from es_simhash.text.characters import STANDALONE, class_table
from es_simhash.text.tokens import Ints, Segmentation

_SEED = 3
_NUMBER_BITS = 16
# How many bits of each byte are set.
_BITS_SET = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(
    axis=1, dtype=np.uint8
)
# The first decimal digit after those of ASCII.
_SECOND_ZERO = 0x660


def sketches(tokens: Uint64s, segmentation: Segmentation, spaced: SpacedCharacters) -> list[bytes]:
    """Return the packed sketch of each text of a batch; of a text without tokens, no bytes.

    Args:
        tokens: Number of each token (`features.token_numbers`).
        segmentation: Tokens of the texts.
        spaced: Characters of the tokens.
    """
    sizes = np.diff(segmentation.texts)
    texts = np.repeat(np.arange(len(sizes)), sizes)
    highest = int(segmentation.codes.max(initial=0))
    numbers = np.flatnonzero(_have_digits(segmentation, highest))
    in_head = numbers[numbers - segmentation.texts[texts[numbers]] < HEAD_TOKENS]
    words, word_numbers = _long_words(tokens, segmentation, numbers, highest)
    pairs, pair_numbers = _pairs(tokens, segmentation, texts)
    in_texts = texts[np.concatenate([words, pairs])]
    values = np.concatenate([word_numbers, pair_numbers])
    parts = zip(
        sizes.tolist(),
        _heads(segmentation, spaced),
        _packed_numbers(tokens[in_head], texts[in_head], len(sizes)),
        _packed_numbers(tokens[numbers], texts[numbers], len(sizes), NUMBERS + 1),
        _packed_words(_bitmaps(in_texts, values, (len(sizes), MOST_WORD_BITS))),
        strict=True,
    )
    return [b"".join(members) if size else b"" for size, *members in parts]


def _have_digits(segmentation: Segmentation, highest: int) -> NDArray[np.bool_]:
    """Return whether each token has a decimal digit."""
    codes = segmentation.codes
    digits = np.flatnonzero(codes - np.uint32(ord("0")) < np.uint32(10))
    if highest >= _SECOND_ZERO:
        others = np.flatnonzero(codes >= _SECOND_ZERO)
        digits = np.concatenate([digits, others[class_table("digits.txt")[codes[others]] > 0]])
    # One of each run of neighbours is enough, as no token begins inside a word.
    begins_run = np.ones(len(digits), bool)
    np.not_equal(digits[1:], digits[:-1] + 1, out=begins_run[1:])
    has_digit = np.zeros(len(segmentation.starts), bool)
    has_digit[np.searchsorted(segmentation.starts, digits[begins_run], side="right") - 1] = True
    return has_digit


def _long_words(
    tokens: Uint64s, segmentation: Segmentation, numbers: Ints, highest: int
) -> tuple[Ints, Uint64s]:
    """Return the places and numbers of the words of WORD_BYTES and more that have no digit."""
    starts, ends = segmentation.starts, segmentation.ends
    sizes = ends - starts
    for bound in (0x80, 0x800, 0x10000):
        if highest < bound:
            break
        larger = np.flatnonzero(segmentation.codes >= bound)
        places = np.searchsorted(ends, larger, side="right")
        # Characters between tokens belong to none.
        places = places[: int(places.searchsorted(len(ends)))]
        inside = starts[places] <= larger[: len(places)]
        sizes += np.bincount(places[inside], minlength=len(sizes))
    is_word = sizes >= WORD_BYTES
    is_word[numbers] = False
    if highest >= 0x80:
        is_word &= segmentation.classes[starts] != STANDALONE
    places = np.flatnonzero(is_word)
    return places, tokens[places]


def _pairs(tokens: Uint64s, segmentation: Segmentation, texts: Ints) -> tuple[Ints, Uint64s]:
    """Return the places and numbers of the words of two characters that are tokens themselves."""
    is_standalone = segmentation.classes[segmentation.starts] == STANDALONE
    places = np.flatnonzero(is_standalone[:-1] & is_standalone[1:])
    places = places[texts[places] == texts[places + 1]]
    return places, tokens[places] * np.uint64(BASE) + tokens[places + 1]


def _heads(segmentation: Segmentation, spaced: SpacedCharacters) -> list[bytes]:
    runs = head_characters(segmentation, spaced, HEAD_TOKENS)
    texts = len(runs.bounds) - 1
    rows = np.repeat(np.arange(texts), np.diff(runs.bounds))
    hashes = xxh64(runs.features, _SEED)[0]
    raw = _bitmaps(rows, hashes, (texts, HEAD_BITS)).tobytes()
    size = HEAD_BITS // 8
    return [raw[start : start + size] for start in range(0, len(raw), size)]


def _bitmaps(rows: Ints, values: Uint64s, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a bitmap for each row, packed, with the bits that the lowest bits of values name."""
    bits = np.zeros(shape, bool)
    columns = (values & np.uint64(shape[1] - 1)).view(np.int64)
    bits.reshape(-1)[rows * shape[1] + columns] = True
    return np.packbits(bits, axis=1, bitorder="little")


def _packed_words(packed: NDArray[np.uint8]) -> list[bytes]:
    """Halve each bitmap while at most an eighth of its bits are set: one half laid on the other."""
    sizes = np.full(len(packed), MOST_WORD_BITS // 8)
    size = MOST_WORD_BITS // 8
    rows = np.arange(len(packed))
    while size > LEAST_WORD_BITS // 8 and len(rows):
        # As many bits as bytes are an eighth.
        rows = rows[_BITS_SET.take(packed[rows, :size]).sum(axis=1, dtype=np.int64) <= size]
        size //= 2
        packed[rows, :size] |= packed[rows, size : 2 * size]
        sizes[rows] = size
    raw = packed.tobytes()
    starts = range(0, len(raw), MOST_WORD_BITS // 8)
    return [raw[start : start + size] for start, size in zip(starts, sizes.tolist(), strict=True)]


def _packed_numbers(tokens: Uint64s, texts: Ints, count: int, most: int = 255) -> list[bytes]:
    """Return, for each text, how many of its numbers are kept, and their smallest hashes."""
    hashes = (tokens >> np.uint64(64 - _NUMBER_BITS)).view(np.int64)
    keys = np.sort(texts << _NUMBER_BITS | hashes)
    keys = keys[np.diff(keys, prepend=-1) > 0]
    bounds = np.searchsorted(keys, np.arange(count + 1) << _NUMBER_BITS).tolist()
    raw = (keys & ((1 << _NUMBER_BITS) - 1)).astype("<u2").tobytes()
    return [
        bytes((min(end - begin, most),)) + raw[2 * begin : 2 * min(end, begin + most)]
        for begin, end in pairwise(bounds)
    ]


def head_characters(
    segmentation: Segmentation, spaced: SpacedCharacters, tokens: int
) -> GroupedRuns:
    """Return the runs of four characters of the first tokens of each text."""
    starts, ends = segmentation.texts[:-1], segmentation.texts[1:]
    begins = spaced.bounds[starts]
    sizes = spaced.bounds[np.minimum(starts + tokens, ends)] - begins
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    positions = np.arange(bounds[-1]) + np.repeat(begins - bounds[:-1], sizes)
    return group_runs(spaced.characters[positions], bounds, CHUNK_CHARACTERS)
