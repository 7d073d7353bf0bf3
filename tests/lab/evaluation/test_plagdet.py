"""Measures of text alignment on passages small enough to be computed by hand."""

from math import log2

import pytest

from es_simhash.lab.evaluation.plagdet import PassagePair, alignment_score

PAIR = ("suspicious", "source")
# Ten characters of either text.
KNOWN = PassagePair(100, 110, 500, 510)


def test_what_is_found_exactly_is_perfect() -> None:
    assert alignment_score({PAIR: [KNOWN]}, {PAIR: [KNOWN]}) == (1, 1, 1, 1)


def test_half_of_a_passage_is_half_of_the_recall() -> None:
    half = PassagePair(100, 105, 500, 505)
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [half]})
    assert (score.recall, score.precision, score.granularity) == (0.5, 1, 1)
    # F1 of 1/2 and 1.
    assert score.plagdet == pytest.approx(2 / 3)


def test_twice_what_is_known_is_half_of_the_precision() -> None:
    twice = PassagePair(95, 115, 500, 520)
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [twice]})
    assert (score.recall, score.precision, score.granularity) == (1, 0.5, 1)
    assert score.plagdet == pytest.approx(2 / 3)


def test_both_sides_count_by_their_characters() -> None:
    # Of the 10 + 30 characters, all of the first and a third of the second.
    known = PassagePair(0, 10, 0, 30)
    score = alignment_score({PAIR: [known]}, {PAIR: [PassagePair(0, 10, 20, 30)]})
    assert score.recall == pytest.approx(20 / 40)
    assert score.precision == 1


def test_a_passage_found_in_two_pieces_has_granularity_two() -> None:
    pieces = [PassagePair(100, 105, 500, 505), PassagePair(105, 110, 505, 510)]
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: pieces})
    assert (score.recall, score.precision, score.granularity) == (1, 1, 2)
    assert score.plagdet == pytest.approx(1 / log2(3))


def test_pieces_that_overlap_are_counted_once() -> None:
    pieces = [PassagePair(100, 107, 500, 507), PassagePair(103, 108, 503, 508)]
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: pieces})
    assert score.recall == pytest.approx(0.8)
    assert score.granularity == 2


def test_granularity_is_that_of_the_passages_that_were_found() -> None:
    missed = PassagePair(900, 910, 900, 910)
    pieces = [PassagePair(100, 105, 500, 505), PassagePair(105, 110, 505, 510)]
    score = alignment_score({PAIR: [KNOWN, missed]}, {PAIR: pieces})
    assert (score.recall, score.precision, score.granularity) == (0.5, 1, 2)
    assert score.plagdet == pytest.approx(2 / 3 / log2(3))


@pytest.mark.parametrize(
    "found",
    [
        PassagePair(100, 110, 700, 710),
        PassagePair(700, 710, 500, 510),
        # Next to it.
        PassagePair(110, 120, 510, 520),
    ],
)
def test_an_overlap_on_one_side_only_counts_nothing(found: PassagePair) -> None:
    score = alignment_score({PAIR: [KNOWN]}, {PAIR: [found]})
    assert (score.plagdet, score.recall, score.precision, score.granularity) == (0, 0, 0, 1)


def test_passages_of_another_pair_are_false() -> None:
    # One of two found passages is right.
    found = {PAIR: [KNOWN], ("suspicious", "another"): [KNOWN]}
    score = alignment_score({PAIR: [KNOWN]}, found)
    assert (score.recall, score.precision) == (1, 0.5)


@pytest.mark.parametrize(
    ("known", "found"),
    [({}, {}), ({PAIR: [KNOWN]}, {}), ({PAIR: [KNOWN]}, {PAIR: []}), ({}, {PAIR: [KNOWN]})],
)
def test_nothing_known_or_nothing_found_is_no_score(
    known: dict[tuple[str, str], list[PassagePair]],
    found: dict[tuple[str, str], list[PassagePair]],
) -> None:
    assert alignment_score(known, found) == (0, 0, 0, 1)
