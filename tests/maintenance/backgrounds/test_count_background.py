"""Counting the background of an index: from a sample, stored under a name, renewed by drift."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError, InputError
from es_simhash.index import Index
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backgrounds.count_background import (
    count_background,
    renew_background,
)
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.sweeps.sweep import SweepSettings, sweep
from es_simhash.semantics.semantic_scheme import WORD_VECTORS, SemanticScheme
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.install import install
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.options import SearchOptions
from tests.support.company_news import notice, notices, other_news

pytestmark = pytest.mark.cluster
News = tuple[Any, str]


@pytest.fixture
def empty(client: Any, index_name: str) -> News:
    """An index with our fields and no documents."""
    install(client, index_name)
    return client, index_name


def put(news: News, texts: dict[str, str]) -> None:
    client, name = news
    documents = [{"id": id, "text": text} for id, text in texts.items()]
    assert all(outcome.ok for outcome in ingest(client, name, documents))
    client.indices.refresh(index=name)


def stored(news: News) -> Any:
    client, name = news
    return StateIndex(client, name, DEFAULT_FIELD).background()


def test_what_was_counted_is_stored_under_its_name_and_date(news_index: News) -> None:
    client, name = news_index
    report = Index(client, name).count_background()
    assert (report.documents, report.languages, report.replaced) == (300, {"en": 300}, None)
    entry = stored(news_index)
    assert (entry["name"], entry["date"]) == (report.name, report.date)
    assert report.sentence().startswith(f"Background {report.name} of 300 texts (en 300). There ")
    status = count_documents(client, name)
    assert status.background is not None
    assert (status.background.name, status.background.documents) == (report.name, 300)
    # The same documents have the same name.
    again = count_background(client, name)
    assert (again.name, again.replaced, again.drift) == (report.name, None, 0)


@pytest.mark.variants
@pytest.mark.parametrize(
    "texts",
    [
        {f"n{number}": notice(number) for number in range(20)},
        {f"copy{number}": notice(1) for number in range(300)},
        {f"n{number}": f"{number} {number * 7}" for number in range(300)},
        {},
    ],
    ids=["twenty documents", "copies of one text", "numbers", "nothing"],
)
def test_an_index_without_enough_texts_says_that_it_has_none(
    empty: News, texts: dict[str, str]
) -> None:
    put(empty, texts)
    client, name = empty
    report = count_background(client, name)
    assert report.name is None
    assert report.sentence().startswith("No background: ")
    assert report.sentence().endswith("General word frequencies count.")
    assert stored(empty) is None
    assert renew_background(client, name) is None
    status = count_documents(client, name)
    assert status.background is not None
    assert (status.background.name, status.background.problem) == (None, None)
    report = count_background(client, name, vectors=True)
    assert report.vectors is not None
    assert report.vectors.name is None
    assert "No vectors were learned: 200 different texts" in report.sentence()
    status = count_documents(client, name)
    assert status.vectors is not None
    assert (status.vectors.date, status.vectors.problem) == (None, None)
    index = Index(client, name)
    for id in list(texts)[:2]:
        assert index.related(id=id).other_vectors == 0


@pytest.mark.long
def test_one_that_is_not_needed_any_more_is_removed(news_index: News) -> None:
    client, name = news_index
    before = count_background(client, name)
    lines = [{"delete": {"_id": id}} for id in [*notices()][50:]]
    client.bulk(index=name, operations=lines, refresh=True)
    report = count_background(client, name)
    assert (report.name, report.replaced) == (None, before.name)
    assert report.sentence().endswith(f"{before.name} is removed.")
    assert stored(news_index) is None


def test_an_index_of_versions_alone_needs_none(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=None)
    with pytest.raises(InputError, match="finds versions alone"):
        count_background(client, index_name)
    status = count_documents(client, index_name)
    assert status.background is None


@pytest.mark.long
def test_a_sidecar_has_the_background_of_its_texts(
    client: Any, index_name: str, write: Any
) -> None:
    write(index_name, {id: {"text": text} for id, text in notices().items()})
    sidecar = f"{index_name}-near"
    try:
        list(backfill(client, index_name, sidecar=sidecar, settings=BackfillSettings(processes=1)))
        report = count_background(client, sidecar)
        assert (report.index, report.documents) == (index_name, 300)
        assert count_documents(client, sidecar).background.name == report.name  # type: ignore[union-attr]
    finally:
        names = f"{sidecar},{index_name}-simhash"
        client.indices.delete(index=names, ignore_unavailable=True)


def test_a_shard_that_fails_changes_nothing(
    news_index: News, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, name = news_index
    before = count_background(client, name).name
    lost, alias = f"{name}-lost", f"{name}-alias"
    client.indices.create(
        index=lost,
        mappings=client.indices.get_mapping(index=name)[name]["mappings"],
        settings={"index.routing.allocation.require._name": "no-such-node"},
        wait_for_active_shards="0",
    )
    client.indices.put_alias(index=f"{name},{lost}", name=alias)
    try:
        with pytest.raises(ClusterError):
            count_background(client, alias)
        report = renew_background(client, alias)
    finally:
        client.indices.delete(index=lost)
    assert report is not None
    assert report.problem is not None
    assert report.sentence().startswith("No background was counted: ")
    assert not client.indices.exists(index=f"{alias}-simhash")
    assert stored(news_index)["name"] == before


@pytest.mark.long
def test_it_is_renewed_when_it_has_drifted_and_not_before(news_index: News) -> None:
    client, name = news_index
    first = renew_background(client, name)
    assert first is not None
    assert (first.replaced, first.drift) == (None, None)
    assert renew_background(client, name) is None
    # Twice as many documents of the same kind: it is compared, and stays.
    put(news_index, {f"m{number}": notice(number) for number in range(400, 700)})
    assert renew_background(client, name) is None
    assert stored(news_index)["name"] == first.name
    assert stored(news_index)["documents"] == 600
    put(news_index, other_news(500))
    second = renew_background(client, name)
    assert second is not None
    assert second.replaced == first.name
    assert second.drift is not None
    assert second.drift > 0.1
    drifted = f"It replaces {first.name}, from which it differs by {second.drift:.2f}."
    assert drifted in second.sentence()


@pytest.mark.long
def test_a_damaged_one_is_counted_again(news_index: News) -> None:
    client, name = news_index
    right = count_background(client, name).name
    state = StateIndex(client, name, DEFAULT_FIELD)
    state.write_background({**stored(news_index), "languages": "{}", "writes": 10**9})
    assert "is damaged" in str(count_documents(client, name).background.problem)  # type: ignore[union-attr]
    report = renew_background(client, name)
    assert report is not None
    assert (report.name, report.drift) == (right, None)
    assert count_documents(client, name).background.name == right  # type: ignore[union-attr]


@pytest.mark.long
def test_a_sweep_counts_it_and_says_so(empty: News, write: Any) -> None:
    client, name = empty
    settings = SweepSettings(processes=1)
    write(name, {id: {"text": text} for id, text in notices().items()})
    report = sweep(client, name, settings=settings)
    assert report.background is not None
    assert report.background.documents == 300
    assert report.to_dict()["background"]["name"] == stored(empty)["name"]
    assert sweep(client, name, settings=settings).background is None
    client.index(index=name, id="more", document={"text": notice(999)})
    assert sweep(client, name, settings=settings).background is None


def test_a_document_whose_names_cannot_be_read_is_not_counted(
    client: Any, index_name: str, write: Any
) -> None:
    documents: dict[str, Any] = {
        id: {"text": text, "people": "Ada Lovelace"} for id, text in notices(201).items()
    }
    documents["n0007"]["people"] = 5
    client.indices.create(
        index=index_name, mappings={"properties": {"people": {"type": "keyword"}}}
    )
    write(index_name, documents)
    install(client, index_name, semantics=SemanticScheme(entity_fields=("people",)))
    assert count_background(client, index_name).languages == {"en": 200}


@pytest.fixture
def own_vectors(client: Any, index_name: str) -> News:
    """An index whose vectors are learned from it, without documents."""
    install(client, index_name, semantics=SemanticScheme())
    return client, index_name


@pytest.mark.long
def test_each_of_some_languages_has_vectors_and_strangers_have_none(own_vectors: News) -> None:
    client, name = own_vectors
    texts = dict(notices(220))
    for number in range(220):
        texts[f"de{number}"] = (
            f"Der Hafen öffnet um {number % 24} Uhr, und der Dampfer {'a' * (number % 9 + 3)} "
            f"nach {['Bremen', 'Emden', 'Kiel', 'Stade', 'Husum'][number % 5]}, fährt er. {number}"
        )
    texts |= {
        f"fr{n}": f"Le port est ouvert à {n} heures, et le bateau est parti." for n in range(20)
    }
    put(own_vectors, texts)
    report = count_background(client, name, vectors=True)
    assert report.vectors is not None
    settings = BackfillSettings(processes=1)
    assert all(outcome.ok for outcome in backfill(client, name, settings=settings))
    client.indices.refresh(index=name)
    languages = {
        id: client.get(index=name, id=id)["_source"]["simhash"].get("vector_language")
        for id in ("n0001", "de7", "fr3")
    }
    assert languages == {"n0001": "en", "de7": "de", "fr3": None}
    options = SearchOptions(min_score=0.0, size=50)
    found = Index(client, name).related(id="de7", options=options)
    near = [str(hit.id) for hit in found if hit.semantics and hit.semantics.vector > 0]
    assert near
    assert all(id.startswith("de") for id in near)


@pytest.mark.long
def test_documents_that_have_vectors_keep_them_until_somebody_wants_others(
    own_vectors: News,
) -> None:
    client, name = own_vectors
    put(own_vectors, notices())
    for first in (renew_background(client, name), count_background(client, name)):
        assert first is not None
        assert (first.vectors, first.can_learn) == (None, True)
        assert f"run `es-simhash background {name} --vectors`, then" in first.sentence()
    learned = count_background(client, name, vectors=True)
    assert learned.vectors is not None
    assert learned.vectors.name is not None
    again = count_background(client, name)
    assert (again.vectors, again.can_learn) == (None, False)
    vectors = count_documents(client, name).vectors
    assert vectors is not None
    assert vectors.coverage.scheme == learned.vectors.name
    put(own_vectors, other_news(500))
    renewed = renew_background(client, name)
    assert renewed is not None
    assert (renewed.vectors, renewed.can_learn) == (None, False)


@pytest.mark.long
def test_texts_that_were_there_before_the_fields_are_learned_from_at_once(
    own_vectors: News, write: Any
) -> None:
    client, name = own_vectors
    write(name, {id: {"text": text} for id, text in notices().items()})
    report = renew_background(client, name)
    assert report is not None
    assert report.vectors is not None
    assert report.vectors.name is not None
    assert f"Run `es-simhash backfill {name}`" in report.sentence()


@pytest.mark.long
def test_vectors_of_another_kind_are_not_learned(client: Any, index_name: str) -> None:
    name = index_name
    install(client, name, semantics=SemanticScheme(vectors=WORD_VECTORS))
    put((client, name), notices())
    assert not count_background(client, name).can_learn
    assert count_background(client, name).vectors is None
    with pytest.raises(InputError, match="which are not learned from it"):
        count_background(client, name, vectors=True)
