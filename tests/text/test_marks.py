"""Marks in the order of normal forms, however many there are."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.text import marks
from es_simhash.text.marks import composed, is_composed
from es_simhash.text.normal_forms import normalise, normalise_all, original_offsets
from tests.support import reference

# Marks of several classes and of none, composed and compatible ones, and letters that they are on.
MARKED = st.text(
    "aAｶ가\u0301\u0316\u0344\u0345\u034f\u05b0\u0651\u064e\u0f75\u0f71\u3099\uff9e\u11a8\u0e33´ﬁ"
)


@given(MARKED)
def test_marks_have_the_same_form_in_whatever_order_they_are(original: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(marks, "_MOST_MARKS", 1)
        assert normalise(original) == reference.normalise(original)
        assert composed(original) == unicodedata.normalize("NFC", original)
        assert is_composed(original) == unicodedata.is_normalized("NFC", original)


def test_a_letter_with_a_hundred_thousand_marks_is_normalised_in_seconds() -> None:
    # An acute above, and a grave below, which comes first and lets the other one reach the letter.
    many = 50_000
    below, above = "\u0316" * many, "\u0301" * (many - 1)
    text = "A" + "\u0301\u0316" * many
    start = time.process_time()
    assert normalise(text) == normalise_all([text])[0] == f"á{below}{above}"
    assert composed(text) == f"Á{below}{above}"
    assert not is_composed(text)
    assert len(original_offsets(text)) == 2 * many + 1
    assert time.process_time() - start < 10
