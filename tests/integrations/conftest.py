"""An index of rules of a harbour: two dates with other fees, a repeat, and something else."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

from es_simhash import AsyncIndex, Index, connect

FEES = (
    "The harbour board sets the fees of all berths once a year. A boat of up to ten metres pays "
    "{fee} crowns for a night, and whoever stays longer than a week pays half of it. Fees are due "
    "on the day of departure, at the office on the quay or by card at the gate."
)
RULES = {
    "fees-2023": FEES.format(fee=120),
    "fees-2024": FEES.format(fee=145),
    "fees-repeated": FEES.format(fee=120).replace("board", "Board"),
    "dogs": "Dogs have to be on a lead everywhere on the quay, and are not allowed on the beach "
    "from May to September. The warden of the beach may make exceptions for guide dogs.",
}
QUERY = RULES["fees-2023"]
DISTINCT = ["fees-2023", "fees-2024"]
Result = TypeVar("Result")


@pytest.fixture(scope="session")
def rules(cluster_url: str) -> Iterator[Index]:
    """The index, whose texts are in the field `wording`."""
    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        index = Index(client, name)
        index.install()
        fields = {"wording": {"type": "text"}, "name": {"type": "keyword"}}
        client.indices.put_mapping(index=name, properties=fields)
        index.configure({"text": "wording", "title": "name"})
        documents = [
            {"id": id, "wording": text, "name": id.title(), "pages": 1}
            for id, text in RULES.items()
        ]
        assert all(outcome.ok for outcome in index.ingest(documents))
        client.indices.refresh(index=name)
        yield index
        client.indices.delete(index=name)


@pytest.fixture
def awaited(rules: Index, cluster_url: str) -> Callable[[Callable[[AsyncIndex], Any]], Any]:
    """Ask the index in an event loop of its own."""
    import asyncio

    from elasticsearch import AsyncElasticsearch

    def run(ask: Callable[[AsyncIndex], Any]) -> Any:
        async def main() -> Any:
            async with AsyncElasticsearch(cluster_url) as client:
                return await ask(AsyncIndex(client, rules.name))

        return asyncio.run(main())

    return run
