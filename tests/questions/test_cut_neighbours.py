"""Neighbours that a limit leaves unread: the best are found, or the answer says so."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import AsyncElasticsearch

from es_simhash import Answer, AsyncIndex, Index, Limits, SearchOptions
from es_simhash.questions import related
from es_simhash.questions.memory import MemoryIndex
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import address
from tests.support.filled_index import filled_index

pytestmark = pytest.mark.cluster

QUERY = (
    "Anna Quay told the harbour board of Port Elm that the ferry company must repair the broken "
    "pier before the winter storms, or lose its licence for the islands."
)
# The same in other words, with the same names.
NEAREST = (
    "The ferry company could lose the licence for the islands unless its damaged pier is repaired "
    "in time for winter, Anna Quay of the Port Elm harbour board warned on Monday."
)
PLACES = ("Ashby", "Brig", "Corve", "Dunmere", "Eskdale", "Farne", "Gale", "Hythe", "Ivel", "Jura")
SUBJECTS = ("ferry", "pier", "licence", "storm")


def template(place: str, subject: str) -> str:
    """Return one of many notices of one form, which are all as near to the query as each other."""
    return (
        f"The council of {place} has received a report on the {subject} and the harbour, and will "
        f"talk of the {subject} again in winter when the company has answered."
    )


DOCUMENTS = {
    "query": QUERY,
    "nearest": NEAREST,
    **{f"{place}-{subject}": template(place, subject) for place in PLACES for subject in SUBJECTS},
}
ALL = SearchOptions(size=100, min_score=0, collapse=False)


@pytest.fixture(scope="module")
def notices(cluster_url: str) -> Iterator[tuple[Any, str]]:
    documents = [{"id": id, "text": text} for id, text in DOCUMENTS.items()]
    with filled_index(cluster_url, documents) as notices:
        yield notices


@pytest.fixture(scope="module")
def in_memory() -> MemoryIndex:
    index = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in DOCUMENTS.items():
        index.add(id, text)
    return index


def limited(candidates: int, **options: Any) -> SearchOptions:
    return SearchOptions(collapse=False, limits=Limits(candidates=candidates), **options)


def test_the_nearest_is_among_the_first_that_are_read(notices: tuple[Any, str]) -> None:
    client, name = notices
    answer = Index(client, name).related(id="query", options=limited(1, size=1))
    assert [each.id for each in answer] == ["nearest"]


def test_what_is_far_behind_the_last_shown_does_not_count(notices: tuple[Any, str]) -> None:
    client, name = notices
    assert not Index(client, name).related(id="query", options=limited(3, size=1)).truncated


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("size", [1, 4, 10])
def test_more_are_read_where_one_of_the_ten_best_may_be_lacking(
    notices: tuple[Any, str], monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    client, name = notices
    index = Index(client, name)
    ranked = {"min_score": 0, "passages": False, "evidence": False}
    every = index.related(id="query", options=limited(100, size=100, **ranked))
    best = [(each.id, each.score) for each in every]

    def shown(offset: int) -> list[tuple[str | None, float]]:
        options = limited(8, size=size, offset=offset, **ranked)
        return [(each.id, each.score) for each in index.related(id="query", options=options)]

    def listed() -> list[tuple[str | None, float]]:
        return [each for offset in range(0, 10, size) for each in shown(offset)][:10]

    assert listed() == best[:10]
    # The first search alone brings fewer, and says so.
    monkeypatch.setattr(related, "_FARTHER", 1)
    assert listed() != best[:10]
    assert index.related(id="query", options=limited(8, min_score=0)).truncated


def test_more_are_read_once_and_for_what_may_lack_some(
    client: Any, notices: tuple[Any, str], requests_of: list[str]
) -> None:
    index = Index(client, notices[1])
    options = limited(10, min_score=0, passages=False, evidence=False)
    index.related(id="query", options=options)
    requests_of.clear()
    index.related(id="query", options=options)
    once_more = len(requests_of)
    requests_of.clear()
    index.related(id="query", options=replace(options, limits=Limits(candidates=100)))
    assert once_more == len(requests_of) + 1
    found = index.related_to_each(["query", "nearest", "Gale-pier"], options=options)
    for id, answer in found.items():
        assert answer == index.related(id=id, options=options)


def test_an_answer_says_that_there_may_be_better_ones(notices: tuple[Any, str]) -> None:
    client, name = notices
    answer = Index(client, name).related(id="query", options=limited(3, size=8, min_score=0))
    assert answer.truncated
    assert all(relation.truncated for relation in answer)


@pytest.mark.long
def test_with_all_read_it_says_nothing_and_is_what_memory_answers(
    notices: tuple[Any, str], in_memory: MemoryIndex
) -> None:
    client, name = notices
    answer = Index(client, name).related(id="query", options=ALL)
    expected = in_memory.related(id="query", options=ALL)
    assert not answer.truncated
    assert not expected.truncated
    assert {each.id: each.kind for each in answer} == {each.id: each.kind for each in expected}
    scores = {each.id: each.score for each in expected}
    # The engine keeps three digits of the weights of concepts.
    assert {each.id: each.score for each in answer} == pytest.approx(scores, abs=0.002)


def test_versions_alone_lack_no_neighbours(notices: tuple[Any, str]) -> None:
    client, name = notices
    options = limited(3, size=8, kinds=("exact", "version"), min_score=0)
    assert not Index(client, name).related(id="query", options=options).truncated


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("candidates", [1, 3, 100])
def test_whoever_does_not_wait_is_told_the_same(notices: tuple[Any, str], candidates: int) -> None:
    client, name = notices
    options = limited(candidates, size=8, min_score=0)
    expected = Index(client, name).related(id="query", options=options)
    answer = asyncio.run(asked_without_waiting(address(client), name, options))
    assert (list(answer), answer.truncated) == (list(expected), expected.truncated)


async def asked_without_waiting(url: str, name: str, options: SearchOptions) -> Answer:
    async with AsyncElasticsearch(url) as client:
        return await AsyncIndex(client, name).related(id="query", options=options)
