"""What chunks say of two texts: what resembles, and what is equal."""

from math import cos, pi

import numpy as np
import pytest

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.relation.relation import Coverage
from es_simhash.relation.resemblance import resemblance_of
from es_simhash.relation.thresholds import DIFFERENT_COSINE, EQUAL_COSINE

CHUNK_BYTES = 16


def chunked(*chunks: tuple[int, int]) -> ChunkFingerprints:
    """Chunks, each the lowest set bits of its fingerprint and its characters.

    Those of the numbers below 10 are close to each other, and far from those of 60 and more.
    """
    bits = np.array([[number < set_bits for number in range(128)] for set_bits, _ in chunks])
    return ChunkFingerprints(
        np.packbits(bits, axis=1), np.array([each for _, each in chunks]), np.array([9, 0, 0, 0])
    )


def test_what_resembles_need_not_be_equal() -> None:
    one = chunked((0, 50), (60, 20), (127, 30))
    found = resemblance_of(one, chunked((0, 40), (62, 60)))
    assert found.coverage == Coverage(0.7, 1.0)
    assert found.equal == Coverage(0.5, 0.4)
    assert found.greater == 1.0


def test_both_sides_say_the_same() -> None:
    one, other = chunked((0, 50), (60, 20), (127, 30)), chunked((0, 40), (62, 60))
    found, mirror = resemblance_of(one, other), resemblance_of(other, one)
    assert found.greater == mirror.greater
    assert found.equal.of_query == mirror.equal.of_hit
    # Each is covered as a whole, and not equally equal.
    one, other = chunked((0, 50), (60, 50)), chunked((0, 20), (62, 40), (60, 40))
    found, mirror = resemblance_of(one, other), resemblance_of(other, one)
    assert found.coverage == Coverage(1.0, 1.0)
    assert found.equal != mirror.equal
    assert found.equal == Coverage(mirror.equal.of_hit, mirror.equal.of_query)


def test_chunks_without_characters_cover_nothing() -> None:
    found = resemblance_of(chunked((0, 50)), chunked((0, 0), (60, 0)))
    assert found.coverage == Coverage(1.0, 0.0)
    assert found.equal == Coverage(1.0, 0.0)


@pytest.mark.parametrize("distance", [16, 24, 32])
def test_a_chunk_is_covered_by_the_cosine_of_its_distance(distance: int) -> None:
    cosine = cos(pi * distance / 128)
    covered = (cosine - DIFFERENT_COSINE) / (EQUAL_COSINE - DIFFERENT_COSINE)
    assert 0 < covered < 1
    found = resemblance_of(chunked((0, 50)), chunked((distance, 70)))
    assert found.coverage.of_query == found.coverage.of_hit == pytest.approx(covered, abs=1e-6)
    assert found.equal == Coverage(0.0, 0.0)


@pytest.mark.parametrize("distance", [127, 128])
def test_opposite_chunks_cover_nothing(distance: int) -> None:
    assert resemblance_of(chunked((0, 50)), chunked((distance, 70))).coverage == Coverage(0.0, 0.0)


def test_a_chunk_of_one_character_is_covered_as_any() -> None:
    found = resemblance_of(chunked((0, 1)), chunked((0, 1)))
    assert found.coverage == found.equal == Coverage(1.0, 1.0)
