"""What of a text is lost where another one stays in its place, from the words of both."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.relation.loss import LostText
from es_simhash.relation.segmented_text import SegmentedText

# A word stands in the other text where it does so in a run of so many words: single words of a
# paragraph stand somewhere in any long text.
_RUN = 4
# Stretches that are shown, and how much of each.
_MAX_STRETCHES, _MAX_CHARACTERS = 3, 160
_MAX_FACTS = 10


def lost_text(gone: SegmentedText, kept: SegmentedText) -> LostText:
    """Return what is lost of one text where another stays.

    Args:
        gone: The text that goes; all of it is lost when it is not known.
        kept: The text that stays.
    """
    if not gone.text or not len(gone.tokens.numbers):
        return LostText(1.0)
    numbers = gone.tokens.numbers
    kept_numbers = kept.tokens.numbers if kept.text else np.zeros(0, np.uint64)
    is_lost = ~_in_runs(numbers, kept_numbers, min(_RUN, len(numbers)))
    places = np.flatnonzero(is_lost)
    if not len(places):
        return LostText(0.0)
    unknown = places[~np.isin(numbers[places], kept_numbers)]
    return LostText(len(places) / len(numbers), _facts(gone, unknown), _stretches(gone, places))


def _in_runs(numbers: Uint64s, others: Uint64s, length: int) -> NDArray[np.bool_]:
    """Return which tokens are in a run that the other text has as well."""
    is_shared = np.isin(fold(numbers, length), fold(others, length))
    covered = np.zeros(len(numbers), bool)
    for place in range(length):
        covered[place : place + len(is_shared)] |= is_shared
    return covered


def _facts(text: SegmentedText, places: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the words with a digit or a capital letter, each once."""
    words = (_spelt(text, place, place) for place in places.tolist())
    facts = dict.fromkeys(
        word for word in words if any(sign.isdigit() or sign.isupper() for sign in word)
    )
    return tuple(facts)[:_MAX_FACTS]


def _stretches(text: SegmentedText, places: NDArray[np.int64]) -> tuple[str, ...]:
    breaks = [0, *(np.flatnonzero(np.diff(places) > 1) + 1).tolist(), len(places)]
    stretches = [(int(places[start]), int(places[end - 1])) for start, end in pairwise(breaks)]
    stretches.sort(key=lambda stretch: stretch[0] - stretch[1])
    return tuple(
        _spelt(text, first, last)[:_MAX_CHARACTERS] for first, last in stretches[:_MAX_STRETCHES]
    )


def _spelt(text: SegmentedText, first: int, last: int) -> str:
    """Return a stretch of tokens as it is in the text."""
    tokens = text.tokens
    return text.known_text[int(tokens.starts[first]) : int(tokens.ends[last])]
