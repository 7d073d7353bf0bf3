"""An index of documents with owners and dates, some of which copied from others."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.made_up_texts import make_prose

DATES = {"when": {"type": "date"}, "owner": {"type": "keyword"}}


def prose(seed: int, sentences: int = 12) -> str:
    """Return a text that has nothing in common with that of another seed."""
    return " ".join(make_prose(seed, sentences))


def between(passage: str, seed: int) -> str:
    """Return a text of its own with a passage in the middle."""
    sentences = make_prose(seed, 16)
    return " ".join([*sentences[:8], passage, *sentences[8:]])


class Archive:
    """An index with owners and dates, and what the tests do to it."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name

    def create(self, shards: int = 1, **properties: Any) -> None:
        """Create it."""
        from es_simhash.store.installation.install import install

        self.client.indices.create(
            index=self.name,
            settings={"number_of_shards": shards, "number_of_replicas": 0},
            mappings={"properties": {**DATES, **properties}},
        )
        install(self.client, self.name, semantics=None)

    def write(self, *documents: dict[str, Any]) -> None:
        """Write documents with their fingerprints."""
        from es_simhash.fingerprints.text_fingerprints import fingerprint
        from es_simhash.store.codec import simhash_object

        lines: list[dict[str, Any]] = []
        for each in documents:
            lines.append({"index": {"_id": each["id"]}})
            lines.append({**each, "simhash": simhash_object(fingerprint(each["text"]))})
        answer = self.client.bulk(index=self.name, operations=lines, refresh=True)
        assert not answer["errors"], answer

    def find(self, **options: Any) -> Any:
        """Search for copies between owners, unless options say otherwise."""
        from es_simhash import CopyOptions
        from es_simhash.maintenance.copies.find_copies import find_copies

        progress = options.pop("progress", None)
        chosen = CopyOptions(**{"between": "owner", "date_field": "when", **options})
        return find_copies(self.client, self.name, options=chosen, progress=progress)

    def families(self) -> None:
        """Find and write the families."""
        from es_simhash.maintenance.families.find_families import find_families

        find_families(self.client, self.name)


@pytest.fixture
def new_archive(
    client: Any, index_name: str, discard: Callable[..., None]
) -> Iterator[Callable[[str], Archive]]:
    """Return archives by a suffix of their name; they are deleted after the test."""
    names = []

    def make(suffix: str) -> Archive:
        names.append(f"{index_name}-{suffix}")
        return Archive(client, names[-1])

    yield make
    for name in names:
        discard(name, f"{name}-simhash")


@pytest.fixture
def archive(new_archive: Callable[[str], Archive]) -> Archive:
    """An archive without documents."""
    made = new_archive("archive")
    made.create()
    return made
