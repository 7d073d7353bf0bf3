"""Runs of letters of a batch of texts, found by passes over arrays.

As `words` finds the words of one text by regular expressions; in a batch a word costs a tenth.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import RunNumbers, Uint64s
from es_simhash.semantics.languages.words import NUMERALS
from es_simhash.text.characters import (
    CODE_POINTS,
    FIRST_PLANE,
    IGNORED,
    MARK,
    STANDALONE,
    class_table,
    code_points,
)
from es_simhash.text.tokens import Ints

# What a character is, as bits: telling are those of the words that tell a language, and alone are
# texts read that have letters of scripts without spaces, or whose lower case is several characters
# or depends on the neighbours.
_LETTER, _MARK, _APOSTROPHE, _TELLING, _SPACELESS, _UNEVEN, _KNOWN = 1, 2, 4, 8, 16, 32, 128
_SEPARATOR = "\n"
# Characters from which on arrays take less time than expressions.
_LEAST_IN_BATCH = 8_000
TELLING_WORD = re.compile(r"[^\s\d!-/:-@\[-`{-¿‐-⁞،؛؟۔।॥]+")
_APOSTROPHES, _FINAL_SIGMA, _ZERO_WIDTH_SPACE = "'’", "Σ", "\u200b"


class Stretches(NamedTuple):
    """Stretches of the code points of a batch.

    Attributes:
        starts: First code point of each.
        ends: One past its last one.
        bounds: Bounds of the texts in stretches.
    """

    starts: Ints
    ends: Ints
    bounds: Ints


@dataclass(frozen=True)
class LetterRuns:
    """The code points of a batch of texts in lower case, and the runs of letters in them.

    Attributes:
        codes: The code points; a line break follows each text.
        kinds: What each character is, as bits.
        bounds: Bounds of the texts in code points, that line break among them.
    """

    codes: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    bounds: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "LetterRuns":
        """Return those of a batch."""
        codes = code_points(_SEPARATOR.join([*texts, ""]))
        kinds, lower = _known(codes)
        bounds = np.cumsum([0, *(len(text) + 1 for text in texts)])
        return cls(lower, kinds, bounds)

    @classmethod
    def of_batch(cls, texts: Sequence[str]) -> "LetterRuns | None":
        """Return those of a batch; None of few texts, which expressions read in less time."""
        return cls.of(texts) if sum(map(len, texts)) >= _LEAST_IN_BATCH else None

    @property
    def is_even(self) -> NDArray[np.bool_]:
        """Whether the lower case of each text is that of its characters."""
        return self._is_without(_UNEVEN)

    @property
    def is_spaced(self) -> NDArray[np.bool_]:
        """Whether each text is even, and has no letter of a script without spaces."""
        return self._is_without(_UNEVEN | _SPACELESS)

    def _is_without(self, bits: int) -> NDArray[np.bool_]:
        """Return whether each text has no character of these kinds."""
        places = np.flatnonzero(self.kinds & np.uint8(bits))
        is_without = np.ones(len(self.bounds) - 1, bool)
        is_without[np.searchsorted(self.bounds, places, side="right") - 1] = False
        return is_without

    @cached_property
    def numbers(self) -> RunNumbers:
        """Numbers of the stretches."""
        return RunNumbers(self.codes)

    def telling(self, characters: int) -> Stretches:
        """Return the words by which a language is told, of the first characters of each text."""
        is_telling = (self.kinds & np.uint8(_TELLING)) > 0
        begins, ends = self.bounds[:-1], self.bounds[1:]
        for text in np.flatnonzero(ends - begins > characters).tolist():
            is_telling[begins[text] + characters : ends[text]] = False
        return self._stretches(is_telling)

    def words(self, *, eliding: NDArray[np.bool_]) -> Stretches:
        """Return the words of each text: runs of letters, across apostrophes between letters.

        Args:
            eliding: Whether an apostrophe ends a word, by text.
        """
        runs = self._stretches(self._is_in_run())
        gaps = runs.starts[1:] - runs.ends[:-1]
        is_apostrophe = (self.kinds & np.uint8(_APOSTROPHE)) > 0
        joined = (gaps == 1) & is_apostrophe[runs.ends[:-1]]
        for gap in np.flatnonzero((gaps > 1) & is_apostrophe[runs.ends[:-1]]).tolist():
            joined[gap] = is_apostrophe[runs.ends[gap] : runs.starts[gap + 1]].all()
        if eliding.any():
            joined &= ~np.repeat(eliding, np.diff(runs.bounds))[:-1]
        begins, closes = np.ones(len(runs.starts), bool), np.ones(len(runs.starts), bool)
        begins[1:], closes[:-1] = ~joined, ~joined
        words = np.concatenate([[0], np.cumsum(begins)])
        return Stretches(runs.starts[begins], runs.ends[closes], words[runs.bounds])

    def _is_in_run(self) -> NDArray[np.bool_]:
        """Return whether each character is a letter, or a mark behind one."""
        is_letter: NDArray[np.bool_] = (self.kinds & np.uint8(_LETTER)) > 0
        marks = np.flatnonzero(self.kinds & np.uint8(_MARK))
        if not len(marks):
            return is_letter
        base = np.arange(len(is_letter))
        base[marks] = 0
        np.maximum.accumulate(base, out=base)
        is_letter[marks] = is_letter[base[marks]]
        return is_letter

    def _stretches(self, is_inside: NDArray[np.bool_]) -> Stretches:
        # A line break ends the last text.
        is_edge = is_inside.copy()
        np.not_equal(is_inside[1:], is_inside[:-1], out=is_edge[1:])
        edges = np.flatnonzero(is_edge)
        starts, ends = edges[::2], edges[1::2]
        return Stretches(starts, ends, np.searchsorted(starts, self.bounds))

    def word_numbers(self, stretches: Stretches) -> Uint64s:
        """Return a number for each of some stretches, the same for equal ones."""
        return self.numbers.of(stretches.starts, stretches.ends)

    def spelling(self, start: int, end: int) -> str:
        """Return a stretch as text."""
        return self.codes[start:end].tobytes().decode("utf-32-le", "surrogatepass")


def _known(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return what each character is, and its lower case; its own code point where it is uneven."""
    kinds, lower = _tables()
    of_codes = kinds.take(codes)
    unknown = np.unique(codes[of_codes == 0])
    if len(unknown):
        lower[unknown] = [_lower(chr(code)) for code in unknown.tolist()]
        kinds[unknown] = [_kind(chr(code)) for code in unknown.tolist()]
        of_codes = kinds.take(codes)
    return of_codes, lower.take(codes)


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the tables of `_known`, which fill as characters are met."""
    return np.zeros(CODE_POINTS, np.uint8), np.arange(CODE_POINTS, dtype=np.uint32)


def _lower(character: str) -> int:
    if character in _APOSTROPHES:
        return ord(_APOSTROPHES[0])
    lower = character.lower()
    return ord(lower if len(lower) == 1 else character)


def _kind(character: str) -> int:
    code, lower = ord(character), character.lower()
    # Of the others, the expressions of `words` know neither marks nor scripts without spaces.
    is_first_plane = code < FIRST_PLANE
    unicode_class = int(class_table("characters.txt")[code])
    kind = _KNOWN
    if is_letter(character):
        kind |= _LETTER
    elif is_first_plane and unicode_class in (MARK, IGNORED) and character != _ZERO_WIDTH_SPACE:
        kind |= _MARK
    elif character in _APOSTROPHES:
        kind |= _APOSTROPHE
    if TELLING_WORD.match(lower):
        kind |= _TELLING
    if is_first_plane and unicode_class == STANDALONE:
        kind |= _SPACELESS
    if len(lower) > 1 or character == _FINAL_SIGMA:
        kind |= _UNEVEN
    return kind


def is_letter(character: str) -> bool:
    """Check whether a character is a letter of words."""
    return character.isalnum() and not character.isdecimal() and character not in NUMERALS
