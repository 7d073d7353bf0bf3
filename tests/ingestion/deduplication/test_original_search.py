"""The search for originals: an engine answers as the index in memory, which compares everything."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import UnreadableParts
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.deduplication.original_search import OriginalSearch
from es_simhash.ingestion.deduplication.version_decisions import (
    IncomingDocument,
    Original,
    best_original,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install
from es_simhash.store.memory import MemoryStore
from es_simhash.store.protocol import Store
from tests.support.made_up_texts import make_text, revise

CONFIG = IndexConfig()
STORED = {str(n): make_text(n) for n in range(12)}
JOINED = ManualPairs.of([("new-2", "2")], [("new-3", "9")])


def incoming() -> list[IncomingDocument]:
    texts = {f"new-{n}": revise(text, 3) for n, text in STORED.items()}
    texts |= {"copy": STORED["5"], "strange": make_text(99), "empty": "..."}
    prints = fingerprint_batch(list(texts.values()), CONFIG.scheme)
    return [
        IncomingDocument(id, position, one, json.dumps({"text": text}).encode(), b"{}")
        for position, ((id, text), one) in enumerate(zip(texts.items(), prints, strict=True))
    ]


def decided(store: Store, manual: ManualPairs) -> dict[str, tuple[str, float] | None]:
    documents = incoming()
    found = OriginalSearch(store, CONFIG, manual, None).search(documents)

    def choice(document: IncomingDocument, originals: list[Original]) -> tuple[str, float] | None:
        rules, joined = OnVersion("flag"), manual.joined_with(document.id)
        best = best_original(document, originals, rules, CONFIG.versions_from, joined)
        return None if best is None else (best[1].id, best[0].score)

    return {
        document.id: choice(document, originals)
        for document, originals in zip(documents, found, strict=True)
    }


def in_memory() -> MemoryStore:
    store = MemoryStore(CONFIG)
    for id, text in STORED.items():
        store.add(id, text)
    return store


def in_engine(client: Any, name: str) -> ElasticsearchStore:
    install(client, name, semantics=None)
    documents = ({"id": id, "text": text} for id, text in STORED.items())
    assert all(outcome.ok for outcome in ingest(client, name, documents))
    client.indices.refresh(index=name)
    return ElasticsearchStore(Gateway.of(client), name, CONFIG)


def test_versions_and_copies_are_found_in_memory() -> None:
    found = decided(in_memory(), ManualPairs())
    assert found["copy"] == ("5", 1.0)
    assert (found["strange"], found["empty"]) == (None, None)
    assert [id for id, best in found.items() if best and f"new-{best[0]}" == id] == [
        f"new-{n}" for n in STORED
    ]


def test_what_a_person_decided_comes_first() -> None:
    found = decided(in_memory(), JOINED)
    assert found["new-2"] is None
    assert found["new-3"] is not None
    assert found["new-3"][0] == "9"


@pytest.mark.cluster
@pytest.mark.parametrize("manual", [ManualPairs(), JOINED], ids=["none", "manual"])
def test_an_engine_and_the_memory_lead_to_the_same_decisions(
    client: Any, index_name: str, manual: ManualPairs
) -> None:
    store = in_engine(client, index_name)
    assert decided(store, manual) == decided(in_memory(), manual)


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("part", ["chunks", "sketch", "shingles"])
def test_an_original_whose_stored_parts_are_damaged_is_compared_by_its_text(
    client: Any, index_name: str, part: str
) -> None:
    store = in_engine(client, index_name)
    whole = decided(store, ManualPairs())
    for id in ("5", "7"):
        stored = client.get(index=index_name, id=id)["_source"]["simhash"]
        # By its other shingles it is found as before.
        value = [*stored[part], "five!"] if part == "shingles" else "AAAA"
        client.update(index=index_name, id=id, doc={"simhash": {part: value}}, refresh=True)
    assert decided(store, ManualPairs()) == whole
    client.update(index=index_name, id="5", doc={"text": None}, refresh=True)
    with pytest.raises(UnreadableParts, match=r"of document '5'.* Run `es-simhash backfill"):
        decided(store, ManualPairs())


def test_the_search_of_several_documents_that_is_cut_is_repeated_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = decided(in_memory(), ManualPairs())
    monkeypatch.setattr("es_simhash.ingestion.deduplication.original_search._ROWS_PER_DOCUMENT", 0)
    asked: list[int] = []
    store = in_memory()
    ask: Callable[[Any], Any] = store.ask
    monkeypatch.setattr(store, "ask", lambda requests: asked.append(len(requests)) or ask(requests))
    assert decided(store, ManualPairs()) == whole
    assert asked == [1, 14]
