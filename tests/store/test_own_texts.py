"""Documents whose stored parts another program damaged: the answers are those of before."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from es_simhash import AsyncIndex, Index, UnreadableParts
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions

pytestmark = pytest.mark.cluster

EVERYTHING = SearchOptions(size=20, min_score=0, collapse=False)
Make = Callable[..., str]


@pytest.fixture
def texts(make_text: Make, revise: Make) -> dict[str, str]:
    """A text and two versions of it, an excerpt, and others."""
    one = make_text(1)
    return {
        "one": one,
        "copy": one,
        "revised": revise(one, 1),
        "part": one[: len(one) // 2],
        **{f"other-{number}": make_text(10 + number) for number in range(5)},
    }


@dataclass(frozen=True)
class Shelf:
    """An index, and what other programs do to it."""

    client: Any
    name: str
    routing: str | None

    def damage(self, id: str, part: str, value: str | list[str] | None) -> None:
        """Damage what is stored of a text."""
        self._update(id, {"simhash": {part: value}})

    def delete_text(self, id: str) -> None:
        """Take the text out of a document."""
        self._update(id, {"text": None})

    def _update(self, id: str, change: Any) -> None:
        place = {"index": self.name, "id": id, "routing": self.routing}
        self.client.update(**place, doc=change, refresh=True)


@pytest.fixture(params=[None, "desk"])
def shelf(client: Any, index_name: str, texts: dict[str, str], request: Any) -> Shelf:
    """An index of the texts, with what they mean; of several shards where they are routed."""
    routing: str | None = request.param
    settings = {"number_of_shards": 3 if routing else 1}
    client.indices.create(index=index_name, settings=settings)
    install(client, index_name)
    routed = {"_routing": routing} if routing else {}
    documents = [{"id": id, "text": text, **routed} for id, text in texts.items()]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    return Shelf(client, index_name, routing)


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("part", ["chunks", "sketch"])
@pytest.mark.parametrize("value", [None, "AAAA"])
def test_they_are_compared_by_their_texts(
    shelf: Shelf,
    cluster_url: str,
    texts: dict[str, str],
    caplog: pytest.LogCaptureFixture,
    part: str,
    value: str | None,
) -> None:
    elasticsearch = pytest.importorskip("elasticsearch")

    async def awaited() -> Any:
        async with elasticsearch.AsyncElasticsearch(cluster_url) as waiting:
            return await AsyncIndex(waiting, shelf.name).related(id="one", options=EVERYTHING)

    index = Index(shelf.client, shelf.name)
    by_id, by_text = (
        index.related(id="one", options=EVERYTHING),
        index.related(text=texts["revised"], options=EVERYTHING),
    )
    assert {"copy", "revised", "part"} <= {relation.id for relation in by_id}
    assert not caplog.records
    # A neighbour that lacks a part is shown as one without fingerprints.
    for id in ("copy", "revised", "part", *(["other-1"] if value else [])):
        shelf.damage(id, part, value)
    with caplog.at_level(logging.WARNING):
        assert index.related(id="one", options=EVERYTHING) == by_id
    assert index.related(text=texts["revised"], options=EVERYTHING) == by_text
    assert asyncio.run(awaited()) == by_id
    (warning, *_) = caplog.messages
    assert "cannot be read" in warning
    assert "Run `es-simhash backfill --check`." in warning


def test_families_show_them_as_before(shelf: Shelf) -> None:
    index = Index(shelf.client, shelf.name)
    find_families(shelf.client, shelf.name)
    shelf.client.indices.refresh(index=shelf.name)
    family = index.family("one")
    assert {member.id for member in family.members} == {"one", "copy", "revised", "part"}
    for part, value in (("chunks", "AAAA"), ("sketch", None), ("shingles", [5, "AAAA"])):
        shelf.damage("copy", part, value)
        assert index.family("one") == family


def test_one_whose_text_is_gone_as_well_is_named(shelf: Shelf) -> None:
    shelf.damage("copy", "sketch", "AAAA")
    shelf.damage("revised", "sketch", "AAAA")
    shelf.delete_text("copy")
    message = r"sketch of document 'copy'.* Run `es-simhash backfill --check`\.$"
    with pytest.raises(UnreadableParts, match=message):
        Index(shelf.client, shelf.name).related(id="one")
