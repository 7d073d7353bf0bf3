"""The units that two versions are aligned by: words and marks, with their places in the text."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.relation import Span
from es_simhash.text.characters import (
    BEYOND_ASCII,
    IGNORED,
    class_ranges,
    class_table,
    code_points,
    space_table,
)
from es_simhash.text.marks import composed, is_composed
from es_simhash.text.normal_forms import TokenBounds, normalise, token_bounds
from es_simhash.text.segmentation import chunk_bounds, segment, sentence_classes
from es_simhash.text.tokens import Ints, Segmentation

SectionKind = Literal["paragraph", "line", "sentence"]

# A mark between two digits belongs to the number: 1,000.50 and 3.1.2 are one unit each.
# The mark comes first, as it is searched for in much less time than what is before it.
_INSIDE_NUMBERS = re.compile(r"[.,'’٫٬](?<=\d.)(?=\d)")
_IGNORED = re.compile(f"[{class_ranges(IGNORED)}\u200b]")
_LINES = {"line": 1, "paragraph": 2}
# What an item of a list, a row of a table or a heading begins with; or what ends its number.
_BULLETS = frozenset("*-+•·▪◦●–—#|§") | {"##", "###", "####"}
_ITEM_MARKS = frozenset(".)、．）")
_LONGEST_NUMBER = 4
_LINE_BREAKS = np.array(list(map(ord, "\n\r\x0b\x0c\x85\u2028\u2029")), np.uint32)
# Classes of `sentence_classes` from which on a character is no mark that ends a sentence.
_CLOSER, _SPACES = 3, 4


@dataclass(frozen=True)
class _SentenceSizes:
    """Shorter ones are mostly abbreviations and numbers of lists; no sentence is too long."""

    min_chunk_tokens: int = 5
    max_chunk_tokens: int = 1 << 40


class Vocabulary(dict[str, int]):
    """A number for each different unit of some texts, given when it is first looked up."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number


@dataclass(frozen=True)
class Units:
    """The words and marks of a text, in order; what is between them is white space.

    A word is a token of the package's segmentation with its marks, a number with its separators, or
    a character of a script without spaces. Everything else that is visible is a unit as well.

    Attributes:
        text: The text.
        starts: Offset of each unit.
        ends: Offset of the end of each unit.
        is_word: Whether a unit is a word, not a mark.
        numbers: A number for each unit: that of its key in the vocabulary. A key is what makes two
            units equal: the characters, without invisible ones and in NFC.
        vocabulary: The numbers of the keys, of this text and of others.
        sentence_starts: First unit of each sentence, as the marks tell, ascending.
    """

    text: str
    starts: Ints
    ends: Ints
    is_word: NDArray[np.bool_]
    numbers: Ints
    vocabulary: Vocabulary
    sentence_starts: Ints

    @classmethod
    def of(cls, text: str, vocabulary: Vocabulary | None = None) -> "Units":
        """Return the units of a text.

        Args:
            text: The text.
            vocabulary: Numbers of keys, to which new ones are added. Texts that share it are
                compared in less time.
        """
        vocabulary = Vocabulary() if vocabulary is None else vocabulary
        segmentation = segment([normalise(text)], DEFAULT)
        tokens = token_bounds(text, segmentation)
        codes = code_points(text)
        in_word = _inside(*tokens, len(text))
        blank = space_table()[np.minimum(codes, len(space_table()) - 1)]
        blank |= (class_table("characters.txt")[codes] == IGNORED) & ~in_word
        bounds = _bounds(text, codes, blank, in_word, tokens)
        starts, ends = bounds[:-1], bounds[1:]
        visible = ~blank[starts]
        starts, ends = starts[visible], ends[visible]
        return cls(
            text,
            starts,
            ends,
            in_word[starts],
            _numbers(_keys(text, starts.tolist(), ends.tolist()), vocabulary),
            vocabulary,
            _sentence_starts(segmentation, tokens, codes, starts, ends),
        )

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def line_breaks(self) -> Ints:
        """Line breaks before each unit."""
        codes = code_points(self.text)
        # Most characters are none; only what is left is looked up.
        places = np.flatnonzero((codes < ord(" ")) | (codes >= BEYOND_ASCII))
        places = places[np.isin(codes[places], _LINE_BREAKS)]
        # \r\n is one.
        ends_break = (codes[places] == ord("\n")) & (codes[places - 1] == ord("\r"))
        ends_break[:1] &= places[:1] > 0
        return np.diff(np.searchsorted(places[~ends_break], self.starts), prepend=0)

    def sections(self, kind: SectionKind) -> Ints:
        """Return the bounds of the sections in units, one more than there are sections."""
        if kind == "sentence":
            return self.sentences
        return self._lines if kind == "line" else self._paragraphs

    @cached_property
    def _lines(self) -> Ints:
        return self._with_ends(np.flatnonzero(self.line_breaks >= _LINES["line"]))

    @cached_property
    def _paragraphs(self) -> Ints:
        return self._with_ends(np.flatnonzero(self.line_breaks >= _LINES["paragraph"]))

    @cached_property
    def ranks(self) -> Ints:
        """Rank of each unit as the beginning of a change, and of the end of the text.

        0 within a sentence, 1 for a sentence, 2 for a line, 3 for a paragraph.
        """
        ranks = np.zeros(len(self) + 1, np.int64)
        ranks[self.sentences] = 1
        ranks[self._lines] = 2
        ranks[self._paragraphs] = 3
        return ranks

    @cached_property
    def sentences(self) -> Ints:
        """Bounds of the sentences in units; a paragraph ends one, and so does an item of a list."""
        begins = self.line_breaks >= _LINES["paragraph"]
        begins |= (self.line_breaks > 0) & self._opens_item
        blocks = self._with_ends(np.flatnonzero(begins))
        bounds, _ = chunk_bounds(self.sentence_starts.tolist(), blocks.tolist(), _SentenceSizes())
        return bounds

    @property
    def _opens_item(self) -> NDArray[np.bool_]:
        """Whether each unit would open an item of a list where it begins a line: - or 1. or (a)."""
        marks, opens = self._among(_ITEM_MARKS), self._among(_BULLETS)
        short = self.is_word & (self.ends - self.starts <= _LONGEST_NUMBER)
        opens[:-1] |= short[:-1] & marks[1:] & (self.starts[1:] == self.ends[:-1])
        opens[:-2] |= self._among({"("})[:-2] & short[1:-1] & marks[2:]
        return opens

    def _among(self, keys: Collection[str]) -> NDArray[np.bool_]:
        """Return which units are one of some."""
        known = np.zeros(len(self.vocabulary), bool)
        known[[self.vocabulary[key] for key in keys if key in self.vocabulary]] = True
        return known[self.numbers]

    def _with_ends(self, starts: Ints) -> Ints:
        return np.unique(np.concatenate([[0], starts, [len(self)]]))

    def span(self, first: int, last: int) -> Span:
        """Return where the units from `first` to before `last` are."""
        start, end = int(self.starts[first]), int(self.ends[last - 1])
        return Span(start, end, self.text[start:end])

    def words(self, first: int, last: int) -> int:
        """Return how many words are among the units from `first` to before `last`."""
        return int(self.word_counts[last] - self.word_counts[first])

    @cached_property
    def word_counts(self) -> Ints:
        """Words before each unit, and of the whole text as the last."""
        return np.concatenate([[0], np.cumsum(self.is_word)])


