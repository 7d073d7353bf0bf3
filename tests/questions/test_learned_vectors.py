"""Questions of an index whose word vectors are learned from its own texts."""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.index import Index, SidecarIndex
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.maintenance.diagnostics.examination import examine
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.async_index import AsyncIndex
from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.answer import Answer
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.index_counts import VectorsStatus
from es_simhash.store.installation.install import install
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import FindBackground
from es_simhash.store.options import Limits, SearchOptions
from tests.support.company_news import notice, notices

pytestmark = pytest.mark.cluster
News = tuple[Any, str]
LEARNED = SemanticScheme()
NEAR = SearchOptions(size=10, min_score=0.0, collapse=False, limits=Limits(candidates=300))
ONE_PROCESS = BackfillSettings(processes=1)
QUERY = "n0105"


@pytest.fixture
def own_news(client: Any, index_name: str) -> News:
    """An index of 300 notices with vectors of its own, none of which were learned yet."""
    install(client, index_name, semantics=LEARNED)
    put((client, index_name), notices())
    return client, index_name


@pytest.fixture(scope="module")
def shared_news(cluster_url: str, discard: Callable[..., None]) -> Iterator[News]:
    """The same with vectors that were learned and given to all documents."""
    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        install(client, name, semantics=LEARNED)
        put((client, name), notices())
        learned(client, name)
        assert moved((client, name)) == 300
        yield client, name
        discard(name, f"{name}-simhash")


@pytest.fixture
def learned_news(shared_news: News) -> Iterator[News]:
    """The shared index; documents that a test adds are deleted after it."""
    client, name = shared_news
    yield shared_news
    client.indices.refresh(index=name)
    added = {"bool": {"must_not": {"ids": {"values": list(notices())}}}}
    for hit in client.search(index=name, query=added, source=False)["hits"]["hits"]:
        client.delete(index=name, id=hit["_id"], refresh=True)


def put(news: News, texts: dict[str, str]) -> None:
    client, name = news
    documents = [{"id": id, "text": text} for id, text in texts.items()]
    assert all(outcome.ok for outcome in ingest(client, name, documents))
    client.indices.refresh(index=name)


def moved(news: News, **options: Any) -> int:
    """Run a backfill, and return how many documents it wrote."""
    client, name = news
    outcomes = list(backfill(client, name, settings=ONE_PROCESS, **options))
    assert all(outcome.ok for outcome in outcomes)
    client.indices.refresh(index=f"{name}*")
    return sum(outcome.status == "written" for outcome in outcomes)


def vector_parts(answer: Answer) -> dict[str, float]:
    """Return what the vectors of each neighbour add to the similarity."""
    return {str(each.id): each.semantics.vector for each in answer if each.semantics is not None}


def learned(client: Any, name: str) -> str:
    """Learn the vectors of an index, and return their name."""
    report = count_background(client, name, vectors=True)
    assert report.vectors is not None
    assert report.vectors.name is not None
    return report.vectors.name


def vectors_of(client: Any, name: str) -> VectorsStatus:
    vectors = count_documents(client, name).vectors
    assert vectors is not None
    return vectors


@pytest.mark.long
def test_documents_get_them_from_the_backfill_and_the_shipped_ones_count_meanwhile(
    own_news: News,
) -> None:
    client, name = own_news
    index = Index(client, name)
    # The shipped vectors count until then, as they are English news.
    none = index.related(id=QUERY, options=NEAR)
    assert all(part > 0 for part in vector_parts(none).values())
    assert none.other_vectors == 0
    assert vectors_of(client, name).date is None
    table = learned(client, name)
    # They are learned, and no document has them: the same index sees that, and says it.
    between = index.related(id=QUERY, options=NEAR)
    assert all(part > 0 for part in vector_parts(between).values())
    assert between.other_vectors > 40
    # Vectors have less of the similarity, wherever they are from: notices have few words each.
    parts, own = vector_parts(none), vector_parts(between)
    both = parts.keys() & own.keys()
    shares = {round(own[id] / parts[id], 2) for id in both}
    assert len(both) > 5
    assert len(shares) == 1
    assert 0 < shares.pop() < 0.35 / 0.4
    status = vectors_of(client, name)
    assert (status.coverage.scheme, status.coverage.current) == (table, 0)
    assert moved(own_news) == 300
    assert moved(own_news) == 0
    after = index.related(id=QUERY, options=NEAR)
    assert after.other_vectors == 0
    assert all(part > 0.01 for part in vector_parts(after).values())
    # Nine others are on its subject.
    assert {str(each.id)[:4] for each in list(after)[:9]} == {QUERY[:4]}
    assert vectors_of(client, name).coverage.current == 300


