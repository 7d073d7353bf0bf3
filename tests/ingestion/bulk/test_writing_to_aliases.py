"""Documents of an alias or a data stream that others move or change while they are written."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from es_simhash import Index
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.changes import WRITE_ATTEMPTS
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import install
from tests.support.aliases import RolledAlias, switch
from tests.support.data_streams import TIME, DataStream
from tests.support.shelf import revised, text

pytestmark = pytest.mark.cluster

SINGLY = IngestSettings(processes=1, limits=BatchLimits(documents=1))
Line = dict[str, Any]
Event = Callable[[], object]


@pytest.fixture
def before_write(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Event], None]:
    """Lets something happen before the next bulk request but so many, or before each with -1."""
    events: list[tuple[int, Event]] = []
    write, lock, count = ElasticsearchStore.write, threading.Lock(), 0

    def writing(self: ElasticsearchStore, *arguments: Any, **more: Any) -> Any:
        nonlocal count
        with lock:
            for number, event in events:
                if number in (count, -1):
                    event()
            count += 1
        return write(self, *arguments, **more)

    monkeypatch.setattr(ElasticsearchStore, "write", writing)
    return lambda number, event: events.append((number if number < 0 else count + number, event))


@pytest.fixture
def wait_for_lookups(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Waits until so many batches were looked up."""
    lookup, looked_up = TargetIndex.lookup, threading.Semaphore(0)

    def looking_up(self: TargetIndex, *arguments: Any, **more: Any) -> Any:
        found = lookup(self, *arguments, **more)
        looked_up.release()
        return found

    monkeypatch.setattr(TargetIndex, "lookup", looking_up)

    def wait(count: int) -> None:
        assert all(looked_up.acquire(timeout=60) for _ in range(count))

    return wait


def line(id: str, words: str, **more: Any) -> Line:
    return {"id": id, "text": words, **more}


def statuses(outcomes: Any) -> list[str]:
    return [str(outcome.status) for outcome in outcomes]


@pytest.fixture
def filled(client: Any, alias: RolledAlias) -> RolledAlias:
    """An alias with three documents."""
    lines = [line(f"n{number}", text(number)) for number in range(3)]
    assert set(statuses(Index(client, alias.name).ingest(lines))) == {"written"}
    return alias


