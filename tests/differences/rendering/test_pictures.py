"""Pictures of a comparison: the sum of the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.differences.rendering.comparison_page import changes_html
from es_simhash.differences.rendering.pictures import evidence_bars
from es_simhash.differences.text_changes import changes
from es_simhash.relation.text_comparison import compare
from es_simhash.relation.version_weights import EVIDENCE_TITLES, WEIGHED

log_odds = st.dictionaries(st.sampled_from(WEIGHED), st.floats(-5, 5)).flatmap(
    lambda added: st.floats(-5, 5).map(lambda start: {"start": start, **added})
)


@given(log_odds)
def test_bars_of_evidence_add_up_within_the_picture(added: dict[str, float]) -> None:
    bars = evidence_bars(added)
    assert bars[-1].added == pytest.approx(sum(added.values()), abs=1e-9)
    assert all(bar.left >= -1e-9 and bar.left + bar.width <= 1 + 1e-9 for bar in bars)
    steps = bars[1:-1] if round(added["start"], 1) else bars[:-1]
    assert [abs(bar.added) for bar in steps] == sorted(
        (abs(bar.added) for bar in steps), reverse=True
    )
    for bar in steps:
        assert bar.style == ("against" if bar.added < 0 else "for")


def test_a_page_shows_what_speaks_for_and_against_versions() -> None:
    one = "The board of Harbour Freight declared a dividend of 12 cents, payable on April 15. " * 3
    other = one.replace("Harbour Freight", "Quarry & Stone").replace("12", "7")
    page = changes_html(changes(one, other), "one", "other", compare(one, other))
    assert "What speaks for versions, and what against" in page
    assert EVIDENCE_TITLES["head_numbers"] in page
    assert 'class="against"' in page
    assert 'class="for"' in page


def test_a_page_of_texts_that_share_nothing_has_no_evidence_of_versions() -> None:
    one, other = "The harbour opens at six.", "A quarry was dug in the hills."
    page = changes_html(changes(one, other), "one", "other", compare(one, other))
    assert "What speaks for versions" not in page
