"""Two writers at once, and writers that die."""

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import Index
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.deduplication.reservations import (
    MAX_AGE,
    Reservations,
)
from es_simhash.ingestion.deduplication.stored_documents import StoredDocuments
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.reserved_texts import ReservedTexts
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.text.normal_forms import normalise

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def place(id: str) -> DocumentRef:
    return DocumentRef(None, id)


@pytest.mark.long
@pytest.mark.variants
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


def reservations(
    desk: Any, run: str, lease: float = 30.0, clock: Any = None, stopwatch: Any = time.monotonic
) -> Reservations:
    gateway = Gateway(desk.client, RetryPolicy(max_elapsed=5))
    context = RunContext(desk.name, IndexConfig(), OnVersion(lease=lease), run)
    state = StateIndex(gateway, desk.name, "simhash")
    state.create()
    now = clock or (lambda: time.time() * 1000)
    texts = ReservedTexts(gateway, state.name, context.config.simhash_field)
    store = ElasticsearchStore(gateway, desk.name, context.config, is_complete=True)
    return Reservations(StoredDocuments(context, store), texts, clock=now, stopwatch=stopwatch)


def test_the_reservation_of_a_writer_that_died_is_taken_over(desk: Any) -> None:
    assert reservations(desk, "dead").acquire({"h": place("1")}, {}) == {}
    assert reservations(desk, "new", lease=0.2).acquire({"h": place("2")}, {}) == {}
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
    assert reservations(desk, "killed").acquire({"h": place("1")}, {}) == {}
    # Of the same document: nobody waits for the thirty seconds.
    assert reservations(desk, "again").acquire({"h": place("1")}, {}) == {}


def test_a_text_is_not_reserved_when_its_document_is_there(desk: Any, make_text: Make) -> None:
    text = make_text(1)
    desk.write([{"id": "1", "text": text}], "skip")
    content_hash = desk.sources()["1"]["simhash"]["content_hash"]
    owned = reservations(desk, "new").acquire({content_hash: place("2"), "other": place("3")}, {})
    assert {key: each.ref.id for key, each in owned.items()} == {content_hash: "1"}


def test_a_document_that_was_deleted_blocks_nobody(desk: Any, make_text: Make) -> None:
    text = make_text(1)
    desk.write([{"id": "1", "text": text}], "skip")
    content_hash = desk.sources()["1"]["simhash"]["content_hash"]
    desk.client.delete(index=desk.name, id="1", refresh=True)
    new = reservations(desk, "new", stopwatch=itertools.count(step=31).__next__)
    assert new.acquire({content_hash: place("2")}, {}) == {}


class Stopwatch:
    """Stands still, but for what happens when it is looked at for the first times."""

    def __init__(self, *events: Callable[[], float]) -> None:
        self._events = iter(events)
        self._now = 0.0

    def __call__(self) -> float:
        if event := next(self._events, None):
            self._now += event()
        return self._now


def writing(desk: Any, id: str, text: str) -> Callable[[], float]:
    """Return an event that writes a document."""

    def write() -> float:
        outcomes = Index(desk.client, desk.name).ingest([{"id": id, "text": text}])
        assert all(each.ok for each in outcomes)
        return 0.0

    return write


def hash_of(text: str) -> str:
    return content_hash(normalise(text))


def held_by(found: dict[str, Any]) -> dict[str, str]:
    return {key: row.ref.id for key, row in found.items()}


@pytest.mark.variants
@pytest.mark.parametrize("hours", [-100, -1, 1, 100])
def test_whose_clock_is_wrong_waits_for_a_writer_at_work(
    desk: Any, make_text: Make, hours: int
) -> None:
    text = make_text(1)
    key = hash_of(text)
    reservations(desk, "at work").acquire({key: place("1")}, {})
    wrong = time.time() * 1000 + hours * 3_600_000
    watch = Stopwatch(lambda: 0.0, lambda: 29.0, writing(desk, "1", text))
    other = reservations(desk, "other", clock=lambda: wrong, stopwatch=watch)
    assert held_by(other.acquire({key: place("2")}, {})) == {key: "1"}


