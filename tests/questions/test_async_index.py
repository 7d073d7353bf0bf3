"""The questions of an index, awaited: the same answers as those of a client that waits."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from es_simhash import DocumentMissing, Index, IndexMissing, InputError
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.families.dismissals_and_joins import join
from es_simhash.questions.async_index import AsyncIndex
from es_simhash.questions.index import SidecarIndex
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions
from tests.support.shelf import Shelf, Texts, text

pytestmark = pytest.mark.cluster

Answered = TypeVar("Answered")
Ask = Callable[[AsyncIndex], Awaitable[Answered]]


@pytest.fixture
def shelf(client: Any, index_name: str, texts: Texts) -> Shelf:
    """Texts with versions, families and a date each."""
    install(client, index_name)
    client.indices.put_mapping(index=index_name, properties={"date": {"type": "date"}})
    shelf = Shelf(client, index_name)
    shelf.write(
        {"id": id, "text": content, "date": f"2024-01-{day:02d}"}
        for day, (id, content) in enumerate(sorted(texts.items()), 1)
    )
    shelf.find()
    return shelf


@pytest.fixture
def awaited(cluster_url: str) -> Callable[..., Any]:
    """Ask an index in an event loop of its own, with a client that does not wait."""
    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")

    def run(name: str, ask: Ask[Any], **options: Any) -> Any:
        async def main() -> Any:
            async with elasticsearch.AsyncElasticsearch(cluster_url) as client:
                return await ask(AsyncIndex(client, name, **options))

        return asyncio.run(main())

    return run


def test_every_question_has_the_answer_of_the_index_that_waits(
    shelf: Shelf, awaited: Callable[..., Any], texts: Texts
) -> None:
    index = Index(shelf.client, shelf.name)

    async def ask(asked: AsyncIndex) -> list[Any]:
        return [
            (await asked.related(id="t0-1")),
            (await asked.related(text=texts["t1-2"])),
            (await asked.related_to_each(["t0-1", "t9-1"])),
            (await asked.explain("t0-1", "t0-3")),
            (await asked.changes("t0-1", "t0-2")),
            (await asked.history("t0-2", date_field="date")),
            (await asked.blame("t0-3", date_field="date")),
            (await asked.timeline("t0-1", "t0-2", date_field="date")),
            (await asked.family("t0-1", date_field="date")),
        ]

    expected = [
        index.related(id="t0-1"),
        index.related(text=texts["t1-2"]),
        index.related_to_each(["t0-1", "t9-1"]),
        index.explain("t0-1", "t0-3"),
        index.changes("t0-1", "t0-2"),
        index.history("t0-2", date_field="date"),
        index.blame("t0-3", date_field="date"),
        index.timeline("t0-1", "t0-2", date_field="date"),
        index.family("t0-1", date_field="date"),
    ]
    assert [relation.id for relation in expected[0]][:2] == ["t0-2", "t0-3"]
    assert awaited(shelf.name, ask) == expected


def test_pages_are_those_of_the_index_that_waits(shelf: Shelf, awaited: Callable[..., Any]) -> None:
    options = SearchOptions(size=1, kinds=("version",))

    async def ask(asked: AsyncIndex) -> list[str]:
        pages = asked.pages(id="t0-1", options=options)
        return [str(relation.id) async for page in pages for relation in page]

    assert awaited(shelf.name, ask) == ["t0-2", "t0-3"]


@pytest.mark.long
def test_many_questions_at_once_are_answered_each_for_itself(
    shelf: Shelf, awaited: Callable[..., Any], texts: Texts
) -> None:
    index = Index(shelf.client, shelf.name)
    ids = [id for id in texts for _ in range(3)]

    async def ask(asked: AsyncIndex) -> list[Any]:
        return await asyncio.gather(*(asked.related(id=id) for id in ids))

    expected = index.related_to_each(list(texts))
    assert awaited(shelf.name, ask) == [expected[id] for id in ids]


def test_texts_are_compared_beside_the_event_loop(
    shelf: Shelf, awaited: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.questions import ranked_hits

    threads: set[threading.Thread] = set()
    align = ranked_hits.passages_within_budget

    def recording(*args: Any) -> Any:
        threads.add(threading.current_thread())
        return align(*args)

    monkeypatch.setattr(ranked_hits, "passages_within_budget", recording)
    awaited(shelf.name, lambda asked: asked.related(id="t0-1"))
    assert threads
    assert threading.main_thread() not in threads


def test_what_a_person_joined_is_a_version(shelf: Shelf, awaited: Callable[..., Any]) -> None:
    join(shelf.client, shelf.name, ["t8-1", "t9-1"])
    answer = awaited(shelf.name, lambda asked: asked.related(id="t8-1"))
    assert [(relation.id, relation.kind) for relation in answer] == [("t9-1", "version")]


@pytest.mark.long
def test_a_sidecar_answers_as_its_index_does(shelf: Shelf, awaited: Callable[..., Any]) -> None:
    name = f"{shelf.name}-beside"
    try:
        assert all(outcome.ok for outcome in backfill(shelf.client, shelf.name, sidecar=name))
        shelf.client.indices.refresh(index=name)
        expected = SidecarIndex(shelf.client, name).related(id="t0-1")
        answer = awaited(name, lambda asked: asked.related(id="t0-1"), is_sidecar=True)
        assert answer == expected
        assert [relation.id for relation in answer][:2] == ["t0-2", "t0-3"]
    finally:
        shelf.client.indices.delete(index=name, ignore_unavailable=True)


@pytest.mark.variants
@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda asked: asked.related(id="nobody"), DocumentMissing, "'nobody' is not in index"),
        (lambda asked: asked.related(), InputError, "either an id or a text"),
        (lambda asked: asked.family("nobody"), DocumentMissing, "neither a document nor a family"),
        (
            lambda asked: asked.history("t0-1", date_field="dat"),
            InputError,
            "date",
        ),
    ],
)
def test_errors_are_those_of_the_index_that_waits(
    shelf: Shelf, awaited: Callable[..., Any], ask: Ask[Any], error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        awaited(shelf.name, ask)


def test_an_index_that_is_not_there_is_an_error(
    client: Any, index_name: str, awaited: Callable[..., Any]
) -> None:
    with pytest.raises(IndexMissing, match=index_name):
        awaited(index_name, lambda asked: asked.related(text=text(1)))


def test_a_question_that_is_given_up_hinders_no_other(
    shelf: Shelf, awaited: Callable[..., Any]
) -> None:
    async def ask(asked: AsyncIndex) -> Any:
        given_up = [asyncio.create_task(asked.related(id="t0-1")) for _ in range(5)]
        await asyncio.sleep(0)
        for task in given_up:
            task.cancel()
        ended = await asyncio.gather(*given_up, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        return await asked.related(id="t0-1")

    assert [relation.id for relation in awaited(shelf.name, ask)][:2] == ["t0-2", "t0-3"]
