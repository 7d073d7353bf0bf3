"""An alias with a write index, which is rolled over to another one with the same fields."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from es_simhash.store.installation.install import install


def make_alias(client: Any, name: str) -> None:
    """Create the first index of an alias, which is written to."""
    client.indices.create(index=f"{name}-000001", aliases={name: {"is_write_index": True}})


def indices_of(client: Any, name: str) -> list[str]:
    """Return the indices of an alias, the newest last."""
    return sorted(client.indices.get_mapping(index=name))


def roll_over(client: Any, name: str) -> None:
    """Roll over to a new index, which gets its fields as from a template."""
    newest = indices_of(client, name)[-1]
    mappings = client.indices.get_mapping(index=newest)[newest]["mappings"]
    client.indices.rollover(alias=name, mappings=mappings)


def switch(client: Any, name: str, *, removes: bool) -> str:
    """Let an alias stand for a new index with the same fields alone, and return that.

    Args:
        client: Client of the cluster.
        name: Of the alias.
        removes: Whether the indices that it stood for are deleted.
    """
    before, after = indices_of(client, name), f"{name}-switched"
    mappings = client.indices.get_mapping(index=before[-1])[before[-1]]["mappings"]
    client.indices.create(index=after, mappings=mappings)
    remove = "remove_index" if removes else "remove"
    named = {} if removes else {"alias": name}
    actions = [{remove: {"index": index, **named}} for index in before]
    added = {"add": {"index": after, "alias": name, "is_write_index": True}}
    client.indices.update_aliases(actions=[*actions, added])
    return after


@dataclass(frozen=True)
class RolledAlias:
    """An alias with fingerprint fields.

    Attributes:
        client: Client of the cluster.
        name: Its name.
    """

    client: Any
    name: str

    def roll(self) -> None:
        """Roll over."""
        roll_over(self.client, self.name)

    @property
    def indices(self) -> list[str]:
        """Its indices, the newest last."""
        return indices_of(self.client, self.name)

    def texts(self) -> dict[str, str]:
        """Return the text of each document, each of which is there once."""
        hits = self.hits()
        assert len({hit["_id"] for hit in hits}) == len(hits)
        return {hit["_id"]: hit["_source"]["text"] for hit in hits}

    def hits(self) -> list[dict[str, Any]]:
        """Return all documents, as searches see them from now on."""
        self.client.indices.refresh(index=self.name)
        hits: list[dict[str, Any]] = self.client.search(index=self.name, size=100)["hits"]["hits"]
        return hits

    def places(self) -> dict[str, str]:
        """Return the index of each document, each of which is there once."""
        hits = self.hits()
        assert len({hit["_id"] for hit in hits}) == len(hits)
        return {hit["_id"]: hit["_index"] for hit in hits}

    def flagged(self) -> set[str]:
        """Return the ids of documents that are marked as versions of others."""
        return {hit["_id"] for hit in self.hits() if hit["_source"]["simhash"].get("duplicate_of")}


@pytest.fixture
def alias(client: Any, index_name: str, discard: Any) -> Iterator[RolledAlias]:
    """An alias of one index with fingerprint fields, which has no documents yet."""
    made = RolledAlias(client, f"{index_name}-alias")
    make_alias(client, made.name)
    install(client, made.name, semantics=None)
    first = made.indices
    yield made
    indices = {*first, *made.indices} & {*client.indices.get_mapping(index=f"{made.name}-*")}
    discard(*indices, f"{made.name}-simhash")
