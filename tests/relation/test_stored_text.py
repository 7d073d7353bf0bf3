"""Stored parts of a text are those of the text itself."""

from hypothesis import given

from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.stored_text import StoredParts
from tests.support.strategies import texts


@given(texts)
def test_stored_parts_are_those_of_the_analysed_text(text: str) -> None:
    analysed = AnalysedText(text)
    if analysed.is_empty:
        return
    parts = StoredParts.of(fingerprint(text))
    assert parts.content_hash == analysed.content_hash
    assert parts.queried_shingles.tolist() == analysed.queried_shingles.tolist()
    assert parts.characters == analysed.characters
    assert parts.sketch == analysed.sketch
