"""The weights of the evidence of versions: what holds whatever the evidence."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from es_simhash.relation.version_value import FEW_NUMBERS
from es_simhash.relation.version_weights import (
    EVIDENCE_TITLES,
    WEIGHED,
    Curve,
    VersionEvidence,
    version_weights,
)

WEIGHTS = version_weights()
shares = st.floats(0, 1)
evidence = st.builds(
    VersionEvidence,
    *[shares] * 4,
    *[st.none() | shares] * 3,
    words=shares,
    record=st.sampled_from([0.0, 0.25, 1.0]),
)


@given(evidence, st.sampled_from(WEIGHED), shares)
def test_more_evidence_never_makes_less_of_a_version(
    known: VersionEvidence, name: str, value: float
) -> None:
    before = getattr(known, name)
    assume(before is not None and value >= before)
    more = replace(known, **{name: value})
    assert WEIGHTS.probability(more) >= WEIGHTS.probability(known)


@given(evidence, st.sampled_from(["head_numbers", "numbers"]))
def test_numbers_that_both_have_never_lower_and_those_of_one_never_raise(
    known: VersionEvidence, name: str
) -> None:
    without = replace(known, **{name: None})
    agreeing, differing = replace(known, **{name: 1.0}), replace(known, **{name: 0.0})
    if name == "head_numbers":
        without = replace(without, common_numbers=None)
        agreeing = replace(agreeing, common_numbers=1 / FEW_NUMBERS)
        differing = replace(differing, common_numbers=0.0)
    probability = WEIGHTS.probability(without)
    assert WEIGHTS.probability(differing) <= probability + 1e-9
    assert WEIGHTS.probability(agreeing) >= probability - 1e-9


@given(evidence)
def test_what_texts_lack_is_no_evidence(known: VersionEvidence) -> None:
    listed = set(WEIGHTS.log_odds(known))
    assert listed == {"start", *(n for n in WEIGHED if getattr(known, n) is not None)}


@given(evidence)
def test_evidence_adds_up_to_the_probability(known: VersionEvidence) -> None:
    odds = sum(WEIGHTS.log_odds(known).values())
    assert WEIGHTS.probability(known) == pytest.approx(1 / (1 + math.exp(-odds)))


def test_a_curve_is_straight_between_its_knots() -> None:
    curve = Curve((0.0, 0.5, 1.0), (0.0, 2.0, 3.0))
    assert [curve.at(value) for value in (0.0, 0.25, 0.5, 0.75, 1.0)] == [0.0, 1.0, 2.0, 2.5, 3.0]


def test_the_shipped_curves_never_fall() -> None:
    for curve in (*WEIGHTS.texts.curves.values(), *WEIGHTS.records.curves.values()):
        assert (curve.knots[0], curve.knots[-1]) == (0.0, 1.0)
        assert list(curve.weights) == sorted(curve.weights)


def test_all_evidence_has_a_title() -> None:
    assert set(EVIDENCE_TITLES) == {"start", *WEIGHED}
