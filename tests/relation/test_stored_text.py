"""Stored parts of a text are those of the text itself."""

from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.stored_text import FingerprintedText, StoredParts
from tests.support.strategies import texts


@given(texts)
def test_stored_parts_are_those_of_the_analysed_text(text: str) -> None:
    analysed = AnalysedText(text)
    if analysed.is_empty:
        return
    parts = FingerprintedText(fingerprint(text))
    assert parts.content_hash == analysed.content_hash
    assert parts.queried_shingles.tolist() == analysed.queried_shingles.tolist()
    assert parts.characters == analysed.characters
    assert parts.sketch == analysed.sketch


@given(st.lists(texts, min_size=1, max_size=5))
def test_those_of_a_batch_are_those_of_each_text(some: list[str]) -> None:
    for text, parts in zip(some, StoredParts.of_each(fingerprint_batch(some)), strict=True):
        alone = fingerprint(text)
        assert (parts is None) is alone.is_empty
        if parts is None:
            continue
        expected = FingerprintedText(alone)
        assert parts.content_hash == expected.content_hash
        assert parts.shingles.tolist() == expected.shingles.tolist()
        assert parts.sketch == expected.sketch
        assert parts.windows == expected.windows
        assert parts.chunks.fingerprints.tolist() == expected.chunks.fingerprints.tolist()
        assert parts.chunks.characters.tolist() == expected.chunks.characters.tolist()
