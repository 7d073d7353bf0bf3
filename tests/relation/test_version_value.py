"""The formula of versions: what lowers the value of a pair, and how it is scaled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.relation import Coverage
from es_simhash.relation.resemblance import Resemblance
from es_simhash.relation.shared_shingles import Containment
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.relation.version_value import rescaled, score_of_pair, value_of_pair

# Shared text says the same of both: half of the shingles, nine tenths of the chunks.
SHARED = Containment(40, 80)
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
    assert len(set(values)) == len(values)
    assert 0 <= values[-1] < values[0] <= 1


def test_texts_that_share_no_shingle_have_no_value_and_no_score_of_versions() -> None:
    one, other = TextAnalyser().analyse(["The harbour opens at six.", "The quarry was dug here."])
    equal = Resemblance(COVERED, COVERED)
    assert value_of_pair(one, other, Containment(0, 80), equal) == 0
    assert score_of_pair(one, other, Containment(0, 80), equal, VERSION_SCORE) < VERSION_SCORE


@given(st.floats(0, 1), st.floats(0.05, 0.95))
def test_versions_of_every_threshold_begin_at_one_score(value: float, threshold: float) -> None:
    assert (rescaled(value, threshold) >= VERSION_SCORE - 1e-9) == (value >= threshold - 1e-9)
    assert rescaled(threshold, threshold) == pytest.approx(VERSION_SCORE)
    assert rescaled(1.0, threshold) == pytest.approx(1.0)
