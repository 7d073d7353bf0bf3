"""Families as aggregations: what is asked, and what is read of an answer."""

from typing import Any

import pytest

from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.families import (
    list_body,
    measure_body,
    read_list,
    read_measured,
)
from es_simhash.store.intents import ListFamilies, MeasureFamilies, Where
from es_simhash.store.memory import MemoryStore
from es_simhash.store.rows import FamilyPage, FamilySpan

CONFIG = IndexConfig()
NEWS = Where(({"term": {"section": "news"}},))


def listed(*families: tuple[str, int]) -> list[Any]:
    buckets = [{"key": {"family": name}, "doc_count": count} for name, count in families]
    found = {"buckets": buckets, "after_key": {"family": families[-1][0]} if families else None}
    return [{"aggregations": {"families": found}}]


def test_a_page_of_families_begins_after_the_one_before() -> None:
    assert list_body(ListFamilies(NEWS, "f1", 2), CONFIG) == {
        "size": 0,
        "query": {"bool": {"filter": [{"term": {"section": "news"}}]}},
        "track_total_hits": False,
        "aggs": {
            "families": {
                "composite": {
                    "size": 2,
                    "sources": [{"family": {"terms": {"field": "simhash.family"}}}],
                    "after": {"family": "f1"},
                }
            }
        },
    }
    assert "after" not in list_body(ListFamilies(), CONFIG)["aggs"]["families"]["composite"]


def test_a_page_that_is_not_full_is_the_last() -> None:
    request = ListFamilies(size=2)
    full = read_list(listed(("f1", 3), ("f2", 1)), request=request)
    assert full == FamilyPage([("f1", 3), ("f2", 1)], "f2")
    assert read_list(listed(("f3", 9)), request=request) == FamilyPage([("f3", 9)], None)
    assert read_list(listed(), request=request) == FamilyPage([], None)


def test_families_are_measured_with_their_dates() -> None:
    request = MeasureFamilies(("f1", "f2"), NEWS, DateField("published"))
    date = {"field": "published"}
    assert measure_body(request, CONFIG)["aggs"]["families"] == {
        "terms": {"field": "simhash.family", "include": ["f1", "f2"], "size": 2},
        "aggs": {"oldest": {"min": date}, "newest": {"max": date}},
    }
    assert "aggs" not in measure_body(MeasureFamilies(("f1",)), CONFIG)["aggs"]["families"]


@pytest.mark.parametrize(
    ("is_number", "oldest", "newest"), [(False, 5_000_000, 7_000_000), (True, 5.0, 7.0)]
)
def test_dates_of_families_are_those_of_rows(is_number: bool, oldest: float, newest: float) -> None:
    request = MeasureFamilies(("f1", "f2"), date=DateField("published", is_number))
    dated = {"key": "f1", "doc_count": 2, "oldest": {"value": 5.0}, "newest": {"value": 7.0}}
    undated = {"key": "f2", "doc_count": 1, "oldest": {"value": None}, "newest": {"value": None}}
    answer = [{"aggregations": {"families": {"buckets": [dated, undated]}}}]
    assert read_measured(answer, request=request) == {
        "f1": FamilySpan(2, oldest, newest),
        "f2": FamilySpan(1),
    }


def test_documents_without_words_are_left_out_where_that_is_asked() -> None:
    query = list_body(ListFamilies(Where(has_words=True)), CONFIG)["query"]
    assert query["bool"]["must_not"] == [{"term": {"simhash.status": "empty"}}]


def test_texts_in_memory_have_no_families() -> None:
    page, spans = MemoryStore(CONFIG).ask([ListFamilies(), MeasureFamilies(("f1",))])
    assert (page, spans) == (FamilyPage(), {})
