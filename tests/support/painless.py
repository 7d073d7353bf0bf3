"""An engine that runs Painless: the one of the other cluster tests if it does, else OpenSearch."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NoReturn

import pytest

from es_simhash.errors import EsSimhashError
from scripts.local_node.engine import choose_source, find_engine
from tests.support import opensearch


@pytest.fixture(scope="session")
def painless_url(without_cluster: Callable[[str], NoReturn]) -> Iterator[str]:
    """Address of an engine with Painless; one started for the tests is stopped at their end."""
    with ExitStack() as stack:
        try:
            url = _engine_with_painless(stack)
        except EsSimhashError as error:
            without_cluster(str(error))
        yield url


def _engine_with_painless(stack: ExitStack) -> str:
    # The Elasticsearch of Maven Central has no Painless, so a local node is never asked for.
    if choose_source() != "local node":
        engine = find_engine(name="tests", heap="1g")
        if opensearch.runs_painless(engine.url):
            return engine.url
    return stack.enter_context(opensearch.opensearch())


@pytest.fixture
def simulate(painless_url: str) -> Callable[..., list[Any]]:
    """Run documents through a pipeline without storing them; give what would be stored."""

    def run(body: dict[str, Any], *documents: dict[str, Any]) -> list[Any]:
        docs = [{"_source": document} for document in documents]
        url = f"{painless_url}/_ingest/pipeline/_simulate"
        answer = opensearch.request(url, "POST", {"pipeline": body, "docs": docs})
        return [each["doc"]["_source"] for each in answer["docs"]]

    return run