def test_new_documents_have_them_from_the_start(learned_news: News) -> None:
    client, name = learned_news
    put(learned_news, {"new": notice(1000) + " " + " ".join(notice(105).split()[5:])})
    stored = client.get(index=name, id="new")["_source"]["simhash"]
    assert stored["vector_table"] == vectors_of(client, name).coverage.scheme
    assert stored["vector_language"] == "en"
    assert "vector_fingerprint" not in stored
    assert moved(learned_news) == 0


@pytest.mark.long
def test_of_two_tables_vectors_are_not_compared_and_nothing_is_lost(own_news: News) -> None:
    client, name = own_news
    learned(client, name)
    assert moved(own_news) == 300
    index = Index(client, name)
    before = index.related(id=QUERY, options=NEAR)
    first = learned_table(client, name)
    put(own_news, {f"m{number}": notice(number) for number in range(400, 500)})
    second = learned(client, name)
    assert second != first
    # Those of before are compared by concepts and names; the index was open all the time.
    between = index.related(id=QUERY, options=NEAR)
    assert set(vector_parts(between).values()) == {0.0}
    assert {str(each.id) for each in list(between)[:9]} == {str(each.id) for each in before[:9]}
    assert between.other_vectors > 0
    # Some are moved: their vectors count, and no others do.
    half = moved(own_news, selection=_some(range(100, 106)))
    assert half == 6
    parts = vector_parts(index.related(id=QUERY, options=NEAR))
    assert {id for id, part in parts.items() if part > 0} == {f"n{n:04d}" for n in range(100, 105)}
    assert moved(own_news) == 394
    after = index.related(id=QUERY, options=NEAR)
    assert all(part > 0.01 for part in vector_parts(after).values())
    assert vectors_of(client, name).coverage.others == {}


def learned_table(client: Any, name: str) -> str:
    return vectors_of(client, name).coverage.scheme


def _some(numbers: range) -> Any:
    from es_simhash.maintenance.backfills.backfill_job import Selection

    return Selection(({"ids": {"values": [f"n{number:04d}" for number in numbers]}},))


@pytest.mark.long
def test_by_text_in_memory_beside_and_without_waiting_the_answers_are_alike(
    learned_news: News, cluster_url: str
) -> None:
    client, name = learned_news
    index = Index(client, name)
    expected = vector_parts(index.related(id=QUERY, options=NEAR))
    by_text = vector_parts(index.related(text=notice(105), options=replace(NEAR, size=11)))
    assert {id: part for id, part in by_text.items() if id in expected} == expected
    memory = MemoryIndex(index.config)
    for id, text in notices().items():
        memory.add(id, text)
    (memory.background,) = index.store.ask([FindBackground()])
    in_memory = vector_parts(memory.related(id=QUERY, options=NEAR))
    # The tenth is on another subject, and one of many that are as near.
    on_subject = {id for id in expected if id.startswith(QUERY[:4])}
    assert len(on_subject) == 9
    assert {id: in_memory.get(id) for id in on_subject} == pytest.approx(
        {id: expected[id] for id in on_subject}, abs=0.005
    )
    for id, part in expected.items():
        explained = index.explain(QUERY, id).semantics
        assert explained is not None
        assert explained.vector == pytest.approx(part, abs=0.005)
    elasticsearch = pytest.importorskip("elasticsearch")
    pytest.importorskip("aiohttp")

    async def ask() -> Answer:
        async with elasticsearch.AsyncElasticsearch(cluster_url) as waiting:
            return await AsyncIndex(waiting, name).related(id=QUERY, options=NEAR)

    assert vector_parts(asyncio.run(ask())) == pytest.approx(expected, abs=1e-6)


@pytest.mark.long
def test_a_pair_has_one_similarity_from_both_sides_however_long_either_is(
    learned_news: News,
) -> None:
    client, name = learned_news
    long = "\n\n".join(notice(number) for number in range(100, 110))
    put(learned_news, {"short": " ".join(notice(105).split()[:12]), "long": long})
    index = Index(client, name)
    everything = replace(NEAR, size=300)
    for one, other in (("short", "long"), ("short", QUERY), ("long", QUERY)):
        there, back = (
            {str(each.id): each.semantics for each in index.related(id=id, options=everything)}
            for id in (one, other)
        )
        assert there[other] is not None
        assert there[other].similarity > 0.1
        # What is stored has fewer digits than what is queried.
        assert back[one].similarity == pytest.approx(there[other].similarity, abs=0.003)


