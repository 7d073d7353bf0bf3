"""A data stream of its own, whose index template knows nothing of fingerprints."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

TIME = "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class DataStream:
    """A data stream.

    Attributes:
        client: Client of the cluster.
        name: Its name, and that of its index template, whose pattern matches all longer names.
    """

    client: Any
    name: str

    def put(self, id: str, text: str) -> None:
        """Write a document as another program does; a search finds it."""
        document = {"@timestamp": TIME, "text": text}
        self.client.index(index=self.name, id=id, op_type="create", document=document, refresh=True)

    def roll(self) -> str:
        """Roll over, and return the new backing index."""
        return str(self.client.indices.rollover(alias=self.name)["new_index"])

    @property
    def indices(self) -> list[str]:
        """The backing indices, the newest last."""
        return sorted(self.client.indices.get_mapping(index=self.name))


@pytest.fixture
def stream(client: Any) -> Iterator[DataStream]:
    """A data stream with no documents yet: the first one that is put creates it."""
    name = f"test-{uuid.uuid4().hex}"
    mappings = {"properties": {"@timestamp": {"type": "date"}, "text": {"type": "text"}}}
    client.indices.put_index_template(
        name=name,
        index_patterns=[f"{name}*"],
        data_stream={},
        priority=700,
        template={"settings": {"number_of_replicas": 0}, "mappings": mappings},
    )
    made = DataStream(client, name)
    yield made
    quiet = client.options(ignore_status=[400, 404, 405, 409])
    state, templates = f"{name}-simhash", [name, f"{name}-simhash@template"]
    client.indices.delete(index=state, ignore_unavailable=True)
    backing = made.indices if client.indices.exists(index=name) else []
    # A node without the module of data streams, as the one of the tests, cannot delete them: what
    # is left of them is closed.
    if quiet.indices.delete_data_stream(name=name).meta.status != 200 and backing:
        *old, last = backing
        if old:
            client.indices.delete(index=old)
        client.indices.close(index=last)
    for template in templates:
        quiet.indices.delete_index_template(name=template)
    quiet.cluster.delete_component_template(name=f"{name}-simhash@mappings")
