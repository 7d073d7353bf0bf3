"""The searches for a background, and what they find."""

from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.background_entry import CountedIndex, entry_of
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.background_search import BackgroundLookup

CONFIG = IndexConfig(semantics=DEFAULT_SEMANTICS)
NOTHING = [{"hits": {"hits": []}}]


def test_a_pattern_and_an_index_of_versions_alone_have_none() -> None:
    assert BackgroundLookup("news-*", CONFIG).searches() == []
    assert BackgroundLookup("news,press", CONFIG).searches() == []
    assert BackgroundLookup("news", IndexConfig()).searches() == []
    assert len(BackgroundLookup("news", CONFIG).searches()) == 1


def test_what_is_stored_is_returned_and_nothing_where_nothing_is() -> None:
    languages = {"en": LanguageBackground(300, {"said": 200})}
    background = Background("2026-11-23T10:00:00Z", DEFAULT_SEMANTICS.name, languages)
    stored = [{"hits": {"hits": [{"_source": entry_of(background, CountedIndex(300, 300))}]}}]
    lookup = BackgroundLookup("news", CONFIG)
    assert lookup.read(stored) == background
    assert lookup.read(NOTHING) is None
    assert lookup.read([]) is None
