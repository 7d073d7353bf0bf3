"""The formula of versions: the value and the score of two texts, from the two alone.

What else is in the index, how they were found and which of them was queried have no influence.
`relation.scoring` applies it to candidates and to texts; docs/relations.md has the measurements.
"""

import math
from collections.abc import Sequence

import numpy as np

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.sketch import HEAD_BITS, NUMBERS, Sketch
from es_simhash.relation.candidate import ScoredText
from es_simhash.relation.resemblance import Resemblance
from es_simhash.relation.shared_shingles import Containment
from es_simhash.relation.thresholds import (
    ALTERED_WEIGHT,
    BODY_EXPONENT,
    CONTAINED_SHINGLES,
    HEAD_NUMBERS_WEIGHT,
    LARGER_RECORD_WEIGHT,
    LEAST_BODY,
    LEAST_EXCERPT,
    LENGTH_RATIO,
    NUMBERS_WEIGHT,
    RECORD_BODY,
    RECORD_LEVEL,
    RECORD_PRIOR,
    RECORD_THRESHOLD,
    RECORD_WEIGHTS,
    RESEMBLANCE_WEIGHT,
    SHOWN_SCORE,
    UNRELATED_WORDS,
    VERSION_RESEMBLANCE_WEIGHT,
    VERSION_SCORE,
)

# A bitmap with more of its bits set says little of what is not in it.
_MOST_SET = 0.75


def score_of_pair(
    one: ScoredText,
    other: ScoredText,
    shared: Containment,
    resemblance: Resemblance,
    threshold: float,
) -> float:
    """Return the score of two different texts, from 0 to 1; versions have VERSION_SCORE or more.

    Below, it is the share of the text with fewer shingles that appears in the other.

    Args:
        one: A text.
        other: Another.
        shared: The shingles they share.
        resemblance: Resemblance of their chunks.
        threshold: Value from which on the texts are versions: that of their index, or
            VERSION_SCORE.
    """
    value = value_of_pair(one, other, shared, resemblance)
    if value >= threshold:
        return rescaled(value, threshold)
    copied = shared.smoothed(resemblance.greater)
    body = _body(copied, resemblance.greater, RESEMBLANCE_WEIGHT)
    below = _piecewise(body, (SHOWN_SCORE, SHOWN_SCORE), (1.0, VERSION_SCORE))
    return min(below, VERSION_SCORE - 0.0001)


def rescaled(value: float, threshold: float) -> float:
    """Return a value on the scale where versions begin at VERSION_SCORE, whatever the threshold.

    Everything that compares a score with VERSION_SCORE relies on it. With the default threshold
    the value stays what it is.

    Args:
        value: As `value_of_pair` returns it.
        threshold: The value from which on texts are versions, above 0 and below 1.
    """
    if threshold == VERSION_SCORE:
        return value
    return _piecewise(value, (threshold, VERSION_SCORE), (1.0, 1.0))


def value_of_pair(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> float:
    """Return how far two different texts are versions, from 0 to 1, before any threshold.

    An index has its own threshold on this scale; by default it is VERSION_SCORE.

    Args:
        one: A text.
        other: Another.
        shared: The shingles they share; without any, the value is 0.
        resemblance: Resemblance of their chunks.
    """
    if not shared.shared:
        return 0.0
    fewer, more = sorted((one.chunks.level, other.chunks.level))
    if fewer > RECORD_LEVEL or more > RECORD_LEVEL + 1:
        return _text_value(one, other, shared, resemblance)
    record = _record_value(one, other, shared, resemblance)
    if more <= RECORD_LEVEL:
        return record
    # Where records end, one rule leads over to the other.
    text = _text_value(one, other, shared, resemblance)
    return LARGER_RECORD_WEIGHT * record + (1 - LARGER_RECORD_WEIGHT) * text


def _body(copied: float, resembling: float, weight: float) -> float:
    """Return what two texts share: what is copied, and a part of what resembles of the rest."""
    return copied + (1 - copied) * weight * resembling


def _record_value(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> float:
    copied = shared.smoothed(resemblance.greater)
    body = _body(copied, resemblance.greater, VERSION_RESEMBLANCE_WEIGHT)
    agreement = _record_agreement(one.sketch, other.sketch)
    scaled = _piecewise(
        (1 - RECORD_BODY) * agreement + RECORD_BODY * body,
        (RECORD_THRESHOLD, VERSION_SCORE),
        (1.0, 1.0),
    )
    return max(scaled, VERSION_SCORE) if shared.share >= CONTAINED_SHINGLES else scaled


def _text_value(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> float:
    copied = shared.smoothed(resemblance.greater)
    body = _body(copied, resemblance.greater, VERSION_RESEMBLANCE_WEIGHT)
    if body < _least_body(one.chunks, other.chunks):
        return 0.0
    identity = _identity(one.sketch, other.sketch, copied)
    # What was altered throughout is another text of the same form.
    identity = max(0.0, identity - ALTERED_WEIGHT * resemblance.altered * (1 - identity))
    value: float = body**BODY_EXPONENT * identity ** (1 - BODY_EXPONENT)
    return value


def _least_body(one: ChunkFingerprints, other: ChunkFingerprints) -> float:
    """Return what versions of these lengths share at least.

    A book has the words of whatever it quotes: they do not tell an excerpt from a quotation.
    """
    shorter, longer = sorted(int(chunks.characters.sum()) for chunks in (one, other))
    return LEAST_BODY if longer <= LENGTH_RATIO * shorter else LEAST_EXCERPT


def _record_agreement(one: Sketch, other: Sketch) -> float:
    """Return how far two short texts say the same: words, letters of the head, and numbers.

    A volume, a year or a model that differs tells two records apart whose words are the same.
    """
    letters = head_letters(one, other)
    overlap = word_overlap(one, other)
    words = letters if overlap is None else overlap
    compared, common = number_overlap(one, other)
    # A single number is soon another one: what the words say stands for a part of it.
    numbers = (common + RECORD_PRIOR * words) / (compared + RECORD_PRIOR)
    return float(np.dot(RECORD_WEIGHTS, (words, letters, numbers)))


def _identity(one: Sketch, other: Sketch, share: float) -> float:
    """Return how far two texts are about the same thing: by their heads or by their words.

    One of them is enough: a revision may have a new head, and a text that was rewritten keeps its
    head. Two forms filled in differently agree half in both.
    """
    # Whoever shares a text shares its words; of texts of different lengths bitmaps know less.
    overlap = max(word_overlap(one, other) or 0.0, share)
    words = max(0.0, (overlap - UNRELATED_WORDS) / (1 - UNRELATED_WORDS))
    compared, common = number_overlap(one, other)
    numbers = common / compared if compared else words
    vocabulary = (1 - NUMBERS_WEIGHT) * words + NUMBERS_WEIGHT * numbers
    return max(head_agreement(one, other), vocabulary)


def _piecewise(value: float, knee: tuple[float, float], end: tuple[float, float]) -> float:
    """Return a value on the line from the origin to the knee and to the end, and no higher.

    `np.interp` takes ten times as long for one value.
    """
    (knee_at, knee_value), (end_at, end_value) = knee, end
    if value <= knee_at:
        return max(0.0, value) * (knee_value / knee_at)
    slope = (end_value - knee_value) / (end_at - knee_at)
    return min(end_value, knee_value + slope * (value - knee_at))


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
