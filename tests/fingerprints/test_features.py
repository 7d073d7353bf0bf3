"""Features of documents and chunks."""

import numpy as np
import pytest

from es_simhash.fingerprints.features import SpacedCharacters
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.text.segmentation import segment
from tests.support import reference
from tests.support.document_fingerprints import document_fingerprints


def numbers_of(text: str) -> list[int]:
    return [reference.token_number(token) for token in text.split()]


def document(text: str) -> str:
    return document_fingerprints([text])[0].tobytes().hex()


def chunk(fingerprints: TextFingerprints) -> str:
    return fingerprints.chunks[0].tobytes().hex()


def test_features_of_a_document_are_pairs_of_words() -> None:
    one, two, three = numbers_of("an ice man")
    pairs = [reference.fold([one, two]), reference.fold([two, three])]
    assert document("An ice man.") == reference.fingerprint(pairs, 128)


def test_a_document_of_one_word_has_that_word_as_feature() -> None:
    assert document("ice") == reference.fingerprint(numbers_of("ice"), 128)


def test_features_of_a_chunk_are_four_characters_with_a_space_before_each_token() -> None:
    runs = [reference.fold([ord(c) for c in run]) for run in (" an ", "an i", "n ic", " ice")]
    assert chunk(fingerprint("An, ice")) == reference.fingerprint(runs, 128)


@pytest.mark.parametrize("text", ["a", "ab", "人"])
def test_a_chunk_shorter_than_four_characters_has_one_feature(text: str) -> None:
    whole = reference.fold([ord(c) for c in f" {text}"])
    assert chunk(fingerprint(text)) == reference.fingerprint([whole], 128)


def test_spaces_separate_words_before_features_are_made() -> None:
    # 1e0ng/simhash removes the spaces, so that these two are equal.
    one, other = fingerprint("an ice man"), fingerprint("a nice man")
    assert document("an ice man") != document("a nice man")
    assert chunk(one) != chunk(other)


@pytest.mark.parametrize(
    "texts", [["an ice man", "x"], ["an ice man", "第12条 x"], ["(an) ice", ""]]
)
def test_every_token_of_a_batch_has_a_space_before_it(texts: list[str]) -> None:
    # Whether tokens follow each other without a separator decides how the spaces are set.
    tokens = [token for text in texts for token in reference.tokens_and_boundaries(text)[0]]
    spaced = SpacedCharacters.of(segment(texts, Scheme()))
    assert "".join(map(chr, spaced.characters.tolist())) == "".join(f" {t}" for t in tokens)
    assert np.diff(spaced.bounds).tolist() == [len(token) + 1 for token in tokens]


def test_repeated_letters_of_different_number_are_different_texts() -> None:
    # 1e0ng/simhash#3: these were equal.
    texts = ["aa", "aaa", "aaaa", "aaaaa", "aaaaabbb", "aaaabbbb", "ab"]
    assert len({document(text) for text in texts}) == len(texts)
    assert len({chunk(fingerprint(text)) for text in texts}) == len(texts)


def test_short_titles_that_differ_in_one_word_are_different() -> None:
    titles = [f"Annual report {year}" for year in range(1990, 2020)]
    assert len({document(title) for title in titles}) == len(titles)
