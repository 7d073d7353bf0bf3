"""An index for the tests of a module, filled with documents."""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def filled_index(url: str, documents: Iterable[dict[str, Any]]) -> Iterator[tuple[Any, str]]:
    """Fill an index, and delete it afterwards with its state and its sidecar `NAME-near`.

    Yields:
        A client, and the name of the index.
    """
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.config import IndexConfig
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.installation.install import install

    name = f"test-{uuid.uuid4().hex}"
    with connect(url) as client:
        install(client, name)
        config = IndexConfig(text_field="text")
        assert all(outcome.ok for outcome in ingest(client, name, documents, config=config))
        client.indices.refresh(index=name)
        try:
            yield client, name
        finally:
            names = [name, f"{name}-simhash", f"{name}-near", f"{name}-near-simhash"]
            client.indices.delete(index=names, ignore_unavailable=True)
