"""Which documents match a search for what shares two shingles with one of several texts."""

from collections.abc import Set
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.store.codec import shingle_terms
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import shares_with_any
from es_simhash.store.intents import Sharing

CONFIG = IndexConfig()


def sharing(shingles: Set[int], least: int = 2, content_hash: str | None = None) -> Sharing:
    return Sharing(np.array(sorted(shingles), np.uint32), least, content_hash, by_rarity=False)


def matches(query: Any, terms: Set[str], content_hash: str) -> bool:
    """Apply a query to a document with these terms, as the engine does."""
    ((kind, body),) = query.items()
    if kind == "match_none":
        return False
    if kind == "constant_score":
        return matches(body["filter"], terms, content_hash)
    if kind == "bool":
        found = sum(matches(each, terms, content_hash) for each in body["should"])
        return found >= body.get("minimum_should_match", 1)
    ((path, value),) = body.items()
    values = {value} if isinstance(value, str) else set(value)
    return bool(values & ({content_hash} if path == "simhash.content_hash" else terms))


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 40), max_size=14), st.integers(1, 3)),
        min_size=1,
        max_size=6,
    ),
    st.sets(st.integers(0, 40)),
)
def test_no_document_that_shares_enough_with_a_text_is_left_out(
    asked: list[tuple[set[int], int]], stored: set[int]
) -> None:
    query = shares_with_any([sharing(each, least) for each, least in asked], CONFIG)
    terms = set(shingle_terms(np.array(sorted(stored), np.uint32)))
    found = matches(query, terms, "other")
    if any(len(each & stored) >= least for each, least in asked):
        assert found
    if not any(each & stored for each, _ in asked):
        assert not found


@given(st.sets(st.integers(0, 40), max_size=14), st.sets(st.integers(0, 40)), st.integers(1, 3))
def test_of_one_text_exactly_those_match_that_share_enough(
    asked: set[int], stored: set[int], least: int
) -> None:
    query = shares_with_any([sharing(asked, least)], CONFIG)
    terms = set(shingle_terms(np.array(sorted(stored), np.uint32)))
    assert matches(query, terms, "other") is (len(asked & stored) >= least)


def test_the_same_text_matches_whatever_it_shares() -> None:
    query = shares_with_any([sharing({1, 2}, content_hash="a"), sharing(set())], CONFIG)
    assert matches(query, set(), "a")
    assert not matches(query, set(), "b")


def test_many_texts_take_few_clauses() -> None:
    texts = [sharing(set(range(100 * n, 100 * n + 12)), content_hash=str(n)) for n in range(16)]
    query = shares_with_any(texts, CONFIG)
    of_grid, hashes = query["bool"]["should"][:2], query["bool"]["should"][2:]
    assert sum(len(lines["bool"]["should"]) for lines in of_grid) == 7
    assert [len(each["terms"]["simhash.content_hash"]) for each in hashes] == [16]


def test_a_text_two_of_whose_shingles_others_have_in_one_place_is_asked_by_itself() -> None:
    # The first shingle of each gets the first cell.
    query = shares_with_any([sharing({1, 5}), sharing({2, 6}), sharing({1, 2})], CONFIG)
    assert matches(query, set(shingle_terms(np.array([1, 2], np.uint32))), "")
    assert not matches(query, set(shingle_terms(np.array([1, 9], np.uint32))), "")
