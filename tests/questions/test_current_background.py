"""The background of an index in its answers: one score for a pair, however it is asked."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.questions.async_index import AsyncIndex
from es_simhash.questions.index import Index, SidecarIndex
from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.answer import Answer
from es_simhash.relation.text_comparison import compare
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import FindBackground
from es_simhash.store.options import Limits, SearchOptions
from tests.support.company_news import PER_SUBJECT, notice, notices

pytestmark = pytest.mark.cluster
News = tuple[Any, str]
NEAR = SearchOptions(size=20, min_score=0.0, collapse=False, limits=Limits(candidates=1_000))
QUERY = "n0105"


def scores(answer: Answer) -> dict[str, float]:
    """Return the similarity of each neighbour."""
    return {
        str(each.id): each.semantics.similarity for each in answer if each.semantics is not None
    }


def names(answer: Answer) -> set[str | None]:
    return {each.semantics.background for each in answer if each.semantics is not None}


def same_subject(answer: Answer) -> int:
    """Return how many of the first nine are of the subject of the query."""
    subject = int(QUERY[1:]) // PER_SUBJECT
    return sum(int(str(each.id)[1:]) // PER_SUBJECT == subject for each in list(answer)[:9])


@pytest.mark.long
def test_words_of_the_form_say_little_and_the_background_is_named(news_index: News) -> None:
    client, name = news_index
    index = Index(client, name)
    before = index.related(id=QUERY, options=NEAR)
    assert names(before) == {None}
    background = count_background(client, name).name
    after = index.related(id=QUERY, options=NEAR)
    assert names(after) == {background}
    assert same_subject(after) == 9
    other_subject = next(id for id in scores(before) if int(id[1:]) // PER_SUBJECT != 10)
    unlike = index.explain(QUERY, other_subject)
    assert unlike.semantics is not None
    assert unlike.semantics.concepts < 0.1
    shared = {each.text: each.contribution for each in unlike.semantics.shared}
    assert all(part < 0.02 for part in shared.values())


@pytest.mark.long
def test_a_pair_has_one_score_however_it_is_asked(news_index: News, cluster_url: str) -> None:
    client, name = news_index
    count_background(client, name)
    index = Index(client, name)
    expected = scores(index.related(id=QUERY, options=NEAR))
    assert len(expected) == 20
    # The document itself is the first hit of its text.
    by_text = scores(index.related(text=notice(105), options=replace(NEAR, size=21)))
    both = index.related_to_each([QUERY, "n0001"], options=NEAR)[QUERY]
    memory = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in notices().items():
        memory.add(id, text)
    (memory.background,) = index.store.ask([FindBackground()])
    for id, similarity in expected.items():
        for other in (by_text, scores(both)):
            assert other[id] == pytest.approx(similarity, abs=1e-6)
        explained = index.explain(QUERY, id).semantics
        back = index.explain(id, QUERY).semantics
        assert explained is not None
        assert back is not None
        # What is stored has fewer digits than what is computed.
        assert explained.similarity == pytest.approx(similarity, abs=0.005)
        assert back.similarity == pytest.approx(explained.similarity, abs=0.005)
    in_memory = scores(memory.related(id=QUERY, options=NEAR))
    # Of those that end the list, some are as near as others that are not shown.
    least = min(expected.values()) + 0.001
    nearest = {id for id, similarity in expected.items() if similarity > least}
    assert len(nearest) > 10
    assert nearest <= in_memory.keys()
    assert nearest == {id for id, similarity in in_memory.items() if similarity > least}
    assert {id: in_memory[id] for id in nearest} == pytest.approx(
        {id: expected[id] for id in nearest}, abs=0.005
    )


@pytest.mark.long
def test_a_sidecar_other_shards_and_a_client_that_does_not_wait_answer_alike(
    news_index: News, cluster_url: str
) -> None:
    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")
    client, name = news_index
    count_background(client, name)
    expected = scores(Index(client, name).related(id=QUERY, options=NEAR))

    async def ask() -> Answer:
        async with elasticsearch.AsyncElasticsearch(cluster_url) as waiting:
            return await AsyncIndex(waiting, name).related(id=QUERY, options=NEAR)

    assert scores(asyncio.run(ask())) == pytest.approx(expected, abs=1e-6)
    one = BackfillSettings(processes=1)
    list(backfill(client, name, sidecar=f"{name}-near", settings=one))
    client.indices.refresh(index=f"{name}-near")
    beside = SidecarIndex(client, f"{name}-near").related(id=QUERY, options=NEAR)
    assert scores(beside) == pytest.approx(expected, abs=1e-4)
    assert names(beside) == names(Index(client, name).related(id=QUERY, options=NEAR))


@pytest.mark.long
def test_an_index_that_was_opened_before_sees_another_background(news_index: News) -> None:
    client, name = news_index
    index = Index(client, name)
    index.related(id=QUERY, options=NEAR)
    first = count_background(client, name).name
    assert names(index.related(id=QUERY, options=NEAR)) == {first}
    client.delete(index=name, id="n0299", refresh=True)
    second = count_background(client, name).name
    assert second != first
    assert index.explain(QUERY, "n0104").semantics.background == second  # type: ignore[union-attr]
    assert names(index.related(id=QUERY, options=NEAR)) == {second}
    StateIndex(client, name, DEFAULT_FIELD).write_background(None)
    assert names(index.related(id=QUERY, options=NEAR)) == {None}


@pytest.mark.long
def test_once_it_is_read_a_question_takes_no_further_request(
    news_index: News, requests_of: list[str]
) -> None:
    client, name = news_index
    count_background(client, name)
    index = Index(client, name)
    index.related(id=QUERY, options=NEAR)
    requests_of.clear()
    index.related(id=QUERY, options=NEAR)
    with_background = [each for each in requests_of if "_msearch" in each]
    requests_of.clear()
    index.related(id=QUERY, options=SearchOptions(kinds=("version",), min_score=0.0))
    assert len(with_background) == len([each for each in requests_of if "_msearch" in each]) == 1


@pytest.mark.long
def test_a_broken_one_is_one_sentence_and_a_way_out(news_index: News) -> None:
    client, name = news_index
    count_background(client, name)
    state = StateIndex(client, name, DEFAULT_FIELD)
    entry = state.background()
    assert entry is not None
    state.write_background({**entry, "name": "other", "languages": "{}"})
    index = Index(client, name)
    with pytest.raises(InputError, match=r"is damaged\. Run `es-simhash background "):
        index.related(id=QUERY)
    # Versions do not need it.
    index.related(id=QUERY, options=SearchOptions(kinds=("version",)))
    count_background(client, name)
    assert names(index.related(id=QUERY, options=NEAR)) == {entry["name"]}


def test_an_index_without_one_and_two_texts_are_judged_by_general_frequencies(
    client: Any, index_name: str
) -> None:
    install(client, index_name)
    assert Index(client, index_name).store.ask([FindBackground()]) == [None]
    assert compare(notice(1), notice(2)).semantics.background is None  # type: ignore[union-attr]
