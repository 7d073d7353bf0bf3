"""Features that are hashed: runs of neighbouring tokens or characters of a text or a chunk."""

from dataclasses import dataclass

import numpy as np

from es_simhash.fingerprints.hashing import (
    GroupedRuns,
    Uint64s,
    fold,
    group_runs,
    run_numbers,
    xxh64,
)
from es_simhash.text.characters import STANDALONE
from es_simhash.text.tokens import Ints, Segmentation

_PAIR = 2
_STEM_LETTERS = 6
SPACE = ord(" ")


def token_numbers(segmentation: Segmentation) -> Uint64s:
    """Return the number of each token.

    It is XXH64, seed 0, of the polynomial number of its code points; with a key, that of the key.
    Polynomials modulo 2^64 are the same for some texts whatever their terms are (Thue and Morse),
    so that a key does not number code points alone here.
    """
    if segmentation.key is not None:
        return segmentation.key.token_numbers(_token_texts(segmentation))
    numbers = run_numbers(segmentation.codes, segmentation.starts, segmentation.ends)
    return xxh64(numbers, 0)[0]


def _token_texts(segmentation: Segmentation) -> list[str]:
    text = segmentation.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    bounds = zip(segmentation.starts.tolist(), segmentation.ends.tolist(), strict=True)
    return [text[start:end] for start, end in bounds]


def token_stems(segmentation: Segmentation) -> Uint64s:
    """Return a number for the stem of each token, for texts that were reworded.

    It is that of the first six letters, in every language: inflected forms mostly share them. A
    token of a script without spaces is a character, which says little: it is taken with the next.
    """
    ends = np.minimum(segmentation.ends, segmentation.starts + _STEM_LETTERS)
    stems = xxh64(run_numbers(segmentation.codes, segmentation.starts, ends), 0)[0]
    pairs = standalone_pairs(segmentation)
    if len(pairs):
        stems[pairs] = xxh64(fold(stems, _PAIR)[pairs], 0)[0]
    return stems


def standalone_pairs(segmentation: Segmentation) -> Ints:
    """Return the tokens of a script without spaces that such a one follows in the same text."""
    alone = segmentation.classes[segmentation.starts] == STANDALONE
    pairs = alone[:-1] & alone[1:]
    ends = segmentation.texts[1:-1] - 1
    pairs[ends[(ends >= 0) & (ends < len(pairs))]] = False
    return np.flatnonzero(pairs)


def word_pairs(tokens: Uint64s, segmentation: Segmentation) -> GroupedRuns:
    """Return the features of the document fingerprints: each run of two tokens of a text."""
    return group_runs(tokens, segmentation.texts, _PAIR)


@dataclass(frozen=True)
class SpacedCharacters:
    """The characters of all tokens of a batch, a space before each token.

    Attributes:
        characters: The characters, or their numbers.
        bounds: Bounds of the tokens in them.
    """

    characters: Uint64s
    bounds: Ints

    @classmethod
    def of(cls, segmentation: Segmentation) -> "SpacedCharacters":
        """Return those of a batch; with a key, each as it is numbered by that."""
        spaced = cls._plain(segmentation)
        if segmentation.key is None:
            return spaced
        return cls(segmentation.key.character_numbers(spaced.characters), spaced.bounds)

    @classmethod
    def _plain(cls, segmentation: Segmentation) -> "SpacedCharacters":
        starts, ends = segmentation.starts, segmentation.ends
        bounds = np.zeros(len(starts) + 1, np.int64)
        np.cumsum(ends - starts + 1, out=bounds[1:])
        if (starts[1:] == ends[:-1]).any():
            return cls(_with_spaces(segmentation, bounds), bounds)
        # What separates two tokens gives its place to the space: no character is moved.
        codes = np.empty(len(segmentation.codes) + 1, np.uint32)
        codes[1:] = segmentation.codes
        codes[starts] = SPACE
        belongs = np.zeros(len(codes), bool)
        np.greater(segmentation.classes, 0, out=belongs[1:])
        belongs[starts] = True
        return cls(codes[belongs].astype(np.uint64), bounds)


def _with_spaces(segmentation: Segmentation, bounds: Ints) -> Uint64s:
    """Return the characters of tokens of which some follow each other without a separator."""
    characters = np.empty(int(bounds[-1]), np.uint64)
    is_letter = np.ones(len(characters), bool)
    is_letter[bounds[:-1]] = False
    characters[is_letter] = segmentation.codes[segmentation.classes > 0]
    characters[bounds[:-1]] = SPACE
    return characters