def section_kind(a: Units, b: Units) -> SectionKind:
    """Return what the sections of two texts are: paragraphs where they have any, or lines."""
    for kind in ("paragraph", "line"):
        if max(len(a.sections(kind)), len(b.sections(kind))) > 2:
            return kind
    return "sentence"


def numbered(a: Units, b: Units) -> tuple[Ints, Ints]:
    """Return a number for each unit of two texts; equal units of either have equal numbers."""
    if a.vocabulary is b.vocabulary:
        return a.numbers, b.numbers
    known = a.vocabulary
    new = iter(range(len(known), len(known) + len(b.vocabulary)))
    numbers = [known[key] if key in known else next(new) for key in b.vocabulary]
    return a.numbers, np.array(numbers, np.int64)[b.numbers]


def _inside(starts: Ints, ends: Ints, length: int) -> NDArray[np.bool_]:
    """Return which characters are in one of some stretches, which may overlap."""
    steps = np.bincount(starts, minlength=length + 1) - np.bincount(ends, minlength=length + 1)
    inside: NDArray[np.bool_] = np.cumsum(steps)[:-1] > 0
    return inside


def _bounds(
    text: str,
    codes: NDArray[np.uint32],
    blank: NDArray[np.bool_],
    in_word: NDArray[np.bool_],
    tokens: TokenBounds,
) -> Ints:
    """Return the offsets at which a text is cut, its start and its end among them."""
    if not text:
        return np.zeros(1, np.int64)
    cuts = np.zeros(len(text) + 1, bool)
    cuts[tokens.starts] = cuts[tokens.ends] = True
    # A row of equal marks, such as a rule, is one unit.
    mark = ~blank & ~in_word
    cuts[1:-1] |= mark[1:] & mark[:-1] & (codes[1:] != codes[:-1])
    cuts[1:-1] |= (blank[1:] != blank[:-1]) | (mark[1:] != mark[:-1])
    for mark_match in _INSIDE_NUMBERS.finditer(text):
        cuts[mark_match.start()] = cuts[mark_match.end()] = False
    cuts[0] = cuts[-1] = True
    return np.flatnonzero(cuts)


def _numbers(keys: Sequence[str], vocabulary: Vocabulary) -> Ints:
    return np.fromiter(map(vocabulary.__getitem__, keys), np.int64, len(keys))


def _keys(text: str, starts: list[int], ends: list[int]) -> list[str]:
    words = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    if text.isascii():
        return words
    if not _IGNORED.search(text) and is_composed(text):
        return words
    keys = {word: word if word.isascii() else _key(word) for word in set(words)}
    return [keys[word] for word in words]


def _key(word: str) -> str:
    return composed(_IGNORED.sub("", word) or word)


def _sentence_starts(
    segmentation: Segmentation,
    tokens: TokenBounds,
    codes: NDArray[np.uint32],
    starts: Ints,
    ends: Ints,
) -> Ints:
    """Return the units before which a sentence ends, with the marks that open the next one."""
    boundaries = segmentation.boundaries
    boundaries = boundaries[(boundaries > 0) & (boundaries < len(tokens.starts))]
    first = np.searchsorted(starts, tokens.starts[boundaries], side="right") - 1
    lowest = np.searchsorted(starts, tokens.starts[boundaries - 1], side="right")
    classes = sentence_classes()[codes[starts]] if len(starts) else np.zeros(0, np.uint8)
    is_apart = starts[1:] > ends[:-1]
    opens = (classes == 0) | (classes >= _SPACES)
    opens[1:] |= (classes[1:] == _CLOSER) & is_apart
    places = []
    opening = opens.tolist()
    for unit, low in zip(first.tolist(), lowest.tolist(), strict=True):
        while unit > low and opening[unit - 1]:
            unit -= 1
        places.append(unit)
    return np.unique(np.array(places, np.int64))
