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


def are_whole(sketches: Sequence[bytes]) -> bool:
    """Check whether all of these packed sketches have lengths that sketches can have."""
    if not sketches:
        return True
    joined = np.frombuffer(b"".join(sketches) or b"\0", np.uint8)
    sizes = np.array([len(sketch) for sketch in sketches], np.int64)
    ends = np.cumsum(sizes)
    places = ends - sizes + HEAD_BITS // 8
    for _ in range(2):
        counts = joined[np.minimum(places, len(joined) - 1)].astype(np.int64)
        places = places + 1 + 2 * np.where(places < ends, counts, 0)
    words = 8 * (ends - places)
    in_range = (words >= LEAST_WORD_BITS) & (words <= MOST_WORD_BITS)
    return bool((in_range & ((words & (words - 1)) == 0)).all())


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
