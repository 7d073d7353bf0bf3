"""Offsets in the original text for positions in the normalised one."""

import re

from hypothesis import given

from es_simhash.text.normal_forms import normalise
from es_simhash.text.offsets import original_offsets
from tests.support.strategies import texts


def word_by_word(original: str) -> list[int]:
    """Map each word and each run of spaces by itself."""
    offsets = []
    for run in re.finditer(r"\s+|\S+", original):
        normalised, start = normalise(run.group()), run.start()
        parts = [normalise(character) for character in run.group()]
        if len(normalised) == len(run.group()):
            offsets += range(start, run.end())
        elif "".join(parts) == normalised:
            offsets += [start + place for place, part in enumerate(parts) for _ in part]
        else:
            offsets += [
                start + min(place, len(run.group()) - 1) for place in range(len(normalised))
            ]
    return [*offsets, len(original)]


@given(texts)
def test_each_position_of_the_normalised_text_has_an_offset(original: str) -> None:
    found = original_offsets(original).tolist()
    assert found == word_by_word(original)
    assert len(found) == len(normalise(original)) + 1


def test_letters_that_become_several_keep_their_place() -> None:
    assert original_offsets("a ﬃ b").tolist() == [0, 1, 2, 2, 2, 3, 4, 5]
    assert original_offsets("x\u3000ß").tolist() == [0, 1, 2, 2, 3]
