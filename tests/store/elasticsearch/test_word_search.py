"""Searches by words: their bodies, and what is read of their hits."""

from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.word_search import (
    excerpt_bodies,
    read_excerpts,
    read_words,
    searchable_fields,
    word_bodies,
)
from es_simhash.store.intents import FindExcerpts, FindWords, Where, Words

CONFIG = IndexConfig()
OWN = {"term": {"tenant": "a"}}
WORDS = Words('"two words" -third', "title", ("text",))
QUERY = {
    "simple_query_string": {
        "query": '"two words" -third',
        "fields": ["title^3", "text"],
        "default_operator": "and",
        "flags": "AND|OR|NOT|PHRASE|PRECEDENCE|PREFIX|WHITESPACE|ESCAPE",
        "lenient": True,
    }
}


def hit(id: str, score: float, family: str | None = None) -> dict[str, Any]:
    fields = {} if family is None else {"simhash.family": [family]}
    return {"_index": "i", "_id": id, "_score": score, "fields": fields}


def test_families_and_documents_without_one_are_searched_apart() -> None:
    has_family = {"exists": {"field": "simhash.family"}}
    common = {
        "size": 21,
        "track_total_hits": True,
        "_source": False,
        "docvalue_fields": ["simhash.family"],
    }
    assert word_bodies(FindWords(WORDS, Where((OWN,)), 21), CONFIG) == [
        {
            **common,
            "query": {"bool": {"must": QUERY, "filter": [OWN, has_family], "must_not": []}},
            "collapse": {"field": "simhash.family"},
        },
        {
            **common,
            "query": {"bool": {"must": QUERY, "filter": [OWN], "must_not": [has_family]}},
        },
    ]


def test_matches_are_in_one_order() -> None:
    responses = [
        {"hits": {"hits": [hit("a", 3, "f"), hit("b", 1, "g")], "total": {"value": 7}}},
        {"hits": {"hits": [hit("c", 2)], "total": {"value": 1}}},
    ]
    matches = read_words(responses, FindWords(WORDS), CONFIG)
    assert [(row.id, row.family) for row in matches.rows] == [("a", "f"), ("c", None), ("b", "g")]
    assert matches.total == 8


def test_an_excerpt_is_in_pieces() -> None:
    (body,) = excerpt_bodies(FindExcerpts(WORDS, Where((OWN,), ids=("a", "b"))), CONFIG)
    assert body["size"] == 4
    ids = {"ids": {"values": ["a", "b"]}}
    assert body["query"] == {"bool": {"must": QUERY, "filter": [OWN, ids]}}
    assert list(body["highlight"]["fields"]) == ["text"]
    (start,), (end,) = body["highlight"]["pre_tags"], body["highlight"]["post_tags"]
    marked = f"some {start}two{end}\n {start}words{end} here"
    hits = [{"_id": "a", "highlight": {"text": [marked]}}, {"_id": "b"}]
    assert read_excerpts([{"hits": {"hits": hits}}]) == {
        "a": (("some ", False), ("two", True), (" ", False), ("words", True), (" here", False)),
        "b": (),
    }


def test_nothing_is_searched_for_excerpts_of_nothing() -> None:
    assert excerpt_bodies(FindExcerpts(WORDS, Where(ids=())), CONFIG) == []
    titles = Words("words", "title", ())
    assert excerpt_bodies(FindExcerpts(titles, Where(ids=("a",))), CONFIG) == []


def test_words_can_be_searched_in_texts_and_keywords() -> None:
    mappings = {
        "one": {"properties": {"text": {"type": "text"}, "tag": {"type": "keyword"}}},
        "two": {"properties": {"text": {"type": "text"}, "tag": {"type": "long"}}},
    }
    assert searchable_fields(("text", "tag", "none"), mappings) == ("text",)
