"""The searches for learned word vectors, and what they find."""

from es_simhash.semantics.semantic_scheme import WORD_VECTORS, SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.vector_table_search import VectorTableLookup
from es_simhash.store.vector_table_entries import head_of, parts_of
from tests.semantics.test_learned_vectors import TABLE

LEARNED = SemanticScheme()
LOOKUP = VectorTableLookup("news", IndexConfig(semantics=LEARNED))
NOTHING = [{"hits": {"hits": []}}]


def test_only_an_index_with_vectors_of_its_own_has_any() -> None:
    for index, semantics in (
        ("news-*", LEARNED),
        ("news,press", LEARNED),
        ("news", SemanticScheme(vectors=WORD_VECTORS)),
        ("news", None),
    ):
        lookup = VectorTableLookup(index, IndexConfig(semantics=semantics))
        assert lookup.searches() == []
    assert LOOKUP.state_index == "news-simhash"


def test_what_is_stored_is_returned_and_nothing_where_nothing_is() -> None:
    table = type(TABLE)(TABLE.date, LEARNED.name, TABLE.languages)
    entries = [*parts_of(table), head_of(table)]
    stored = [{"hits": {"hits": [{"_source": entry} for entry in entries]}}]
    assert LOOKUP.read(stored) == table
    assert LOOKUP.read(NOTHING) is None
    assert LOOKUP.read([]) is None
