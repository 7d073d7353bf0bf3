"""How far two sketches agree: heads, words and numbers, each from 0 to 1.

The sizes of sets and of their intersections are estimated by linear counting from the bits of
their bitmaps (Whang, Vander-Zanden, Taylor, TODS 1990).
"""

import math
from collections.abc import Sequence

from es_simhash.fingerprints.sketch import HEAD_BITS, NUMBERS, Sketch
from es_simhash.relation.thresholds import HEAD_NUMBERS_WEIGHT

# A bitmap with more of its bits set says little of what is not in it.
_MOST_SET = 0.75


def head_letters(one: Sketch, other: Sketch) -> float:
    """Return the share of the runs of four characters that two heads have in common (Dice)."""
    common, size, other_size = _intersection(one.head, other.head, HEAD_BITS)
    return min(1.0, 2 * common / (size + other_size)) if size + other_size else 0.0


def head_agreement(one: Sketch, other: Sketch) -> float:
    """Return how far two heads agree, letters and numbers apart; letters alone without numbers.

    A form that is filled in again keeps its letters; what tells it apart is often a number.
    """
    letters = head_letters(one, other)
    fewer = min(len(one.head_numbers), len(other.head_numbers))
    if not fewer:
        return letters
    numbers = len(one.head_numbers & other.head_numbers) / fewer
    return (1 - HEAD_NUMBERS_WEIGHT) * letters + HEAD_NUMBERS_WEIGHT * numbers


def word_overlap(one: Sketch, other: Sketch) -> float | None:
    """Return the share of the words of the text that has fewer which the other has.

    Returns:
        None where one of them has no longer words, or so many more than the other that the bitmap
        of the shorter text cannot hold them.
    """
    bits = min(one.word_bits, other.word_bits)
    words, others = (_folded(sketch.words, sketch.word_bits, bits) for sketch in (one, other))
    if max(words.bit_count(), others.bit_count()) > _MOST_SET * bits:
        return None
    common, size, other_size = _intersection(words, others, bits)
    fewer = min(size, other_size)
    return min(1.0, common / fewer) if fewer else None


def number_overlap(one: Sketch, other: Sketch) -> tuple[int, int]:
    """Return how many numbers are compared of the text that has fewer, and how many are common.

    Of many numbers, those with the smallest hashes are compared.
    """
    bound = min(_bound(one.numbers), _bound(other.numbers))
    numbers = {number for number in one.numbers if number < bound}
    others = {number for number in other.numbers if number < bound}
    return min(len(numbers), len(others)), len(numbers & others)


def _bound(numbers: Sequence[int]) -> float:
    """Return below which hash all numbers of a text are known."""
    return numbers[NUMBERS] if len(numbers) > NUMBERS else math.inf


def _folded(bitmap: int, bits: int, wanted: int) -> int:
    while bits > wanted:
        bits //= 2
        bitmap = bitmap >> bits | bitmap & ((1 << bits) - 1)
    return bitmap


def _intersection(one: int, other: int, bits: int) -> tuple[float, float, float]:
    """Return the sizes of the intersection of two sets and of both, from their bitmaps."""
    size, other_size = _size(one, bits), _size(other, bits)
    union = _size(one | other, bits)
    return max(0.0, size + other_size - union), size, other_size


def _size(bitmap: int, bits: int) -> float:
    # A full bitmap would stand for an infinite set.
    return -bits * math.log1p(-min(bitmap.bit_count(), bits - 1) / bits)
