"""The parts of the formula of versions, each with numbers that can be computed by hand."""

import math
from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from es_simhash.fingerprints.sketch import HEAD_BITS, NUMBERS
from es_simhash.relation import version_value
from es_simhash.relation.relation import Coverage
from es_simhash.relation.resemblance import GREATEST, Resemblance
from es_simhash.relation.shared_shingles import Containment
from es_simhash.relation.thresholds import LARGER_RECORD_WEIGHT, VERSION_SCORE


def bitmap(*ranges: tuple[int, int]) -> int:
    return sum(1 << bit for first, end in ranges for bit in range(first, end))


def size(bits_set: int, bits: int) -> float:
    """The size of a set by its bitmap, as docs/fingerprint.md has it."""
    return -bits * math.log(1 - min(bits_set, bits - 1) / bits)


def sketch(**members: Any) -> Any:
    plain = {"head": 0, "head_numbers": frozenset(), "numbers": (), "words": 0, "word_bits": 64}
    return SimpleNamespace(**{**plain, **members})


def resembling(share: float, *, of_query: float = 0.0, of_hit: float = 0.0) -> Resemblance:
    return Resemblance(Coverage(share, share), Coverage(of_query, of_hit))


def test_letters_of_heads_are_shared_by_the_sizes_of_their_sets() -> None:
    one, other = sketch(head=bitmap((0, 20))), sketch(head=bitmap((10, 40)))
    sizes = size(20, HEAD_BITS), size(30, HEAD_BITS)
    shared = 2 * (sum(sizes) - size(40, HEAD_BITS)) / sum(sizes)
    assert 0.3 < shared < 0.5
    assert version_value.head_letters(one, other) == pytest.approx(shared)
    assert version_value.head_letters(one, one) == pytest.approx(1.0)
    assert version_value.head_letters(one, sketch(head=bitmap((20, 40)))) == 0.0
    assert version_value.head_letters(sketch(), sketch()) == 0.0
    # A full bitmap stands for a finite set.
    full, least = sketch(head=bitmap((0, HEAD_BITS))), size(20, HEAD_BITS)
    shared = 2 * least / (size(HEAD_BITS, HEAD_BITS) + least)
    assert version_value.head_letters(one, full) == pytest.approx(shared)


@pytest.mark.parametrize("bits", [128, 256])
def test_words_are_compared_at_the_smaller_bitmap(bits: int) -> None:
    longer = sketch(words=bitmap((0, 10), (bits - 64, bits - 49)), word_bits=bits)
    shorter = sketch(words=bitmap((5, 25)))
    shared = (size(15, 64) + size(20, 64) - size(25, 64)) / size(15, 64)
    assert 0.3 < shared < 0.9
    # The same set, of which nothing is in the upper half.
    lower = sketch(words=bitmap((0, 15)), word_bits=bits)
    for pair in ((longer, shorter), (shorter, longer), (lower, shorter)):
        assert version_value.word_overlap(*pair) == pytest.approx(shared)


def test_words_of_a_text_in_another_are_all_shared() -> None:
    few, many = sketch(words=bitmap((0, 10))), sketch(words=bitmap((0, 48)))
    assert version_value.word_overlap(few, many) == pytest.approx(1.0)
    # Three quarters of the bits say enough, one more does not; no word says nothing.
    assert version_value.word_overlap(few, sketch(words=bitmap((0, 49)))) is None
    assert version_value.word_overlap(few, sketch()) is None


def test_of_many_numbers_those_below_a_bound_are_compared() -> None:
    many = sketch(numbers=tuple(range(0, 10 * NUMBERS + 1, 10)))
    last = 10 * NUMBERS
    few = sketch(numbers=(10, 15, last))
    for pair in ((many, few), (few, many)):
        assert version_value.number_overlap(*pair) == (2, 1)
    # All numbers of a text that has no more than are kept are known.
    known = sketch(numbers=tuple(range(0, 10 * NUMBERS, 10)))
    assert version_value.number_overlap(known, few) == (3, 1)
    assert version_value.number_overlap(known, many) == (NUMBERS, NUMBERS)


def scored(level: int = 3, **members: Any) -> Any:
    return SimpleNamespace(sketch=sketch(**members), chunks=SimpleNamespace(level=level))


