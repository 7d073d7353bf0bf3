"""Fingerprints of methods as they are published, stored, and found by their keys."""

import re

import numpy as np
import pytest

from es_simhash.errors import InputError, MissingExtra, SchemeError, SchemeMismatch, install_command
from es_simhash.lab.methods import method_scheme as schemes
from es_simhash.lab.methods.close_pairs import MaskTables
from es_simhash.lab.methods.method_protocol import FingerprintFeatures
from es_simhash.lab.methods.method_registry import (
    FINGERPRINT_METHODS,
    fingerprint_method,
    method_names,
)
from es_simhash.lab.methods.method_scheme import FingerprintMethod, is_fingerprint
from tests.support.five_languages import texts
from tests.support.pairs_of_texts import all_pairs

TEXTS = list(texts().values())


@pytest.fixture(scope="module", params=FINGERPRINT_METHODS)
def method(request: pytest.FixtureRequest) -> FingerprintMethod:
    return fingerprint_method(request.param)


@pytest.fixture(scope="module")
def features(method: FingerprintMethod) -> FingerprintFeatures:
    return method.read(TEXTS)


def test_strings_hold_all_that_two_texts_are_scored_by(
    method: FingerprintMethod, features: FingerprintFeatures
) -> None:
    strings = [method.scheme.string(features.rows(text)) for text in range(len(TEXTS))]
    read = [
        features.rows(text) if text in features.unreadable else method.scheme.parse(strings[text])
        for text in range(len(TEXTS))
    ]
    restored = method.scheme.restore(read)
    pairs = all_pairs(len(TEXTS))
    assert (restored.score(*pairs.T) == features.score(*pairs.T)).all()
    assert restored.candidates().tolist() == features.candidates().tolist()
    assert restored.block_keys() == features.block_keys()
    assert set(restored.unreadable) == set(features.unreadable)
    assert all(
        is_fingerprint(string)
        for text, string in enumerate(strings)
        if text not in features.unreadable
    )


def test_one_text_has_the_candidates_that_all_together_have(
    method: FingerprintMethod, features: FingerprintFeatures
) -> None:
    found = {
        (min(text, other), max(text, other))
        for text in range(len(TEXTS))
        for other in features.candidates_of(text).tolist()
    }
    together = {(one, other) for one, other in features.candidates().tolist()}
    assert len(together) >= 2
    assert together <= found
    if not method.name.startswith("simhash-bigrams"):  # in memory they are found by rotation
        assert together == found


def test_candidates_share_a_key(features: FingerprintFeatures) -> None:
    keys = [{key for group in groups for key in group} for groups in features.block_keys()]
    for text in range(len(TEXTS)):
        assert bool(keys[text]) == (text not in features.unreadable)
        for other in features.candidates_of(text).tolist():
            assert keys[text] & keys[other]


def test_scores_are_the_share_of_equal_units(features: FingerprintFeatures) -> None:
    pairs = all_pairs(len(TEXTS))
    differing = (1 - features.score(*pairs.T)) * features.units(*pairs.T)
    assert differing == pytest.approx(np.rint(differing))
    assert features.unit in ("bits", "values", "sentences")


def test_a_string_of_another_scheme_is_one_sentence(method: FingerprintMethod) -> None:
    other = "token-simhash64.v2:AAAAAAAAAAAAA"
    with pytest.raises(SchemeMismatch) as error:
        method.scheme.parse(other)
    assert "'token-simhash64.v2'" in str(error.value)
    assert repr(method.scheme.name) in str(error.value)
    assert f"--scheme {method.name}`." in str(error.value)
    for digits in ("", "A", "ABC", "1!"):
        with pytest.raises(SchemeError) as error:
            method.scheme.parse(f"{method.scheme.name}:{digits}")
        assert repr(method.scheme.name) in str(error.value)


@pytest.mark.parametrize(("bits", "k"), [(16, 1), (32, 3), (64, 8), (64, 12)])
def test_fingerprints_within_k_share_a_key_of_two_blocks(bits: int, k: int) -> None:
    random = np.random.default_rng(bits + k)
    tables = MaskTables.of_pairs(bits, k)
    assert len(tables.masks) == (k + 2) * (k + 1) // 2
    for _ in range(200):
        value = int(random.integers(0, 1 << 63)) % (1 << bits)
        changed = value
        for bit in random.choice(bits, k, replace=False).tolist():
            changed ^= 1 << bit
        one, other = tables.keys(np.array([value, changed], np.uint64))
        assert set(one) & set(other)
        assert len(set(one)) == len(one)


def test_methods_without_fingerprints_name_those_with() -> None:
    for name in sorted({*method_names(), "weighted-simhash-spacy"} - {*FINGERPRINT_METHODS}):
        with pytest.raises(InputError) as error:
            fingerprint_method(name)
        assert repr(name) in str(error.value)
        assert "token-simhash" in str(error.value)
    with pytest.raises(InputError, match="'sinhash'"):
        fingerprint_method("sinhash")
    assert fingerprint_method("token-simhash64.v1").name == "token-simhash"


def test_a_scheme_that_needs_a_package_names_the_command(
    method: FingerprintMethod, monkeypatch: pytest.MonkeyPatch
) -> None:
    method.scheme.require_packages()
    monkeypatch.setattr(schemes, "find_spec", lambda package: None)
    if method.scheme.packages:
        with pytest.raises(MissingExtra, match=re.escape(install_command("chinese"))):
            method.scheme.require_packages()
    else:
        method.scheme.require_packages()


def test_concept_fingerprints_do_not_depend_on_what_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With wordfreq installed, words of languages without a shipped list had other weights."""
    from es_simhash.semantics import rarity

    asked: list[frozenset[str]] = []
    real = rarity.frequency_source

    def recorded(language: str, packages: frozenset[str] | None = None) -> str:
        assert packages is not None
        asked.append(packages)
        return real(language, packages)

    monkeypatch.setattr(rarity, "frequency_source", recorded)
    rarity.word_rarities.cache_clear()
    fingerprint_method("concept-simhash-doc").read(
        ["Le port ouvre à six heures et le ferry part à sept heures du matin vers les îles."]
    )
    assert set(asked) == {frozenset({"jieba"})}