@pytest.mark.long
def test_a_sidecar_reads_the_vectors_of_the_index_that_has_the_texts(
    client: Any, index_name: str, write: Any
) -> None:
    write(index_name, {id: {"text": text} for id, text in notices().items()})
    sidecar = f"{index_name}-near"
    install(client, sidecar, semantics=LEARNED)
    assert moved((client, index_name), sidecar=sidecar) == 300
    beside = SidecarIndex(client, sidecar)
    assert all(vector_parts(beside.related(id=QUERY, options=NEAR)).values())
    learned(client, sidecar)
    assert moved((client, index_name), sidecar=sidecar) == 300
    found = beside.related(id=QUERY, options=NEAR)
    assert all(part > 0.01 for part in vector_parts(found).values())
    assert vectors_of(client, sidecar).coverage.current == 300


@pytest.mark.long
def test_one_question_takes_one_search_once_they_are_read(
    learned_news: News, client: Any, requests_of: list[str]
) -> None:
    index = Index(client, learned_news[1])
    index.related(id=QUERY, options=NEAR)
    requests_of.clear()
    index.related(id=QUERY, options=NEAR)
    assert len([each for each in requests_of if "_msearch" in each]) == 1


@pytest.mark.long
def test_lost_ones_are_noticed_and_learned_again(learned_news: News) -> None:
    client, name = learned_news
    index = Index(client, name)
    index.related(id=QUERY, options=NEAR)
    client.indices.delete(index=f"{name}-simhash")
    lost = index.related(id=QUERY, options=NEAR)
    assert len(lost) == 10
    assert set(vector_parts(lost).values()) == {0.0}
    assert lost.other_vectors > 40
    status = vectors_of(client, name)
    assert status.date is None
    assert sum(status.coverage.others.values()) == 300
    learned(client, name)
    moved(learned_news)
    found = index.related(id=QUERY, options=NEAR)
    assert all(part > 0.01 for part in vector_parts(found).values())


@pytest.mark.long
def test_broken_ones_are_one_sentence_and_a_way_out(learned_news: News) -> None:
    client, name = learned_news
    state = StateIndex(Gateway.of(client), name, DEFAULT_FIELD)
    (head,) = state.hits("vectors")
    repair = f"Run `es-simhash background {name} --vectors` and `es-simhash backfill {name}`."
    broken: list[tuple[dict[str, Any], str]] = [
        ({"parts": 9}, "are damaged"),
        ({"name": "2026-01-01-00000000"}, "are damaged"),
        ({"schema": 2}, "have form 2, but this version reads form 3"),
        ({"scheme": "semantic-x"}, "learned with semantic scheme 'semantic-x'"),
    ]
    for change, message in broken:
        state.write([state.entry(head["_id"], {**head["_source"], **change})])
        # Questions are answered without them, and say how many documents they concern.
        without = Index(client, name).related(id=QUERY, options=NEAR)
        assert len(without) == 10
        assert set(vector_parts(without).values()) == {0.0}
        assert without.other_vectors > 40
        # Nothing is written by other vectors than those of the index.
        with pytest.raises((InputError, SchemeMismatch), match=message) as failure:
            list(ingest(client, name, [{"id": "x", "text": "A text."}]))
        assert str(failure.value).endswith(repair)
        with pytest.raises((InputError, SchemeMismatch), match=message):
            list(backfill(client, name, settings=ONE_PROCESS))
        problem = str(vectors_of(client, name).problem)
        assert message in problem
        assert problem.endswith(repair)
        # What is found of the index is said with it, and what needs no vectors goes on.
        problems = [each for each in examine(client, name).findings if each.level == "problem"]
        assert [(message in each.message, each.advice) for each in problems] == [(True, repair)]
        assert find_families(client, name, options=FamilyOptions(dry_run=True)).documents == 300
    learned(client, name)
    assert vectors_of(client, name).problem is None
    moved(learned_news)
    found = Index(client, name).related(id=QUERY, options=NEAR)
    assert all(part > 0.01 for part in vector_parts(found).values())
    assert found.other_vectors == 0


@pytest.mark.long
def test_a_text_without_a_known_word_has_fewer_neighbours_and_no_wrong_ones(
    learned_news: News,
) -> None:
    client, name = learned_news
    texts = {
        "numbers": "1 22 333 4444 55555",
        "unknown": "Qwrtzx plmkjn vbghtr zzyyxx",
        "russian": "В порту сегодня открылась новая пристань для пассажиров",
        "chinese": "港口早上六点开放,渡船七点出发。两个渔夫在旧灯塔旁边修补渔网。",
    }
    put(learned_news, texts)
    index = Index(client, name)
    for id in texts:
        found = index.related(id=id, options=NEAR)
        assert all(part == 0 for part in vector_parts(found).values()), id
    assert list(index.related(id="numbers", options=NEAR)) == []
    # They are of the table all the same: nothing is left to do.
    assert moved(learned_news) == 0
