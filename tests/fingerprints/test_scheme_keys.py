"""Keyed schemes: another key gives other fingerprints, and a key is in nothing but itself."""

import hashlib
import pickle
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import SchemeError, SchemeMismatch
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme, require_same_scheme
from es_simhash.fingerprints.scheme_keys import (
    KEY_FILE_VARIABLE,
    KEY_VARIABLE,
)
from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.store import conformance
from es_simhash.store.codec import simhash_object
from es_simhash.store.conformance import describe
from scripts import build_vectors
from tests.support import reference
from tests.support.made_up_texts import make_text

KEY, OTHER = "0f" * 31 + "01", "0f" * 31 + "02"
ID = "e13fd2f1d615a8a2"
TEXT = "The harbour was quiet that morning in 1912, and nobody had seen the ferry leave 第12条. "


@pytest.fixture(autouse=True)
def only_this_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.delenv(KEY_FILE_VARIABLE, raising=False)


def keyed() -> Scheme:
    return chosen_scheme("keyed")


def test_the_name_has_the_id_of_the_key_and_not_the_key() -> None:
    assert keyed().name == f"{DEFAULT.name}-key{ID}"
    assert Scheme.parse(keyed().name) == keyed()
    assert KEY[:8] not in keyed().name


def test_another_key_gives_other_numbers_in_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [simhash_object(fingerprint(TEXT)), simhash_object(fingerprint(TEXT, keyed()))]
    monkeypatch.setenv(KEY_VARIABLE, OTHER)
    objects.append(simhash_object(fingerprint(TEXT, keyed())))
    for member in ("scheme", "fingerprint", "chunks", "sketch"):
        assert len({each[member] for each in objects}) == 3
    for member in ("blocks", "shingles"):
        terms = [set(each[member]) for each in objects]
        assert not terms[0] & (terms[1] | terms[2])
        assert not terms[1] & terms[2]
    # What is equal shall be recognised by everybody: this one is a digest of the whole text.
    assert len({each["content_hash"] for each in objects}) == 1


def test_it_is_what_the_specification_says() -> None:
    """The published example of docs/fingerprint.md."""
    simhash = simhash_object(fingerprint("The Straße is wet. Is it?", keyed()))
    assert simhash["fingerprint"] == "2e21c0081574dddded09fb3a87a5c282"
    assert simhash["shingles"] == ["GN4y", "fdMM", "tPAD"]
    assert simhash["sketch"] == "AAEAQAAAEQAAIAAAAGgAACAAAaAMAgEAQAADIAAQAAAAAAEAAAAAAAAA"
    assert simhash["chunks"] == "AwAAAAEAAAAAAAAAAAAAAOzT1XzEQAqD04CkVKe6h9wZAA=="


def test_a_second_implementation_computes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def number(purpose: bytes, value: bytes) -> int:
        key = bytes.fromhex(KEY)
        digest = hashlib.blake2b(value, digest_size=8, key=key, person=purpose).digest()
        return int.from_bytes(digest, "little")

    monkeypatch.setattr(
        reference, "token_number", lambda token: number(b"token", token.encode("utf-8"))
    )
    monkeypatch.setattr(
        reference,
        "character_number",
        lambda character: number(b"character", ord(character).to_bytes(4, "little")),
    )
    for text in (TEXT * 9, make_text(1, 300), "ein Wort", "第12条 第13条", ""):
        assert describe(text, keyed()) == reference.describe(text, keyed().name)


def test_the_published_vectors_with_a_key_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    key, vectors = conformance.keyed_vectors()
    monkeypatch.setenv(KEY_VARIABLE, key)
    assert {vector["scheme"] for vector in vectors} == {keyed().name}
    assert conformance.check(vectors) == []
    assert build_vectors.keyed_vectors() == {"key": key, "vectors": vectors}
    monkeypatch.setenv(KEY_VARIABLE, OTHER)
    with pytest.raises(SchemeError):
        conformance.check(vectors)


def test_texts_share_under_a_key_what_they_share_without() -> None:
    texts = [make_text(1, 400), make_text(1, 400)[:1200] + make_text(2, 100), ""]
    plain, with_key = fingerprint_batch(texts), fingerprint_batch(texts, keyed())
    for one, other in zip(plain, with_key, strict=True):
        assert (one.tokens, one.is_empty) == (other.tokens, other.is_empty)
        assert one.chunk_characters.tolist() == other.chunk_characters.tolist()
    for first, second, _ in (list(plain), list(with_key)):
        assert len(np.intersect1d(first.shingles, second.shingles)) > 10


def test_texts_that_polynomials_cannot_tell_apart_differ_under_a_key() -> None:
    """The words of Thue and Morse have one polynomial number, whatever its base is."""
    first, second = "a", "b"
    for _ in range(11):
        first, second = first + second, second + first
    plain = [fingerprint(text).shingles.tolist() for text in (first, second)]
    assert plain[0] == plain[1]
    with_key = [fingerprint(text, keyed()).shingles.tolist() for text in (first, second)]
    assert with_key[0] != with_key[1]


def test_a_file_may_have_several_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keyed()
    (tmp_path / "keys").write_text(f"{OTHER}\n{KEY.upper()}\n", "utf-8")
    monkeypatch.delenv(KEY_VARIABLE)
    monkeypatch.setenv(KEY_FILE_VARIABLE, str(tmp_path / "keys"))
    assert keyed() != before
    assert before.key is not None
    assert before.key.id == before.key_id
    assert fingerprint(TEXT, before).scheme == before.name


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "and none is configured. Set ES_SIMHASH_SCHEME_KEY, or"),
        ({KEY_VARIABLE: OTHER}, f"needs the key with the id {ID}, not "),
        ({KEY_VARIABLE: KEY[:-1]}, "must have keys of 64 hexadecimal digits, got one of 63"),
        ({KEY_FILE_VARIABLE: "/nowhere/key"}, "Cannot read '/nowhere/key'"),
        ({KEY_FILE_VARIABLE: __file__}, "must have keys of 64 hexadecimal digits"),
    ],
)
def test_a_missing_or_wrong_key_is_one_sentence_without_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: str
) -> None:
    scheme = keyed()
    monkeypatch.delenv(KEY_VARIABLE)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SchemeError) as raised:
        fingerprint(TEXT, scheme)
    assert words in str(raised.value)
    with pytest.raises(SchemeError, match=r"\."):
        chosen_scheme(scheme.name)
    assert KEY[:-1] not in "".join(traceback.format_exception(raised.value))


def test_without_any_key_there_is_no_keyed_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(SchemeError, match=r"A keyed scheme needs a key. Set ES_SIMHASH_SCHEME_KEY"):
        keyed()


def test_keyed_and_public_fingerprints_are_not_compared() -> None:
    with pytest.raises(SchemeMismatch):
        require_same_scheme(keyed().name, DEFAULT.name)


def test_a_key_is_in_nothing_that_is_shown_or_sent() -> None:
    scheme = keyed()
    shown: list[Any] = [scheme, scheme.key, fingerprint(TEXT, scheme)]
    assert KEY not in repr(shown)
    assert bytes.fromhex(KEY) not in pickle.dumps([scheme, shown[2]])


@pytest.mark.parametrize("name", ["-key", "-key0123", "-keyABCDEF0123456789", f"{'-key' + ID}x"])
def test_a_name_with_another_end_is_none(name: str) -> None:
    with pytest.raises(SchemeError, match="Unknown scheme"):
        Scheme.parse(DEFAULT.name + name)
    assert replace(DEFAULT, key_id=ID).max_k == DEFAULT.max_k
