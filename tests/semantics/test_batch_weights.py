"""Weights of a batch of texts, compared with those of each text by itself."""

from es_simhash.semantics.batch_weights import are_numbered, batch_weights
from es_simhash.semantics.concept_weights import profile_weights
from es_simhash.semantics.extractors.builtin import BuiltinExtractor
from es_simhash.semantics.languages.lexicon import lexicon_of
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.semantic_profile import Entity, Extraction
from es_simhash.semantics.semantic_scheme import SemanticScheme

STORY = (
    "Harbour pilots strike\n\nPilots in the harbour of Rotterdam stopped work on Monday, and "
    "ferries to Harwich stayed in port. The union of pilots asks for shorter nights; the port of "
    "Rotterdam offered talks. Pilot Anna de Vries said that nobody on the ferries had been told."
)
TEXTS = [STORY, "", "The pilots wait.", STORY.replace("Pilots", "İhsan"), "1 2 3", STORY[40:]] * 12
PACKAGES = frozenset[str]()


def test_a_batch_has_the_weights_of_each_text_in_the_same_order() -> None:
    scheme = SemanticScheme(language="en")
    together = profile_texts(TEXTS, scheme)
    for text, profile in zip(TEXTS, together, strict=True):
        (alone,) = profile_texts([text], scheme)
        assert [*profile.concepts.items()] == [*alone.concepts.items()]
        assert profile.concepts.keys() == alone.concepts.keys()


def test_words_of_names_that_a_document_brings_are_concepts_too() -> None:
    words = {"pilot": 2, "harbour": 1}
    named = [Extraction("en", words, entities=(Entity("Harwich Pilots", 3),)), Extraction("en")]
    expected = [*profile_weights(named, "en", ["", "Pilots"], [{}, {}], PACKAGES)]
    found = [*batch_weights(named, lexicon_of("en"), ["", "Pilots"], PACKAGES)]
    assert [[*weights.items()] for weights in found] == [[*each.items()] for each in expected]
    assert "harwich" in found[0]
    # A word that only the title has is none of the text.
    assert not found[1]


def test_texts_that_were_read_by_themselves_are_weighed_by_themselves() -> None:
    read = BuiltinExtractor("en", packages=PACKAGES).extract
    assert are_numbered(read(TEXTS))
    assert not are_numbered(read(TEXTS[:1]))
    assert not are_numbered([])
