"""Texts in memory answer as an index whose documents have texts alone."""

from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.references import DocumentRef
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import FindVectors
from es_simhash.store.memory import MemoryStore
from es_simhash.store.options import SearchOptions

TEXT = "The ferry to the northern islands leaves the harbour of Saltwick at noon on Fridays."
CONFIG = IndexConfig(semantics=SemanticScheme(vectors="field:v", dims=8))


def test_texts_have_no_field_for_vectors_and_are_related_without() -> None:
    index = MemoryIndex(CONFIG)
    index.add("a", TEXT)
    index.add("b", "A ferry sails from Saltwick harbour to the islands each Friday.")
    for asked in ({"text": TEXT}, {"id": "a"}):
        answer = index.related(**asked, options=SearchOptions(min_score=0))
        found = {each.id: each for each in answer}
        semantics = found["b"].semantics
        assert semantics is not None
        assert (semantics.vector, semantics.concepts > 0) == (0.0, True)


def test_no_vector_is_found() -> None:
    store = MemoryStore(CONFIG)
    store.add("a", TEXT)
    assert store.ask([FindVectors((DocumentRef(None, "a"),), "v")]) == [{}]
