"""The published vectors of the methods, and the second implementation that made them."""

from copy import deepcopy

import pytest
from hypothesis import given, settings

from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS, fingerprint_method
from es_simhash.lab.methods.method_scheme import FingerprintMethod
from es_simhash.lab.methods.method_vectors import check, vectors
from tests.support import method_vectors
from tests.support.slow_fingerprints import FINGERPRINTS
from tests.support.strategies import texts


@pytest.fixture(params=FINGERPRINT_METHODS)
def method(request: pytest.FixtureRequest) -> FingerprintMethod:
    return fingerprint_method(request.param)


def test_the_published_vectors_hold(method: FingerprintMethod) -> None:
    published = vectors(method.name)
    assert list(check(method, published)) == []
    assert len({vector["fingerprint"] for vector in published}) >= 6


def test_the_published_vectors_are_those_of_the_second_implementation(
    method: FingerprintMethod,
) -> None:
    assert method_vectors.vectors(method.name) == vectors(method.name)


def test_a_difference_is_a_sentence_that_names_the_text(method: FingerprintMethod) -> None:
    changed = deepcopy(vectors(method.name))
    place = next(n for n, vector in enumerate(changed) if vector["name"] == "in en")
    changed[place]["blocks"][0] = "wrong"
    alone, together = check(method, changed)
    assert alone.startswith(f"{method.name}, in en: blocks alone is [")
    assert "'wrong'" in together


@settings(max_examples=15)
@given(texts)
def test_both_implementations_agree_on_any_text(text: str) -> None:
    for name, slow in FINGERPRINTS.items():
        features = fingerprint_method(name).read([text])
        expected = slow(text)
        assert [row.tobytes() for row in features.rows(0)] == expected.fingerprints, name
        keys = {key for group in features.block_keys()[0] for key in group}
        assert sorted(keys) == expected.blocks, name
