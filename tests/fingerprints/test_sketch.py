"""Whether packed sketches are whole, of many as of each alone."""

import random

import pytest

from es_simhash.fingerprints.sketch import JoinedSketches, Sketch
from tests.fingerprints.test_text_sketches import sketches_of
from tests.support.made_up_texts import make_text


@pytest.fixture
def packed() -> list[bytes]:
    """Sketches of texts with few and many words, with and without numbers."""
    texts = [make_text(seed, 10 << seed) for seed in range(8)]
    return sketches_of(*texts, *(f"{number} of {text}" for number, text in enumerate(texts)))


def test_sketches_are_whole_as_they_are_written(packed: list[bytes]) -> None:
    assert JoinedSketches.of(packed).are_whole
    assert JoinedSketches.of([]).are_whole


def test_damaged_ones_are_noticed_as_of_each_alone(packed: list[bytes]) -> None:
    chosen, verdicts = random.Random(3), set()
    for _ in range(400):
        sketch = bytearray(chosen.choice(packed))
        if chosen.random() < 0.5:
            del sketch[chosen.randrange(len(sketch)) :]
        else:
            # Most of all where the numbers are counted.
            sketch[chosen.choice((32, 33, chosen.randrange(len(sketch))))] = chosen.randrange(256)
        damaged = bytes(sketch)
        alone = Sketch(damaged).is_whole
        verdicts.add(alone)
        assert JoinedSketches.of([damaged]).are_whole is alone, damaged
        assert JoinedSketches.of([*packed, damaged, packed[0]]).are_whole is alone, damaged
    assert verdicts == {True, False}
