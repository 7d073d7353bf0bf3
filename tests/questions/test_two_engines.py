"""Elasticsearch and OpenSearch answer alike: the same kinds, scores and order."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import Index, Limits, SearchOptions, connect
from tests.support.corpus import fill
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

DOCUMENTS = 200


@pytest.fixture(scope="module")
def documents(corpus: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The sample corpus, and texts that are versions of each other by and by."""
    some = [{"id": id, "text": document["text"]} for id, document in corpus.items()]
    for number in range(DOCUMENTS - len(some)):
        text = make_text(number // 5, words=80)
        some.append({"id": f"m{number}", "text": revise(text, number, 0.06 * (number % 5))})
    return some


@pytest.fixture(scope="module")
def indices(
    cluster_url: str, painless_url: str, documents: list[dict[str, Any]]
) -> Iterator[list[Index]]:
    """An index on each engine; an OpenSearch runs for the tests of the ingest pipeline."""
    name = f"test-{uuid.uuid4().hex}"
    clients = [connect(url) for url in (cluster_url, painless_url)]
    if "opensearch" not in str(clients[1].info().get("version")):
        pytest.skip("the engine of the tests runs Painless itself")
    for client in clients:
        fill(client, name, documents)
    yield [Index(client, name) for client in clients]
    for client in clients:
        client.indices.delete(index=f"{name},{name}-simhash", ignore_unavailable=True)
        client.close()


@pytest.mark.parametrize(
    "options",
    [SearchOptions(), SearchOptions(evidence=False, size=5, limits=Limits(candidates=5))],
    ids=["default", "few candidates"],
)
def test_the_same_documents_have_the_same_kinds_scores_and_order(
    indices: list[Index], documents: list[dict[str, Any]], options: SearchOptions
) -> None:
    ids = [document["id"] for document in documents]
    first, second = (index.related_to_each(ids[::8], options=options) for index in indices)
    answers = [
        {id: [(hit.id, hit.kind, hit.score) for hit in answer] for id, answer in each.items()}
        for each in (first, second)
    ]
    assert answers[0] == answers[1]
    kinds = {kind for answer in answers[0].values() for _, kind, _ in answer}
    assert {"version", "semantic"} <= kinds


def test_a_text_has_the_same_answer_and_the_mapping_reads_alike(
    indices: list[Index], documents: list[dict[str, Any]]
) -> None:
    first, second = ([*index.related(text=documents[0]["text"])] for index in indices)
    assert [hit.to_dict() for hit in first] == [hit.to_dict() for hit in second]
    mappings = [index.store.gateway.mappings(index.name) for index in indices]
    members = [
        next(iter(mapping.values()))["properties"]["simhash"]["properties"] for mapping in mappings
    ]
    types = [{name: field["type"] for name, field in each.items()} for each in members]
    assert types[0] == types[1]
