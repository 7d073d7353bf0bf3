"""Searches for what is stored beside an index."""

import pytest

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of

LOOKUP = StateLookup("articles", IndexConfig(simhash_field="prints"))


def test_entries_are_those_of_the_kinds_and_of_the_field() -> None:
    body = LOOKUP.search(["a", "b"], 3, ["name"], of=["prints", "prints"])
    assert body["query"]["bool"]["filter"] == [
        {"terms": {"field": ["prints"]}},
        {"terms": {"kind": ["a", "b"]}},
    ]
    assert (body["size"], body["_source"]) == (3, ["name"])
    assert LOOKUP.search(None, 1, of=["prints"])["_source"] is True
    assert LOOKUP.state_index == "articles-simhash"


@pytest.mark.parametrize(("name", "is_pattern"), [("a", False), ("a*", True), ("a,b", True)])
def test_of_a_pattern_nothing_is_stored(name: str, is_pattern: bool) -> None:
    assert StateLookup(name, IndexConfig()).is_pattern is is_pattern


def test_the_entries_of_all_answers_are_read() -> None:
    hits = [{"hits": {"hits": [{"_source": {"n": n}}]}} for n in range(2)]
    assert entries_of([*hits, {"hits": {"hits": []}}]) == [{"n": 0}, {"n": 1}]
