"""The formula of versions: the value and the score of two texts, from the two alone.

What else is in the index, how they were found and which of them was queried have no influence.
`relation.scoring` applies it to candidates and to texts; docs/relations.md has the measurements.
"""

import math
from collections.abc import Sequence
from typing import Any

from es_simhash.fingerprints.sketch import HEAD_BITS, NUMBERS, Sketch, sizes_by_ones
from es_simhash.relation.candidate import ScoredText
from es_simhash.relation.resemblance import Resemblance
from es_simhash.relation.shared_shingles import Containment
from es_simhash.relation.thresholds import (
    LARGER_RECORD_WEIGHT,
    LEAST_BODY,
    LEAST_EXCERPT,
    LENGTH_RATIO,
    RECORD_LEVEL,
    RESEMBLANCE_WEIGHT,
    SCORE_DIGITS,
    SHOWN_SCORE,
    VERSION_RESEMBLANCE_WEIGHT,
    VERSION_SCORE,
)
from es_simhash.relation.version_weights import VersionEvidence, version_weights

# One number may agree by chance; so many do not.
FEW_NUMBERS = 5
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
    return score_without_versions(shared, resemblance)


def score_without_versions(shared: Containment, resemblance: Resemblance) -> float:
    """Return the score of two texts that are no versions, below VERSION_SCORE.

    Args:
        shared: The shingles they share.
        resemblance: Resemblance of their chunks.
    """
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
        resemblance: Resemblance of their chunks; without any, the value is 0.
    """
    if not shares_enough(one, other, shared, resemblance):
        return 0.0
    return version_weights().probability(evidence_of_pair(one, other, shared, resemblance))


def log_odds_of_pair(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> dict[str, float]:
    """Return what each piece of evidence adds to the log-odds of versions, and where they start."""
    evidence = evidence_of_pair(one, other, shared, resemblance)
    added = version_weights().log_odds(evidence)
    return {name: round(value, SCORE_DIGITS) for name, value in added.items()}


def shares_enough(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> bool:
    """Check whether two texts share as much as versions do, whatever else they have in common.

    A book has the words of whatever it quotes: they do not tell an excerpt from a quotation.
    """
    if not shared.shared or not resemblance.greater:
        return False
    shorter, longer = sorted(int(text.chunks.characters.sum()) for text in (one, other))
    least = LEAST_BODY if longer <= LENGTH_RATIO * shorter else LEAST_EXCERPT
    copied = shared.smoothed(resemblance.greater)
    return _body(copied, resemblance.greater, VERSION_RESEMBLANCE_WEIGHT) >= least


def _body(copied: float, resembling: float, weight: float) -> float:
    """Return what two texts share: what is copied, and a part of what resembles of the rest."""
    return copied + (1 - copied) * weight * resembling


def _piecewise(value: float, knee: tuple[float, float], end: tuple[float, float]) -> float:
    """Return a value on the line from the origin to the knee and to the end, and no higher.

    `np.interp` takes ten times as long for one value.
    """
    (knee_at, knee_value), (end_at, end_value) = knee, end
    if value <= knee_at:
        return max(0.0, value) * (knee_value / knee_at)
    slope = (end_value - knee_value) / (end_at - knee_at)
    return min(end_value, knee_value + slope * (value - knee_at))


def evidence_of_pair(
    one: ScoredText, other: ScoredText, shared: Containment, resemblance: Resemblance
) -> VersionEvidence:
    """Return the evidence that two texts are versions.

    Args:
        one: A text.
        other: Another.
        shared: The shingles they share.
        resemblance: Resemblance of their chunks.
    """
    sketches = one.sketch, other.sketch
    head_numbers = one.sketch.head_numbers, other.sketch.head_numbers
    fewer, agreeing = min(map(len, head_numbers)), len(head_numbers[0] & head_numbers[1])
    compared, common = number_overlap(*sketches)
    return VersionEvidence(
        max(resemblance.equal.of_query, resemblance.equal.of_hit),
        shared.share,
        shared.resemblance,
        head_letters(*sketches),
        agreeing / fewer if fewer else None,
        min(1.0, agreeing / FEW_NUMBERS) if fewer else None,
        common / compared if compared else None,
        # Whoever shares a text shares its words; of texts of different lengths bitmaps know less.
        max(word_overlap(*sketches) or 0.0, shared.share),
        _record_share(one.chunks.level, other.chunks.level),
    )


def _record_share(level: int, other_level: int) -> float:
    """Return how far two texts of these classes of lengths are weighed as records."""
    fewer, more = sorted((level, other_level))
    if more <= RECORD_LEVEL:
        return 1.0
    return LARGER_RECORD_WEIGHT if fewer <= RECORD_LEVEL and more == RECORD_LEVEL + 1 else 0.0


def head_letters(one: Sketch, other: Sketch) -> float:
    """Return the share of the runs of four characters that two heads have in common (Dice)."""
    common, size, other_size = _intersection(one.head, other.head, HEAD_BITS)
    return min(1.0, 2 * common / (size + other_size)) if size + other_size else 0.0


def word_overlap(one: Sketch, other: Sketch) -> float | None:
    """Return the share of the words of the text that has fewer which the other has.

    Returns:
        None where one of them has no longer words, or so many more than the other that the bitmap
        of the shorter text cannot hold them.
    """
    bits = min(one.word_bits, other.word_bits)
    words, others = (folded(sketch.words, sketch.word_bits, bits) for sketch in (one, other))
    if is_too_full(max(words.bit_count(), others.bit_count()), bits):
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


def is_too_full(ones: Any, bits: int) -> Any:
    """Check whether a bitmap, or each of an array of them, has too many bits set to say much."""
    return ones > _MOST_SET * bits


def folded(bitmap: int, bits: int, wanted: int) -> int:
    """Return a bitmap of words as a text with fewer has it, by the bits of both."""
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
    return sizes_by_ones(bits)[bitmap.bit_count()]