def test_a_rollover_between_lookup_and_write_leaves_documents_where_they_are(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    before_write(0, filled.roll)
    changed = [line("n1", revised(text(1), 1)), line("new", text(3))]
    assert statuses(Index(client, filled.name).ingest(changed)) == ["written"] * 2
    first, second = filled.indices
    assert filled.places() == {"n0": first, "n1": first, "n2": first, "new": second}
    assert filled.texts()["n1"] == changed[0]["text"]


@pytest.mark.parametrize("removes", [False, True], ids=["left", "deleted"])
def test_a_switch_between_lookup_and_write_writes_to_what_the_alias_stands_for(
    client: Any, filled: RolledAlias, before_write: Any, removes: bool
) -> None:
    (before,) = filled.indices
    before_write(0, lambda: switch(client, filled.name, removes=removes))
    changed = [line("n1", revised(text(1), 1)), line("new", text(3))]
    assert statuses(Index(client, filled.name).ingest(changed)) == ["written"] * 2
    (after,) = filled.indices
    assert filled.places() == {"n1": after, "new": after}
    assert client.indices.exists(index=before).body is not removes
    if not removes:
        client.indices.refresh(index=before)
        hits = client.search(index=before)["hits"]["hits"]
        texts = {hit["_id"]: hit["_source"]["text"] for hit in hits}
        assert texts == {f"n{number}": text(number) for number in range(3)}


@pytest.mark.long
@pytest.mark.parametrize("on_version", [None, "flag"])
@pytest.mark.parametrize("others", [0, 8], ids=["near", "far"])
@pytest.mark.parametrize("is_empty", [True, False], ids=["empty", "with documents"])
def test_an_id_of_two_batches_is_not_doubled_by_a_rollover_in_between(
    client: Any,
    alias: RolledAlias,
    before_write: Any,
    wait_for_lookups: Any,
    is_empty: bool,
    others: int,
    on_version: str | None,
) -> None:
    index = Index(client, alias.name)
    if not is_empty:
        assert statuses(index.ingest([line("before", text(20))])) == ["written"]
    client.indices.put_settings(index=alias.name, settings={"index.refresh_interval": -1})
    lines = [line("n", text(0))]
    lines += [line(f"other{number}", text(number + 1)) for number in range(others)]
    lines += [line("n", text(9))]
    if not others and (on_version or not is_empty):
        # The second one is looked up before the first one is written.
        before_write(0, lambda: wait_for_lookups(2))
    before_write(1 + others // 2, alias.roll)
    outcomes = list(index.ingest(lines, on_version=on_version, settings=SINGLY))
    assert {*statuses(outcomes)} == {"written"}
    assert len(alias.indices) == 2
    assert alias.places()["n"] == alias.indices[0]
    assert alias.texts()["n"] == text(9)


def test_what_is_deleted_with_an_index_between_lookup_and_write_is_written_to_the_newest(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    (first,) = filled.indices
    filled.roll()
    # The engine makes an empty index of that name, which the alias does not stand for.
    before_write(0, lambda: client.indices.delete(index=first))
    changed = line("n1", revised(text(1), 1))
    assert statuses(Index(client, filled.name).ingest([changed])) == ["written"]
    assert filled.places() == {"n1": filled.indices[-1]}
    assert filled.indices != [first]


def test_what_another_writer_changes_between_lookup_and_write_is_replaced(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    theirs = {"text": text(7)}
    before_write(0, lambda: client.index(index=filled.name, id="n1", document=theirs))
    changed = line("n1", revised(text(1), 1))
    assert statuses(Index(client, filled.name).ingest([changed])) == ["written"]
    assert filled.texts()["n1"] == changed["text"]


def test_what_another_writer_changes_each_time_fails_with_the_reason(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    theirs = {"text": text(7)}
    before_write(-1, lambda: client.index(index=filled.name, id="n1", document=theirs))
    lines = [line("n0", revised(text(0), 1)), line("n1", revised(text(1), 1))]
    fine, failed = Index(client, filled.name).ingest(lines)
    assert (fine.status, failed.status) == ("written", "failed")
    begin = f"Each of {WRITE_ATTEMPTS} attempts met a newer write: [n1]: version conflict"
    assert str(failed.reason).startswith(begin)
    assert filled.texts()["n1"] == theirs["text"]


def test_what_another_writer_deletes_between_lookup_and_write_is_written(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    before_write(0, lambda: client.delete(index=filled.name, id="n1"))
    changed = line("n1", revised(text(1), 1))
    assert statuses(Index(client, filled.name).ingest([changed])) == ["written"]
    assert filled.texts()["n1"] == changed["text"]


@pytest.mark.parametrize("rolls", [False, True])
def test_what_was_replaced_without_an_answer_is_written(
    client: Any, filled: RolledAlias, proxy: Any, rolls: bool
) -> None:
    (first,) = filled.indices
    lost = proxy.lose_a_bulk_request(client)
    lose = proxy.hook

    def hook(path: str, body: bytes) -> Any:
        answer = lose(path, body)
        if answer is not None and rolls:
            filled.roll()
        return answer

    proxy.hook = hook
    changed = line("n1", revised(text(1), 1))
    settings = IngestSettings(retry=RetryPolicy(initial_delay=0.01))
    with connect(proxy.url) as behind:
        assert statuses(Index(behind, filled.name).ingest([changed], settings=settings)) == [
            "written"
        ]
    assert lost
    assert filled.places() == dict.fromkeys(("n0", "n1", "n2"), first)
    assert filled.texts()["n1"] == changed["text"]


@pytest.mark.parametrize("on_version", ["flag", "skip"])
def test_what_is_decided_is_written_where_documents_are_after_a_rollover(
    client: Any, filled: RolledAlias, before_write: Any, on_version: str
) -> None:
    before_write(0, filled.roll)
    lines = [line("n1", text(8)), line("new", text(2))]
    outcomes = list(Index(client, filled.name).ingest(lines, on_version=on_version))
    first, second = filled.indices
    places = dict.fromkeys(("n0", "n1", "n2"), first)
    if on_version == "skip":
        assert statuses(outcomes) == ["written", "skipped"]
        assert filled.places() == places
    else:
        assert statuses(outcomes) == ["written", "written"]
        assert filled.places() == {**places, "new": second}
        assert filled.flagged() == {"new"}
    assert filled.texts()["n1"] == text(8)


@pytest.mark.long
def test_what_the_run_wrote_long_ago_is_not_skipped_as_a_copy_after_a_rollover(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    client.indices.put_settings(index=filled.name, settings={"index.refresh_interval": -1})
    before_write(2, filled.roll)
    # To skip the last one would keep the first text of its id.
    lines = [line("n", text(5))]
    lines += [line(f"other{number}", text(10 + number)) for number in range(8)]
    lines += [line("n", text(1))]
    outcomes = list(Index(client, filled.name).ingest(lines, on_version="skip", settings=SINGLY))
    assert {*statuses(outcomes)} == {"written"}
    assert filled.places()["n"] == filled.indices[0]
    assert filled.texts()["n"] == text(1)


def test_a_routing_is_kept_when_a_document_is_looked_up_again(
    client: Any, filled: RolledAlias, before_write: Any
) -> None:
    index = Index(client, filled.name)
    routed = line("routed", text(4), _routing="harbour")
    assert statuses(index.ingest([routed])) == ["written"]
    client.indices.refresh(index=filled.name)
    before_write(0, filled.roll)
    # The second one goes to the place of the first, as the line names no routing.
    lines = [line("n1", revised(text(1), 1)), line("routed", text(5))]
    assert statuses(index.ingest(lines)) == ["written"] * 2
    (hit,) = (hit for hit in filled.hits() if hit["_id"] == "routed")
    assert (hit["_index"], hit["_routing"]) == (filled.indices[0], "harbour")
    assert hit["_source"]["text"] == text(5)


def test_a_dry_run_of_an_id_in_two_batches_writes_nothing(client: Any, filled: RolledAlias) -> None:
    settings = IngestSettings(processes=1, limits=BatchLimits(documents=1), dry_run=True)
    lines = [line(id, text(number)) for number, id in enumerate(["n1", "n", "n", "n1"], 5)]
    before = filled.hits()
    outcomes = list(Index(client, filled.name).ingest(lines, settings=settings))
    assert statuses(outcomes) == ["written"] * 4
    assert filled.hits() == before


def test_what_another_program_creates_in_a_data_stream_meanwhile_is_replaced(
    client: Any, stream: DataStream, before_write: Any
) -> None:
    stream.put("first", text(1))
    index = Index(client, stream.name)
    index.install()

    def meanwhile() -> None:
        stream.put("n", text(2))
        stream.put("first-again", text(3))
        (hit,) = client.search(
            index=stream.name, query={"ids": {"values": ["first"]}}, seq_no_primary_term=True
        )["hits"]["hits"]
        client.index(
            index=hit["_index"],
            id="first",
            document={"@timestamp": TIME, "text": text(4)},
            if_seq_no=hit["_seq_no"],
            if_primary_term=hit["_primary_term"],
        )

    before_write(0, meanwhile)
    lines = [line(id, text(5), **{"@timestamp": TIME}) for id in ("n", "first")]
    assert statuses(index.ingest(lines)) == ["written"] * 2
    client.indices.refresh(index=stream.name)
    hits = client.search(index=stream.name)["hits"]["hits"]
    texts = sorted((hit["_id"], hit["_source"]["text"]) for hit in hits)
    assert texts == [("first", text(5)), ("first-again", text(3)), ("n", text(5))]


@pytest.mark.long
@pytest.mark.parametrize("others", [0, 8], ids=["near", "far"])
def test_an_id_of_two_batches_is_not_doubled_in_a_data_stream_that_is_rolled_over(
    client: Any, stream: DataStream, before_write: Any, others: int
) -> None:
    stream.put("first", text(20))
    index = Index(client, stream.name)
    index.install()
    client.indices.put_settings(index=stream.name, settings={"index.refresh_interval": -1})
    ids = ["n", *(f"other{number}" for number in range(others)), "n"]
    lines = [line(id, text(n), **{"@timestamp": TIME}) for n, id in enumerate(ids)]
    before_write(1, stream.roll)
    assert {*statuses(index.ingest(lines, settings=SINGLY))} == {"written"}
    client.indices.refresh(index=stream.name)
    (hit,) = client.search(index=stream.name, query={"ids": {"values": ["n"]}})["hits"]["hits"]
    assert (hit["_index"], hit["_source"]["text"]) == (stream.indices[0], text(len(ids) - 1))


@contextmanager
def recorded(proxy: Any) -> Iterator[list[tuple[str, bytes]]]:
    """Yield the requests behind a proxy, by the last part of their path, with their bodies."""
    sent: list[tuple[str, bytes]] = []
    proxy.hook = lambda path, body: sent.append((path.partition("?")[0].split("/")[-1], body))
    yield sent


@pytest.mark.parametrize("kind", ["index", "alias"])
def test_a_batch_takes_three_requests_and_names_versions_in_an_alias_alone(
    client: Any, index_name: str, filled: RolledAlias, proxy: Any, kind: str
) -> None:
    name = filled.name
    if kind == "index":
        name = index_name
        install(client, name, semantics=None)
        assert statuses(Index(client, name).ingest([line("n1", text(1))])) == ["written"]
    with connect(proxy.url) as behind, recorded(proxy) as sent:
        assert statuses(Index(behind, name).ingest([line("n1", text(5))])) == ["written"]
        first = [path for path, _ in sent]
        sent.clear()
        lines = [line("n1", text(6)), line("n1", text(7))]
        outcomes = list(Index(behind, name).ingest(lines))
        assert statuses(outcomes) == ["conflicting", "written"]
    # The search is for what lost its vectors, among documents that the index has.
    assert first[-3:] == ["_mget", "_msearch", "_bulk"]
    assert [path for path, _ in sent] == first
    body = sent[-1][1]
    assert (b"if_seq_no" in body) == (kind == "alias")
    assert b"_index" not in body


def test_what_is_decided_about_a_text_between_lookup_and_write_stays(
    client: Any, filled: RolledAlias, before_write: Callable[[int, Event], None]
) -> None:
    index = Index(client, filled.name)
    decided = {"family": "00000000000000aa", "duplicate_of": "n0", "duplicate_score": 0.9}

    def decide() -> None:
        for id in ("n1", "n2"):
            client.update(index=filled.name, id=id, doc={"simhash": decided})

    before_write(0, decide)
    lines = [line("n1", text(1), note="\u2028 1.50"), line("n2", text(7))]
    assert statuses(index.ingest(lines)) == ["written", "written"]
    same, other = (client.get(index=filled.name, id=id)["_source"] for id in ("n1", "n2"))
    assert {name: same["simhash"].get(name) for name in decided} == decided
    assert same["note"] == "\u2028 1.50"
    # Of another text it says nothing.
    assert not decided.keys() & other["simhash"].keys()


def test_a_decision_that_is_made_anew_is_not_taken_from_the_index(
    client: Any, filled: RolledAlias, before_write: Callable[[int, Event], None]
) -> None:
    index = Index(client, filled.name)
    decided = {"family": "00000000000000aa", "duplicate_of": "n0"}
    before_write(0, lambda: client.update(index=filled.name, id="n1", doc={"simhash": decided}))
    outcomes = index.ingest([line("n1", text(1), note="more")], on_version="flag")
    assert statuses(outcomes) == ["written"]
    simhash = client.get(index=filled.name, id="n1")["_source"]["simhash"]
    assert (simhash["family"], simhash.get("duplicate_of")) == ("00000000000000aa", None)
