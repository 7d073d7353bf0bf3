"""Batches: a text has its fingerprints whatever stands around it."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints import text_fingerprints
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import (
    content_hash,
    fingerprint,
    fingerprint_batch,
    fingerprint_texts,
    text_shingles,
)
from es_simhash.store.codec import simhash_object
from es_simhash.text import segmentation
from es_simhash.text.normal_forms import normalise_all
from tests.support import reference
from tests.support.document_fingerprints import document_fingerprints
from tests.support.strategies import long_texts, texts


def values(found: TextFingerprints) -> tuple[object, ...]:
    document = None if found.document is None else found.document.tolist()
    chunks = found.chunks.tolist(), found.chunk_characters.tolist()
    shingles = found.shingles.tolist(), found.levels.tolist()
    return found.scheme, found.content_hash, found.tokens, document, chunks, shingles


@pytest.mark.long
@given(st.lists(st.one_of(texts, long_texts), max_size=8), st.sampled_from([1, 3, 12, 64]))
def test_fingerprints_do_not_depend_on_the_neighbours_in_the_batch(
    batch: list[str], window: int
) -> None:
    scheme = Scheme(window=window)
    together = [values(each) for each in fingerprint_batch(batch, scheme)]
    assert together == [values(fingerprint(text, scheme)) for text in batch]


@pytest.mark.parametrize(
    "batch",
    [
        ["", "", ""],
        ["", "a", ""],
        ["a b", "x " * 70, "y " * 130, "c"],
        ["first.", "\u0301second", "人", "\u0301third"],
        ["ends with a stop.", "人人人人人人人人"],
        ["ends with a line end\n", "\nbegins with one"],
        ["\u00ad", "a\u00ad", "\u00adb"],
        ["(", ".)", "?"],
        ["w " * 300, "short", "v " * 300],
    ],
)
def test_odd_neighbours_change_nothing(batch: list[str]) -> None:
    together = [values(each) for each in fingerprint_batch(batch)]
    assert together == [values(fingerprint(text)) for text in batch]


def test_an_empty_batch_gives_nothing() -> None:
    assert list(fingerprint_batch([])) == []
    assert list(text_fingerprints.fingerprint_texts([])) == []
    assert document_fingerprints([]).shape == (0, 16)


def test_a_stream_is_cut_into_batches_without_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = [f"text number {number} of the stream. " * (number % 7) for number in range(60)]
    whole = [values(each) for each in fingerprint_batch(stream)]
    for size in (1, 50, 10**9):
        monkeypatch.setattr(segmentation, "BATCH_CHARACTERS", size)
        assert [values(each) for each in text_fingerprints.fingerprint_texts(iter(stream))] == whole


def test_a_stream_is_read_one_batch_at_a_time() -> None:
    taken = []

    def stream() -> object:
        for number in range(100):
            taken.append(number)
            yield f"word{number} " * 1000

    next(iter(text_fingerprints.fingerprint_texts(stream())))
    assert len(taken) < 50


def test_document_fingerprints_alone_are_those_of_the_batch() -> None:
    batch = ["one two three", "", "four", "!"]
    rows = document_fingerprints(batch)
    np.testing.assert_array_equal(rows, fingerprint_batch(batch).documents)
    assert len(rows) == 2


def test_the_same_text_twice_has_the_same_fingerprint_twice() -> None:
    # seomoz/simhash-py#44 keeps fingerprints in a set, so that exact copies vanish.
    one, other = fingerprint_batch(["a copy", "a copy"])
    assert values(one) == values(other)


def test_content_hash_collapses_white_space_and_case_and_nothing_else() -> None:
    hashes = {fingerprint(text).content_hash for text in ("A  b\n", "a b", "\u3000Ａ\u00a0b\r\n")}
    assert len(hashes) == 1
    others = {fingerprint(text).content_hash for text in ("a b.", "ab", "a-b", "a b")}
    assert len(others) == 4


def test_a_text_of_many_megabytes_is_fingerprinted() -> None:
    found = fingerprint("lorem ipsum dolor sit amet. " * 40_000)
    assert len(found.chunks) == 20_000
    assert not found.is_empty


def test_a_word_without_end_is_one_chunk() -> None:
    found = simhash_object(fingerprint("x" * 100_000))
    assert len(found["shingles"]) == 1


def test_the_examples_in_the_docstrings_are_right() -> None:
    result = doctest.testmod(text_fingerprints)
    assert result.attempted
    assert not result.failed


def test_digits_of_several_scripts_are_all_in_the_sketch() -> None:
    # Those of ASCII are searched for by themselves.
    text = "rooms ٤٢ and 17, ۱a, 2٣ and ३"
    expected = reference.describe(text, DEFAULT.name)["simhash"]["sketch"]
    assert simhash_object(fingerprint(text))["sketch"] == expected


def test_white_space_of_every_kind_is_one_space_in_the_content_hash() -> None:
    spaces = list(filter(str.isspace, map(chr, range(0x110000))))
    batch = [f"{space}a{space}{other}b{other}" for space in spaces for other in spaces]
    assert set(text_fingerprints.content_hashes(normalise_all(batch))) == {content_hash("a b")}
    assert content_hash("a b") == reference.content_hash("a b")


@given(st.lists(st.text(max_size=300), max_size=6))
def test_shingles_alone_are_those_of_all_fingerprints(batch: list[str]) -> None:
    batch = [*batch, "the same words over and over " * 30]
    for prints, shingles in zip(fingerprint_texts(batch), text_shingles(batch), strict=True):
        assert (shingles.content_hash, shingles.tokens) == (prints.content_hash, prints.tokens)
        assert np.unique(shingles.numbers).tolist() == prints.shingles.tolist()
        assert (np.diff(shingles.wide.astype(np.int64)) > 0).all()


@pytest.mark.long
def test_texts_share_few_wide_shingles_by_chance() -> None:
    # As many of 24 bits as this are shared by chance, as selected ones have small hashes.
    texts = [" ".join(f"w{seed}x{word}" for word in range(2000)) for seed in range(300)]
    wide = np.concatenate([each.wide for each in text_shingles(texts)])
    stored = np.concatenate([np.unique(each.numbers) for each in text_shingles(texts)])
    assert len(wide) - len(np.unique(wide)) < (len(stored) - len(np.unique(stored))) / 50
