"""Sketches: what a text begins with, its longer words and its numbers, in a hundred bytes or two.

Two texts made from one form share most of their shingles; their names, words and numbers tell them
apart. Sets of words are kept as bitmaps, whose numbers of bits give the sizes of intersections by
linear counting (Whang, Vander-Zanden, Taylor: "A linear-time probabilistic counting algorithm for
database applications", TODS 1990). The rules are in docs/fingerprint.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

# The head of a text, its title and what surrounds it, in tokens.
HEAD_TOKENS = 32
HEAD_BITS = 256
# Shorter words are mostly those of the grammar. Bytes of UTF-8 measure scripts alike: two syllables
# of Hangul, three letters of Cyrillic or Arabic, six of Latin.
WORD_BYTES = 6
LEAST_WORD_BITS, MOST_WORD_BITS = 64, 2048
# Numbers that are kept of a text, those with the smallest hashes; one more shows that there are
# others.
NUMBERS = 16


@lru_cache(maxsize=16)
def sizes_by_ones(bits: int) -> tuple[float, ...]:
    """Return for each number of set bits how many things a bitmap of so many bits stands for."""
    # A full bitmap would stand for an infinite set.
    return tuple(-bits * math.log1p(-min(ones, bits - 1) / bits) for ones in range(bits + 1))


@dataclass(frozen=True)
class JoinedSketches:
    """Packed sketches of many texts, one after the other.

    Attributes:
        raw: Their bytes.
        starts: Where each begins, with the bitmap of its head.
        numbers: Where the list of the numbers of each text begins, behind that of its head.
        words: Where the bitmap of the words of each begins.
        ends: Where each ends.
    """

    raw: NDArray[np.uint8]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    words: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, sketches: Sequence[bytes]) -> "JoinedSketches":
        """Join packed sketches; of one that is cut short the places lie behind its end."""
        raw = np.frombuffer(b"".join(sketches), np.uint8)
        sizes = np.array([len(sketch) for sketch in sketches], np.int64)
        ends = np.cumsum(sizes)
        starts = ends - sizes
        numbers = _behind_list(raw, starts + HEAD_BITS // 8, ends)
        return cls(raw, starts, numbers, _behind_list(raw, numbers, ends), ends)

    @property
    def are_whole(self) -> bool:
        """True when all have lengths that sketches can have."""
        bits = 8 * (self.ends - self.words)
        in_range = (bits >= LEAST_WORD_BITS) & (bits <= MOST_WORD_BITS)
        return bool((in_range & ((bits & (bits - 1)) == 0)).all())


def _behind_list(
    raw: NDArray[np.uint8], places: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what is behind lists of numbers that begin at places; behind an end they are empty."""
    counts = np.zeros(len(places), np.int64)
    is_there = places < ends
    counts[is_there] = raw[places[is_there]]
    return places + 1 + 2 * counts


@dataclass(frozen=True)
class Sketch:
    """The sketch of one text.

    Attributes:
        packed: The bytes that are stored.
    """

    packed: bytes

    @property
    def is_whole(self) -> bool:
        """True when the bytes have a length that a sketch can have."""
        words = self.word_bits
        return LEAST_WORD_BITS <= words <= MOST_WORD_BITS and not words & (words - 1)

    @cached_property
    def head(self) -> int:
        """Bitmap of the runs of four characters of the head, HEAD_BITS bits."""
        return int.from_bytes(self.packed[: HEAD_BITS // 8], "little")

    @cached_property
    def head_numbers(self) -> frozenset[int]:
        """Hashes of the numbers of the head."""
        return frozenset(self._hashes(HEAD_BITS // 8 + 1, self._ends[0]))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Smallest hashes of the numbers of the text, ascending; NUMBERS + 1 when it has more."""
        first, second = self._ends
        return self._hashes(first + 1, second)

    @cached_property
    def words(self) -> int:
        """Bitmap of the longer words, `word_bits` bits."""
        return int.from_bytes(self.packed[self._ends[1] :], "little")

    @property
    def word_bits(self) -> int:
        """Bits of the bitmap of words: a power of two."""
        return 8 * (len(self.packed) - self._ends[1])

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """Where the numbers of the head end, and those of the text."""
        first = self._end_of_list(HEAD_BITS // 8)
        return first, self._end_of_list(first)

    def _end_of_list(self, start: int) -> int:
        count = self.packed[start] if start < len(self.packed) else 0
        return start + 1 + 2 * count

    def _hashes(self, start: int, end: int) -> tuple[int, ...]:
        return tuple(np.frombuffer(self.packed[start:end], "<u2").tolist())
