"""Made-up archives: the same again, as long, with forms and revisions as they say."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.bench.made_up_archive import Archive

PROSE = [f"word{number}" for number in range(5_000)]
FORM = ["Shr", "12", "cts", "vs", "34", "cts", "Net", "56,789"]


def archive(*stories: list[str], forms: tuple[bool, ...]) -> Archive:
    return Archive(
        words=[word for story in stories for word in story],
        starts=np.cumsum([0, *map(len, stories)]),
        forms=np.array(forms),
        length=(5.0, 0.1),
        revision_every=4,
        replaced=0.1,
        subject=0.5,
        run=3.0,
    )


def test_the_same_numbers_are_the_same_stories() -> None:
    made = archive(PROSE, FORM, forms=(False, True))
    assert list(made.texts(500, 20)) == list(made.texts(500, 20))
    assert not set(made.texts(500, 20)) & set(made.texts(1000, 20))


def test_every_fourth_story_revises_the_one_before() -> None:
    made = archive(PROSE, PROSE[::-1], forms=(False, False))
    texts = [set(text.split()) for text in made.texts(0, 40)]
    shared = [len(one & other) / len(other) for one, other in pairwise(texts)]
    revisions = shared[2::4]
    assert min(revisions) > 0.8
    assert max(set(shared) - set(revisions)) < min(revisions)


def test_stories_are_as_long_as_they_should_be() -> None:
    made = replace(archive(PROSE, PROSE, forms=(False, False)), revision_every=1000)
    words = [len(text.split()) for text in made.texts(0, 300)]
    assert np.mean(np.log(words)) == pytest.approx(5.0, abs=0.1)


def test_a_form_has_other_digits_in_the_same_places() -> None:
    made = archive(FORM, forms=(True,))
    first, second = list(made.texts(0, 2))
    assert first != second
    for text in (first, second):
        words = text.split()
        assert [word for word in words if not any(map(str.isdecimal, word))] == [
            "Shr", "cts", "vs", "cts", "Net"
        ]  # fmt: skip
        assert [len(word) for word in words] == [len(word) for word in FORM]
