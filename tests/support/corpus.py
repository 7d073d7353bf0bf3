"""The sample corpus, in an index of its own and in memory."""

import json
import uuid
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest

SAMPLE = files("es_simhash") / "data" / "sample"


@pytest.fixture(scope="session")
def corpus() -> dict[str, dict[str, Any]]:
    """The documents of the sample corpus by their ids."""
    lines = (SAMPLE / "corpus.jsonl").read_text("utf-8").splitlines()
    return {document["id"]: document for document in map(json.loads, lines)}


@pytest.fixture(scope="session")
def truth() -> dict[tuple[str, str], str]:
    """How pairs of the corpus are related, each pair once."""
    lines = (SAMPLE / "relations.tsv").read_text("utf-8").splitlines()
    assert lines[0] == "a\tb\tkind"
    return {(a, b): kind for a, b, kind in (line.split("\t") for line in lines[1:])}


@pytest.fixture(scope="session")
def sample(cluster_url: str, corpus: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Name of an index that holds the sample corpus; tests leave it as it is."""
    from es_simhash.store.elasticsearch.connection import connect

    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        fill(client, name, corpus.values())
        yield name
        client.indices.delete(index=name)


def fill(client: Any, index: str, documents: Any, **install_options: Any) -> None:
    """Install the fields and ingest documents; each must be taken."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.config import IndexConfig
    from es_simhash.store.fields import DEFAULT_FIELD
    from es_simhash.store.installation.install import install

    install(client, index, **install_options)
    # The oracle reads the texts alone.
    simhash_field = install_options.get("simhash_field", DEFAULT_FIELD)
    config = IndexConfig(text_field="text", simhash_field=simhash_field)
    failed = [
        outcome for outcome in ingest(client, index, documents, config=config) if not outcome.ok
    ]
    assert failed == []
    client.indices.refresh(index=index)


@pytest.fixture
def fill_index(client: Any) -> Callable[..., None]:
    """Make an index of this name with these documents; the test deletes it."""

    def make(name: str, *documents: dict[str, Any]) -> None:
        fill(client, name, documents)

    return make


@pytest.fixture
def filled(client: Any, index_name: str) -> Callable[..., str]:
    """Make an index of these documents and give its name."""

    def make(*documents: dict[str, Any], **install_options: Any) -> str:
        fill(client, index_name, documents, **install_options)
        return index_name

    return make
