"""The form that is stored."""

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError, UnreadableParts
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.shingles import shingle_counts
from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.pairs.version_bounds import compared_parts, parts_of_columns
from es_simhash.relation.stored_text import FingerprintedText
from es_simhash.store import codec, fields, source
from tests.support import made_up_texts, reference
from tests.support.strategies import long_texts, texts


@given(st.lists(st.one_of(texts, long_texts), max_size=5), st.sampled_from([(64, 4), (128, 13)]))
def test_the_fast_json_is_the_object_of_each_text(batch: list[str], shape: tuple[int, int]) -> None:
    fingerprints = fingerprint_batch(batch, Scheme(*shape))
    expected = [codec.simhash_object(each) for each in fingerprints]
    assert [json.loads(raw) for raw in codec.simhash_json(fingerprints)] == expected


@given(long_texts)
def test_chunks_survive_packing(text: str) -> None:
    fingerprints = fingerprint(text)
    stored = codec.unpack_chunks(codec.simhash_object(fingerprints)["chunks"])
    np.testing.assert_array_equal(stored.fingerprints, fingerprints.chunks)
    np.testing.assert_array_equal(stored.characters, fingerprints.chunk_characters)
    counts = shingle_counts(fingerprints.levels)
    np.testing.assert_array_equal(stored.shingle_counts, counts)


@given(long_texts)
def test_the_counts_of_windows_are_read_without_the_chunks(text: str) -> None:
    fingerprints = fingerprint(text)
    packed = codec.PackedText("news", "7", codec.simhash_object(fingerprints)["chunks"], "")
    assert packed.windows == tuple(shingle_counts(fingerprints.levels).tolist())
    assert "chunks" not in vars(packed)


def test_passages_are_counted_for_each_window() -> None:
    levels = np.array([1, 3, 1, 2, 3], np.uint8)
    assert shingle_counts(levels).tolist() == [0, 5, 3, 2]
    assert shingle_counts(np.zeros(0, np.uint8)).tolist() == [0, 0, 0, 0]


def test_lengths_beyond_16_bits_are_cut() -> None:
    fingerprints = fingerprint("ab" * 35_000)
    assert fingerprints.chunk_characters.tolist() == [70_001]
    stored = codec.unpack_chunks(codec.simhash_object(fingerprints)["chunks"])
    assert stored.characters.tolist() == [0xFFFF]


@pytest.mark.parametrize("text", ["", " \n", "!!!", "🙂❤\ufe0f", "\ud800", "\u00ad\u200b"])
def test_a_text_without_tokens_has_a_status_and_nothing_to_match(text: str) -> None:
    stored = codec.simhash_object(fingerprint(text))
    assert set(stored) == {"scheme", "status", "content_hash"}
    assert stored["status"] == "empty"
    assert fingerprint(text).is_empty


def test_empty_texts_are_not_copies_of_each_other() -> None:
    one, other = (codec.simhash_object(fingerprint(text)) for text in ("!!!", "???"))
    assert one["content_hash"] != other["content_hash"]


@pytest.mark.parametrize("text", ["a", "x y", "word " * 300])
def test_a_text_with_tokens_has_no_status(text: str) -> None:
    stored = codec.simhash_object(fingerprint(text))
    members = {*("scheme", "content_hash", "fingerprint", "blocks", "shingles", "chunks", "sketch")}
    assert set(stored) == members


def test_fingerprints_are_written_with_all_their_digits() -> None:
    leading_zeros = replace(fingerprint("a"), document=np.zeros(16, np.uint8))
    assert codec.simhash_object(leading_zeros)["fingerprint"] == "0" * 32
    assert len(codec.simhash_object(fingerprint("b", Scheme(64, 4)))["fingerprint"]) == 16


@given(st.lists(st.integers(0, 2**24 - 1), max_size=20))
def test_passage_terms_are_url_safe_base64_of_three_bytes(numbers: list[int]) -> None:
    terms = codec.shingle_terms(np.array(numbers, np.uint32))
    assert terms == [reference.term(number) for number in numbers]
    assert all(len(term) == 4 for term in terms)


def test_passage_terms_of_the_smallest_and_greatest_numbers() -> None:
    assert codec.shingle_terms(np.array([0, 1, 2**24 - 1], np.uint32)) == [
        "AAAA",
        "AAAB",
        "____",
    ]


