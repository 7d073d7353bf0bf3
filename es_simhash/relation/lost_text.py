"""What of a text is lost where another one stays in its place, from the words of both."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.relation.loss import LostText
from es_simhash.relation.segmented_text import SegmentedText
from es_simhash.semantics.languages.word_lists import words_of_kind

# A word stands in the other text where it does so in a run of so many words: single words of a
# paragraph stand somewhere in any long text.
_RUN = 4
# Words before and behind a number that say what it counts.
_AROUND = 2
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
    places = _lost_places(gone, kept)
    if not len(places):
        return LostText(0.0)
    facts = _facts(gone, _unknown(gone, kept, places))
    return LostText(len(places) / len(gone.tokens.numbers), facts, _stretches(gone, places))


def says_all_of(kept: SegmentedText, gone: SegmentedText, lose: float) -> bool:
    """Check whether one text says what another does, so that who reads it misses nothing.

    A number is lost with a word next to it, and counts also where it stands elsewhere in the text
    that stays: 30 days of notice and 14 of payment are neither 14 days of notice nor 30 weeks.

    Args:
        kept: The text that stays.
        gone: The text that goes; without a word it says nothing that is known.
        lose: Share of its words that need not be in the other one, from 0 to 1.
    """
    if not gone.text or not len(gone.tokens.numbers):
        return False
    places = _lost_places(gone, kept)
    if len(places) > lose * len(gone.tokens.numbers):
        return False
    if _facts(gone, _unknown(gone, kept, places)):
        return False
    around = np.unique(places[:, None] + np.arange(-_AROUND, _AROUND + 1))
    inside = around[(around >= 0) & (around < len(gone.tokens.numbers))].tolist()
    return not any(_is_number(_spelt(gone, place, place)) for place in inside)


def _lost_places(gone: SegmentedText, kept: SegmentedText) -> NDArray[np.int64]:
    """Return which tokens of one text are in no run that the other has as well."""
    numbers = gone.tokens.numbers
    return np.flatnonzero(~_in_runs(numbers, _numbers(kept), min(_RUN, len(numbers))))


def _unknown(
    gone: SegmentedText, kept: SegmentedText, places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return those of some tokens that stand nowhere in the other text."""
    return places[~np.isin(gone.tokens.numbers[places], _numbers(kept))]


def _numbers(text: SegmentedText) -> Uint64s:
    return text.tokens.numbers if text.text else np.zeros(0, np.uint64)


def _is_number(word: str) -> bool:
    """Check whether a word is a number, in digits or as a word of any language."""
    return any(map(str.isnumeric, word)) or word.lower() in words_of_kind("number")


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