def test_the_evidence_of_a_pair_is_what_its_parts_say() -> None:
    one = scored(head=bitmap((0, 20)), head_numbers=frozenset({1, 2, 3, 4}), numbers=(1, 2, 3, 4))
    other = scored(head=bitmap((0, 20)), head_numbers=frozenset({3, 4, 5}), numbers=(3, 4, 5))
    shared = Containment(10, 40, 70)
    evidence = version_value.evidence_of_pair(
        one, other, shared, resembling(0, of_query=0.2, of_hit=0.7)
    )
    assert astuple(evidence) == pytest.approx((0.7, 0.25, 0.1, 1.0, 2 / 3, 0.4, 2 / 3, 0.25, 0.0))


def test_without_numbers_nothing_is_said_of_them() -> None:
    evidence = version_value.evidence_of_pair(
        scored(), scored(head_numbers=frozenset({1}), numbers=(1,)), Containment(1, 4, 4),
        resembling(0),
    )  # fmt: skip
    assert astuple(evidence)[4:8] == (None, None, None, 0.25)


def test_many_numbers_that_agree_say_no_more_than_five() -> None:
    head = scored(head_numbers=frozenset(range(9)), words=bitmap((0, 10)))
    evidence = version_value.evidence_of_pair(head, head, Containment(1, 4, 4), resembling(0))
    assert astuple(evidence)[4:6] == (1.0, 1.0)
    assert astuple(evidence)[7] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("level", "other", "weight"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (1, 1, 1.0),
        (0, 2, LARGER_RECORD_WEIGHT),
        (1, 2, LARGER_RECORD_WEIGHT),
        (2, 2, 0.0),
        (1, 3, 0.0),
        (3, 3, 0.0),
    ],
)
def test_short_texts_are_weighed_as_records(level: int, other: int, weight: float) -> None:
    for pair in ((level, other), (other, level)):
        one, two = (scored(each) for each in pair)
        evidence = version_value.evidence_of_pair(one, two, Containment(1, 4, 4), resembling(0))
        assert astuple(evidence)[-1] == weight


@pytest.mark.parametrize(
    ("longer", "shared", "resemblance", "do"),
    [
        # A quarter is enough of texts of like lengths: 0.25 = 1/7 + 6/7 · 0.5 · 0.25.
        (80, Containment(1, 8.125, 9), 0.25, True),
        (80, Containment(1, 8.2, 9), 0.25, False),
        # Half is needed where one is more than eight times as long: 0.5 = 1/3 + 2/3 · 0.5 · 0.5.
        (81, Containment(1, 3.74, 9), 0.5, True),
        (81, Containment(1, 3.8, 9), 0.5, False),
        (80, Containment(1, 3.8, 9), 0.5, True),
    ],
)
def test_versions_share_a_quarter_or_of_an_excerpt_half(
    longer: int, shared: Containment, resemblance: float, do: bool
) -> None:
    one, other = (
        SimpleNamespace(chunks=SimpleNamespace(characters=np.array(characters)))
        for characters in ([4, 6], [longer])
    )
    for pair in ((one, other), (other, one)):
        assert version_value.shares_enough(*pair, shared, resembling(resemblance)) is do


@pytest.mark.parametrize(
    ("shared", "score"),
    [
        # 0.05 copied, and a quarter of the rest: on the line from the origin.
        (Containment(0, 28.5, 30), 0.2875),
        # 0.2 copied: 0.4 lies a seventh of the way from 0.3 to 1.
        (Containment(0, 6, 6), 0.3 + 0.3 / 7),
        (Containment(80, 80, 80), VERSION_SCORE - 0.0001),
    ],
)
def test_what_is_no_version_has_a_score_below_versions(shared: Containment, score: float) -> None:
    assert version_value.score_without_versions(shared, GREATEST) == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize(("value", "score"), [(0.25, 0.3), (0.5, 0.6), (0.75, 0.8), (1.0, 1.0)])
def test_a_value_lies_on_two_lines_that_meet_at_the_threshold(value: float, score: float) -> None:
    assert version_value.rescaled(value, 0.5) == pytest.approx(score)


@pytest.mark.parametrize(("value", "is_version"), [(0.5, True), (0.4999, False)])
def test_versions_begin_at_the_threshold(
    monkeypatch: pytest.MonkeyPatch, value: float, is_version: bool
) -> None:
    monkeypatch.setattr(version_value, "value_of_pair", lambda *any_pair: value)
    shared = Containment(0, 28.5, 30)
    score = version_value.score_of_pair(scored(), scored(), shared, GREATEST, 0.5)
    assert score == pytest.approx(VERSION_SCORE if is_version else 0.2875)
