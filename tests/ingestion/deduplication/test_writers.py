"""Two writers at once, and writers that die."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.ingestion.deduplication.reservations import MAX_AGE, Reservations
from es_simhash.ingestion.deduplication.stored_documents import StoredDocuments
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.reserved_texts import ReservedTexts
from es_simhash.store.installation.state_index import StateIndex

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def place(id: str) -> DocumentRef:
    return DocumentRef(None, id)


@pytest.mark.parametrize("action", ["skip", "flag", "link", "replace"])
def test_of_two_writers_of_the_same_copies_exactly_one_wins(
    desk: Any, make_text: Make, tmp_path: Any, action: str
) -> None:
    # In the opposite order, and in several batches, so that each waits for the other.
    texts = [make_text(seed, 60) for seed in range(40)]
    start = threading.Barrier(2)
    errors: list[BaseException] = []

    def write(writer: str, chosen: list[tuple[int, str]]) -> None:
        documents = [{"id": f"{n}-{writer}", "text": each} for n, each in chosen]
        try:
            start.wait()
            desk.write(documents, action, batch=7, audit=tmp_path / f"{writer}.jsonl")
        except BaseException as error:
            errors.append(error)

    numbered = list(enumerate(texts))
    threads = [
        threading.Thread(target=write, args=("a", numbered)),
        threading.Thread(target=write, args=("b", numbered[::-1])),
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    marks = desk.marks()
    first = [id for id, each in marks.items() if "duplicate_of" not in each]
    assert sorted(int(id.split("-")[0]) for id in first) == list(range(40))
    assert len(marks) == (80 if action in ("flag", "link") else 40)
    if action == "link":
        assert len({each["family"] for each in marks.values()}) == 40


def reservations(desk: Any, run: str, lease: float = 30.0, clock: Any = None) -> Reservations:
    gateway = Gateway(desk.client, RetryPolicy(max_elapsed=5))
    context = RunContext(desk.name, IndexConfig(), OnVersion(lease=lease), run)
    state = StateIndex(gateway, desk.name, "simhash")
    state.create()
    now = clock or (lambda: time.time() * 1000)
    texts = ReservedTexts(gateway, state.name, context.config.simhash_field)
    store = ElasticsearchStore(gateway, desk.name, context.config, is_complete=True)
    return Reservations(StoredDocuments(context, store), texts, clock=now)


def test_the_reservation_of_a_writer_that_died_is_taken_over(desk: Any) -> None:
    assert reservations(desk, "dead").acquire({"h": place("1")}) == {}
    assert reservations(desk, "new", lease=0.2).acquire({"h": place("2")}) == {}
    # It names the new one now.
    stored = desk.client.search(
        index=f"{desk.name}-simhash", query={"term": {"kind": "reservation"}}
    )
    desk.client.indices.refresh(index=f"{desk.name}-simhash")
    stored = desk.client.search(
        index=f"{desk.name}-simhash", query={"term": {"kind": "reservation"}}
    )
    assert [hit["_source"]["ids"] for hit in stored["hits"]["hits"]] == [["2"]]


def test_a_run_that_goes_on_finds_its_reservations(desk: Any) -> None:
    assert reservations(desk, "killed").acquire({"h": place("1")}) == {}
    # Of the same document: nobody waits for the thirty seconds.
    assert reservations(desk, "again").acquire({"h": place("1")}) == {}


def test_a_text_is_not_reserved_when_its_document_is_there(desk: Any, make_text: Make) -> None:
    text = make_text(1)
    desk.write([{"id": "1", "text": text}], "skip")
    content_hash = desk.sources()["1"]["simhash"]["content_hash"]
    owned = reservations(desk, "new").acquire({content_hash: place("2"), "other": place("3")})
    assert {key: each.ref.id for key, each in owned.items()} == {content_hash: "1"}


def test_a_document_that_was_deleted_blocks_nobody(desk: Any, make_text: Make) -> None:
    text = make_text(1)
    later = time.time() * 1000 + 60_000
    desk.write([{"id": "1", "text": text}], "skip")
    content_hash = desk.sources()["1"]["simhash"]["content_hash"]
    desk.client.delete(index=desk.name, id="1", refresh=True)
    assert reservations(desk, "new", clock=lambda: later).acquire({content_hash: place("2")}) == {}


def test_old_reservations_are_deleted(desk: Any) -> None:
    reservations(desk, "old").acquire({"h": place("1"), "i": place("2")})
    side = f"{desk.name}-simhash"
    desk.client.indices.refresh(index=side)
    reservations(desk, "new").expire()
    desk.client.indices.refresh(index=side)
    assert desk.client.count(index=side)["count"] == 2
    much_later = time.time() * 1000 + 2 * MAX_AGE
    reservations(desk, "new", clock=lambda: much_later).expire()
    desk.client.indices.refresh(index=side)
    assert desk.client.count(index=side)["count"] == 0


def test_what_families_remember_stands_beside_reservations(desk: Any, make_text: Make) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss
    from es_simhash.maintenance.families.find_families import find_families

    documents = [{"id": str(n), "text": make_text(n)} for n in range(2)]
    desk.write(documents, "flag")
    desk.documents()
    dismiss(desk.client, desk.name, "0", "1")
    assert find_families(desk.client, desk.name).documents == 2
