"""An index with made-up texts that have versions, exact copies and strangers."""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.support import made_up_texts
from tests.support.new_index import new_index

Texts = dict[str, str]


def text(seed: int, words: int = 300) -> str:
    """Return a text that has nothing in common with that of another seed."""
    return made_up_texts.make_text(seed, words)


def revised(original: str, seed: int, share: float = 0.05) -> str:
    """Replace a share of the words after the first forty."""
    return made_up_texts.revise(original, seed, share, first=40)


@pytest.fixture
def texts() -> Texts:
    """Twelve texts, eight of them with a version, four with two."""
    made = {}
    for seed in range(12):
        made[f"t{seed}-1"] = text(seed)
        if seed < 8:
            made[f"t{seed}-2"] = revised(made[f"t{seed}-1"], 100 + seed)
        if seed < 4:
            made[f"t{seed}-3"] = revised(made[f"t{seed}-2"], 200 + seed)
    return made


def in_memory(texts: Texts, **more: Any) -> set[frozenset[str]]:
    """Return the families of texts, found without an engine."""
    from es_simhash.pairs.document_families import families_in_memory

    return {frozenset(family) for family in families_in_memory(texts, **more)}


class Shelf:
    """An index and what the tests do to it."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name

    def write(self, documents: Iterable[dict[str, Any]]) -> None:
        """Write documents with their fingerprints, in place of those of the same id."""
        from es_simhash.fingerprints.text_fingerprints import fingerprint
        from es_simhash.store.codec import simhash_object
        from es_simhash.store.fields import DEFAULT_FIELD

        lines: list[dict[str, Any]] = []
        for each in documents:
            lines.append({"index": {"_id": each["id"]}})
            lines.append({**each, DEFAULT_FIELD: simhash_object(fingerprint(each["text"]))})
        answer = self.client.bulk(index=self.name, operations=lines, refresh=True)
        assert not answer["errors"], answer

    def put(self, texts: Texts) -> None:
        """Write texts by their ids."""
        self.write({"id": id, "text": each} for id, each in texts.items())

    def delete(self, id: str) -> None:
        """Delete a document."""
        self.client.delete(index=self.name, id=id, refresh=True)

    def find(self, **options: Any) -> Any:
        """Run over the index."""
        from es_simhash.maintenance.families.family_options import FamilyOptions
        from es_simhash.maintenance.families.find_families import find_families

        return find_families(self.client, self.name, options=FamilyOptions(**options))

    def names(self) -> dict[str, str | None]:
        """Return the family of each document."""
        self.client.indices.refresh(index=self.name)
        hits = self.client.search(index=self.name, size=1000)["hits"]["hits"]
        return {hit["_id"]: hit["_source"]["simhash"].get("family") for hit in hits}

    def families(self) -> set[frozenset[str]]:
        """Return the families as sets of ids."""
        names = self.names()
        return {
            frozenset(id for id, name in names.items() if name == family)
            for family in set(names.values())
        }


@pytest.fixture
def shelf(client: Any, index_name: str) -> Shelf:
    """An index without documents."""
    new_index(client, index_name, semantics=None)
    return Shelf(client, index_name)