def test_a_clock_that_is_set_back_does_not_keep_a_writer_waiting(desk: Any) -> None:
    reservations(desk, "dead").acquire({"h": place("1")}, {})
    backwards = itertools.count(time.time() * 1000, -3_600_000)
    watch = itertools.count(step=16).__next__
    other = reservations(desk, "new", clock=lambda: next(backwards), stopwatch=watch)
    assert other.acquire({"h": place("2")}, {}) == {}


@pytest.mark.long
def test_of_two_that_wait_for_a_dead_one_the_second_waits_for_the_first(
    desk: Any, make_text: Make
) -> None:
    text = make_text(1)
    key = hash_of(text)
    reservations(desk, "dead").acquire({key: place("1")}, {})

    def first_takes_over() -> float:
        first = reservations(desk, "first", stopwatch=itertools.count(step=31).__next__)
        assert first.acquire({key: place("2")}, {}) == {}
        return 31.0

    # The second has read the reservation of the dead one, waited for 31 seconds, and finds another.
    watch = Stopwatch(lambda: 0.0, first_takes_over, lambda: 0.0, writing(desk, "2", text))
    second = reservations(desk, "second", stopwatch=watch)
    assert held_by(second.acquire({key: place("3")}, {})) == {key: "2"}


def test_a_writer_that_goes_on_after_a_halt_is_waited_for_again(desk: Any, make_text: Make) -> None:
    late, text = make_text(1), make_text(2)
    halted = reservations(desk, "halted")
    halted.acquire({hash_of(late): place("1"), "other": place("4")}, {})
    other = reservations(desk, "other", stopwatch=itertools.count(step=31).__next__)
    assert other.acquire({hash_of(late): place("2")}, {}) == {}
    # What it had reserved together with that is not waited for again.
    other._stopwatch = Stopwatch()
    assert other.acquire({"other": place("5")}, {}) == {}
    halted._clock = lambda: time.time() * 1000 + 60_000
    halted.acquire({hash_of(text): place("6")}, {})
    other._stopwatch = Stopwatch(lambda: 0.0, lambda: 29.0, writing(desk, "6", text))
    assert held_by(other.acquire({hash_of(text): place("7")}, {})) == {hash_of(text): "6"}


def reserved_ids(desk: Any) -> set[str]:
    side = f"{desk.name}-simhash"
    desk.client.indices.refresh(index=side)
    query = {"term": {"kind": "reservation"}}
    hits = desk.client.search(index=side, query=query, size=100)["hits"]["hits"]
    return {hit["_source"]["ids"][0] for hit in hits}


def test_reservations_of_more_than_a_day_are_deleted_when_searches_find_the_document(
    desk: Any, make_text: Make
) -> None:
    text = make_text(1)
    desk.client.indices.put_settings(index=desk.name, settings={"refresh_interval": -1})
    reservations(desk, "old").acquire({hash_of(text): place("1"), "i": place("2")}, {})
    writing(desk, "1", text)()

    def expire(milliseconds: int) -> set[str]:
        now = time.time() * 1000 + milliseconds
        reservations(desk, "new", clock=lambda: now).expire()
        return reserved_ids(desk)

    # The clock of one of the two may be wrong by a day.
    assert expire(24 * 3_600_000) == {"1", "2"}
    assert desk.client.count(index=desk.name)["count"] == 0
    assert expire(2 * MAX_AGE) == set()
    assert desk.client.count(index=desk.name)["count"] == 1


def test_a_run_releases_what_it_has_reserved_and_no_other(desk: Any, make_text: Make) -> None:
    first, second = reservations(desk, "first"), reservations(desk, "second")
    first.acquire({"h": place("1"), "i": place("2")}, {})
    # As when the answer to its request was lost, and it sends it again.
    first.release(["h"])
    second.acquire({"h": place("3")}, {})
    first.release(["h", "unknown"])
    assert reserved_ids(desk) == {"2", "3"}
    second.release(["h"])
    assert reserved_ids(desk) == {"2"}


def test_what_families_remember_stands_beside_reservations(desk: Any, make_text: Make) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss
    from es_simhash.maintenance.families.find_families import find_families

    documents = [{"id": str(n), "text": make_text(n)} for n in range(2)]
    desk.write(documents, "flag")
    desk.documents()
    dismiss(desk.client, desk.name, "0", "1")
    assert find_families(desk.client, desk.name).documents == 2