@pytest.mark.parametrize(
    "value",
    ["", "AAAA", "$$$$", "é", "AAAA AAAA", "AAA", None, 7, base64.b64encode(bytes(33)).decode()],
)
def test_corrupt_chunks_are_refused(value: str) -> None:
    with pytest.raises(InputError, match="Stored chunks"):
        codec.unpack_chunks(value)


@pytest.mark.parametrize("text", ["", "?!", "One.", "The harbour opens at six in the morning."])
def test_what_was_written_is_readable(text: str) -> None:
    assert codec.is_readable(codec.simhash_object(fingerprint(text)))


@pytest.mark.parametrize("member", ["chunks", "sketch", "shingles"])
@pytest.mark.parametrize("value", ["AAA", 7, ["AAAA", None]])
def test_damaged_members_are_not_readable(member: str, value: Any) -> None:
    stored = codec.simhash_object(fingerprint("The harbour opens at six in the morning."))
    assert not codec.is_readable({**stored, member: value})


@pytest.mark.parametrize("value", ["", "AAAA", "$$$$", "é", None, 7])
def test_counts_that_are_cut_off_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match="Stored chunks of document '7' of index 'news'"):
        _ = codec.PackedText("news", "7", value, "").windows


@given(st.binary(max_size=80))
def test_bytes_are_refused_unless_they_are_of_whole_chunks(raw: bytes) -> None:
    packed = base64.b64encode(raw).decode("ascii")
    # A header of 16 bytes, and 18 for each chunk.
    count, rest = divmod(len(raw) - 16, 18)
    if rest or count < 0:
        with pytest.raises(InputError, match=f"{len(raw)} bytes"):
            codec.unpack_chunks(packed)
    else:
        stored = codec.unpack_chunks(packed)
        assert len(stored.fingerprints) == len(stored.characters) == count


def test_text_of_a_field() -> None:
    assert source.text_of({"body": "a"}, "body") == "a"
    assert source.text_of({"page": {"body": "a"}}, "page.body") == "a"
    assert source.text_of({"page.body": "a"}, "page.body") == "a"
    assert source.text_of({"body": ["a", "b"]}, "body") == "a\n\nb"
    assert source.text_of({"body": None}, "body") is None
    assert source.text_of({}, "page.body") is None


@pytest.mark.parametrize("value", [7, {"a": "b"}, ["a", 7], True])
def test_a_field_that_holds_no_text_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="'body' holds"):
        source.text_of({"body": value}, "body")


def test_members_are_spelled_below_the_field() -> None:
    assert fields.field_path("simhash", fields.BLOCKS) == "simhash.blocks"


def packed_texts(texts: list[str]) -> list[codec.PackedText]:
    objects = [codec.simhash_object(fingerprint(text)) for text in texts]
    return [
        codec.PackedText("i", str(number), stored["chunks"], stored["sketch"])
        for number, stored in enumerate(objects)
    ]


def test_texts_in_arrays_are_compared_by_the_same_as_each_alone() -> None:
    made = [
        made_up_texts.make_text(seed, words) for seed, words in enumerate((1, 9, 80, 300, 9000))
    ]
    others = ["12 34 56 " * 40, "数字 2024 と文章。" * 90, "a", "كلمة ١٢ " * 200]
    for some in ([*made, *others], [*others, *made[::-1]], made[:1], []):
        parts = parts_of_columns(codec.unpacked_columns(packed_texts(some)))
        alone = compared_parts(FingerprintedText(fingerprint(text)) for text in some)
        assert np.array_equal(parts, alone)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("packed_chunks", "AAAA", "length"),
        ("packed_chunks", "A" * 23 + "=", "length|base64"),
        ("packed_chunks", "!", "base64"),
        ("packed_sketch", "AAAA", "length"),
        ("packed_sketch", "no", "base64"),
    ],
)
def test_one_damaged_text_is_an_error_of_all_in_arrays(part: str, value: str, message: str) -> None:
    packed = packed_texts([made_up_texts.make_text(seed, 50) for seed in range(3)])
    packed[1] = replace(packed[1], **{part: value})
    with pytest.raises(UnreadableParts, match=message):
        codec.unpacked_columns(packed)
