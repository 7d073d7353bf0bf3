"""Steps between neighbouring versions of policies and handbooks, and texts of a megabyte."""

import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from es_simhash import changes
from tests.bench.changes import least, marked
from tests.support.datasets import version_set
from tests.support.made_up_texts import make_text

_MEGABYTE = 1_000_000


def test_every_step_is_complete_and_marks_little_more_than_a_minimal_diff(data_dir: Path) -> None:
    known = version_set("terms_versions")
    steps = [pair for chain in known.chains.values() for pair in pairwise(chain)]
    assert len(steps) == 844
    ours = minimal = 0
    # All of them are measured by `make bench-changes`.
    for one, other in steps[::4]:
        a, b = known.texts[one], known.texts[other]
        found = changes(a, b)
        assert (found.text_a, found.text_b) == (a, b), (one, other)
        ours += marked(found)
        minimal += least(a, b)
    assert ours <= 1.1 * minimal


def large(name: str) -> tuple[str, str]:
    text = make_text(1, 180_000)[:_MEGABYTE]
    chosen = random.Random(1)
    words = text.split()
    if name == "itself":
        return text, text
    if name == "one word":
        return "word " * 200_000, "word " * 190_000
    if name == "two words":
        return "one two " * 125_000, "two one " * 125_000
    if name == "no common word":
        return text, "".join(chr(ord(letter) + 0x350) for letter in text if letter.isalpha())
    if name == "other order":
        return text, " ".join(chosen.sample(words, len(words)))
    return text, " ".join(word if chosen.random() > 0.05 else "edited" for word in words)


@pytest.mark.variants
@pytest.mark.parametrize(
    "name", ["itself", "one word", "two words", "no common word", "other order", "edited"]
)
def test_a_megabyte_takes_no_time_that_grows_with_its_square(name: str) -> None:
    a, b = large(name)
    start = time.process_time()
    found = changes(a, b)
    # Two seconds where nothing else runs; a table of all pairs of words would take minutes.
    assert time.process_time() - start < 10
    assert (found.text_a, found.text_b) == (a, b)
