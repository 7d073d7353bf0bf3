"""The answer to a question does not depend on the number of shards."""

import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import Index, Limits, SearchOptions
from es_simhash.ingestion.ingest import ingest
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_prose

pytestmark = pytest.mark.cluster

SHARDS = (1, 5)
DOCUMENTS = 240
QUERIES = range(0, DOCUMENTS, 20)


def documents() -> Iterator[dict[str, Any]]:
    """Yield texts that share sentences with many others, some more often than others."""
    common = make_prose(7, 60)
    weights = [1 / (place + 1) for place in range(len(common))]
    for number in range(DOCUMENTS):
        chosen = random.Random(number)
        own = make_prose(number % 40, 8)
        passages = [*chosen.choices(common, weights, k=6), *chosen.sample(own, 4)]
        yield {"id": f"d{number}", "text": " ".join(passages)}


@pytest.fixture(scope="module")
def indices(cluster_url: str) -> Iterator[list[Index]]:
    """The same documents in indices of several numbers of shards."""
    names = {shards: f"test-{uuid.uuid4().hex}" for shards in SHARDS}
    with connect(cluster_url) as client:
        try:
            for shards, name in names.items():
                settings = {"number_of_shards": shards, "number_of_replicas": 0}
                client.indices.create(index=name, settings=settings)
                install(client, name)
                assert all(item.ok for item in ingest(client, name, documents()))
                client.indices.refresh(index=name)
            yield [Index(client, name) for name in names.values()]
        finally:
            every = [each for name in names.values() for each in (name, f"{name}-simhash")]
            client.indices.delete(index=every, ignore_unavailable=True)


@pytest.mark.variants
@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(evidence=False),
        SearchOptions(evidence=False, passages=False, size=30),
        SearchOptions(evidence=False, size=5, limits=Limits(candidates=15)),
    ],
    ids=["default", "fingerprints", "limited"],
)
def test_kinds_scores_and_order_are_the_same_over_any_number_of_shards(
    indices: list[Index], options: SearchOptions
) -> None:
    one, of_several = (
        {
            query: [
                (hit.id, hit.kind, hit.score) for hit in index.related(id=query, options=options)
            ]
            for query in (f"d{number}" for number in QUERIES)
        }
        for index in indices
    )
    assert any(len({kind for _, kind, _ in hits}) > 1 for hits in one.values())
    assert of_several == one
