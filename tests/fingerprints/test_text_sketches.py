"""Sketches computed from tokens."""

from es_simhash.fingerprints.features import SpacedCharacters, token_numbers
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.sketch import Sketch
from es_simhash.fingerprints.text_sketches import sketches
from es_simhash.text.segmentation import segment


def sketches_of(*texts: str) -> list[bytes]:
    segmentation = segment(texts, DEFAULT)
    tokens = token_numbers(segmentation)
    return sketches(tokens, segmentation, SpacedCharacters.of(segmentation))


def test_a_text_without_tokens_has_no_sketch() -> None:
    assert sketches_of("", "a word")[0] == b""


def test_a_sketch_does_not_depend_on_the_other_texts_of_the_batch() -> None:
    texts = ["invoice 17 of march", "another invoice", "42"]
    assert sketches_of(*texts) == [sketches_of(text)[0] for text in texts]


def test_numbers_of_a_text_tell_its_sketch_apart() -> None:
    one, other = map(Sketch, sketches_of("invoice number 17", "invoice number 18"))
    assert one.numbers != other.numbers
    assert one.words == other.words
