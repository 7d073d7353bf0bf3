"""Features that are hashed into fingerprints: word pairs of texts, character runs of chunks."""

import numpy as np

from es_simhash.fingerprints.hashing import Uint64s, run_numbers, xxh64
from es_simhash.fingerprints.runs import GroupedRuns, group_runs
from es_simhash.fingerprints.scheme import CHUNK_CHARACTERS
from es_simhash.text.segmentation import Ints, Segmentation

_PAIR = 2
_SPACE = ord(" ")


def token_numbers(segmentation: Segmentation) -> Uint64s:
    """Return the hash of each token: XXH64, seed 0, of the polynomial number of its code points."""
    numbers = run_numbers(segmentation.codes, segmentation.starts, segmentation.ends)
    return xxh64(numbers, 0)[0]


def word_pairs(tokens: Uint64s, segmentation: Segmentation) -> GroupedRuns:
    """Return the features of the document fingerprints: each run of two tokens of a text."""
    return group_runs(tokens, segmentation.texts, _PAIR)


def chunk_characters(segmentation: Segmentation) -> GroupedRuns:
    """Return the features of the chunk fingerprints: runs of four characters.

    The characters of a chunk are those of its tokens, a space before each token.
    """
    characters, bounds = _spaced(segmentation)
    return group_runs(characters, bounds, CHUNK_CHARACTERS)


def _spaced(segmentation: Segmentation) -> tuple[Uint64s, Ints]:
    """Return the characters of all tokens, a space before each, and the bounds of the chunks."""
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
