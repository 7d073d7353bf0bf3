"""The formula of versions: what lowers the value of a pair, and how it is scaled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.relation import Coverage
from es_simhash.relation.resemblance import Resemblance
from es_simhash.relation.shared_shingles import Containment
from es_simhash.relation.text_comparison import compare
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.relation.version_value import (
    rescaled,
    score_of_pair,
    value_of_pair,
)

# Shared text says the same of both: half of the shingles, nine tenths of the chunks.
SHARED = Containment(40, 80, 80)
COVERED = Coverage(0.9, 0.9)


def test_what_was_altered_throughout_is_less_of_a_version() -> None:
    words = " ".join(f"provision{number} regulates matter{number}" for number in range(120))
    one, other = TextAnalyser().analyse(
        [f"Articles of 2014 {words}", f"Statutes of 1998 {words.replace('matter1', 'subject1')}"]
    )
    values = [
        value_of_pair(one, other, SHARED, Resemblance(COVERED, Coverage(equal, equal)))
        for equal in (0.9, 0.6, 0.3, 0.0)
    ]
    assert values == sorted(values, reverse=True)
    assert 0 <= values[-1] < values[0] <= 1


NOTICE = """{company} declares a quarterly dividend

{company} said its board declared a quarterly dividend of {amount} cts a share, payable on April
{day} to shareholders of record on March {record}. The company said that the dividend is unchanged
from the previous quarter and that further announcements would follow with the results."""
RECORD = "Editorial. Avison, David and Fitzgerald, Guy. Information Systems Journal. {}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            NOTICE.format(company="Harbour Freight Inc", amount=12, day=15, record=31),
            NOTICE.format(company="Quarry & Stone Corp", amount=7, day=9, record=20),
        ),
        (RECORD.format("2002 19 1 5--10"), RECORD.format("2009 26 3 209--211")),
    ],
)
def test_one_form_filled_in_twice_is_no_version(one: str, other: str) -> None:
    assert compare(one, one + " Corrected.", semantics=None).score >= VERSION_SCORE
    assert compare(one, other, semantics=None).score < VERSION_SCORE


def test_one_number_or_company_that_differs_lowers_the_score() -> None:
    filled = {"company": "Harbour Freight Inc", "amount": 12, "day": 15, "record": 31}
    notice = NOTICE.format(**filled)
    resent = compare(notice, notice.replace("further", "other"), semantics=None).score
    for name, value in (("amount", 7), ("company", "Quarry & Stone Corp")):
        differing = NOTICE.format(**{**filled, name: value}).replace("further", "other")
        assert compare(notice, differing, semantics=None).score < resent


def test_texts_that_resemble_each_other_nowhere_are_no_versions() -> None:
    one, other = TextAnalyser().analyse(["The harbour opens at six."] * 2)
    nothing = Resemblance(Coverage(0.0, 0.0), Coverage(0.0, 0.0))
    assert value_of_pair(one, other, SHARED, nothing) == 0


def test_texts_that_share_no_shingle_have_no_value_and_no_score_of_versions() -> None:
    one, other = TextAnalyser().analyse(["The harbour opens at six.", "The quarry was dug here."])
    equal = Resemblance(COVERED, COVERED)
    assert value_of_pair(one, other, Containment(0, 80, 80), equal) == 0
    assert score_of_pair(one, other, Containment(0, 80, 80), equal, VERSION_SCORE) < VERSION_SCORE


@given(st.floats(0, 1), st.floats(0.05, 0.95))
def test_versions_of_every_threshold_begin_at_one_score(value: float, threshold: float) -> None:
    assert (rescaled(value, threshold) >= VERSION_SCORE - 1e-9) == (value >= threshold - 1e-9)
    assert rescaled(threshold, threshold) == pytest.approx(VERSION_SCORE)
    assert rescaled(1.0, threshold) == pytest.approx(1.0)
