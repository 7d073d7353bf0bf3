"""`ingest` and `ingest_sources` on an engine."""

import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import (
    ClusterError,
    EsSimhashError,
    IndexMissing,
    MappingConflict,
    SchemeMismatch,
)
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.ingest import ingest, ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.encoding import encode
from es_simhash.store.installation.install import install
from tests.support.journals import saved_lines

pytestmark = pytest.mark.cluster

IN_NO_SOURCE = ("fingerprint", "vector", "vector_fingerprint", "concepts")
ONE = IngestSettings(
    processes=1, retry=RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.1)
)
SMALL = IngestSettings(processes=1, limits=BatchLimits(documents=10), retry=ONE.retry)


def documents(count: int, text: str = "Text number {}.") -> list[dict[str, Any]]:
    return [{"id": str(number), "text": text.format(number)} for number in range(count)]


def statuses(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)


def drain(outcomes: Iterable[Outcome], into: list[Outcome]) -> None:
    """Keep what came before an error too, which `list` would lose."""
    for outcome in outcomes:
        into.append(outcome)


def sources_of(client: Any, index: str) -> dict[str, Any]:
    """All documents, without vectors: Elasticsearch 9 keeps them out of `_source`."""
    client.indices.refresh(index=index)
    answer = client.search(index=index, size=1000, query={"match_all": {}})
    found = {each["_id"]: each["_source"] for each in answer["hits"]["hits"]}
    for source in found.values():
        for name in IN_NO_SOURCE:
            source.get("simhash", {}).pop(name, None)
    return found


def simhash_of(text: str) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(
        encode([text], IndexConfig(semantics=DEFAULT_SEMANTICS)).objects[0]
    )
    return {name: value for name, value in written.items() if name not in IN_NO_SOURCE}


def test_the_mapping_is_read_once(client: Any, index_name: str, requests_of: list[str]) -> None:
    install(client, index_name)
    requests_of.clear()
    list(ingest(client, index_name, documents(2), settings=ONE))
    assert requests_of.count(f"GET /{index_name}/_mapping") == 1


def test_documents_are_written_with_their_fingerprints(client: Any, index: str) -> None:
    outcomes = list(ingest(client, index, documents(25), settings=SMALL))
    assert outcomes == [Outcome(str(number), "written") for number in range(25)]
    found = sources_of(client, index)
    assert len(found) == 25
    simhash = found["7"].pop("simhash")
    assert simhash == simhash_of("Text number 7.")
    assert found["7"] == {"id": "7", "text": "Text number 7."}


@pytest.mark.long
def test_processes_write_what_one_process_writes(client: Any, index: str) -> None:
    settings = IngestSettings(processes=2, limits=BatchLimits(documents=5))
    outcomes = list(ingest(client, index, documents(40), settings=settings))
    assert [each.id for each in outcomes] == [str(number) for number in range(40)]
    assert sources_of(client, index)["39"]["simhash"] == simhash_of("Text number 39.")


@pytest.mark.long
def test_a_second_run_writes_only_what_changed(client: Any, index: str) -> None:
    first = documents(30)
    list(ingest(client, index, first, settings=SMALL))
    assert statuses(ingest(client, index, first, settings=SMALL)) == {"unchanged": 30}
    first[3]["title"] = "New."
    first[4]["text"] = "Changed."
    changed = [
        each.id for each in ingest(client, index, first, settings=SMALL) if each.status == "written"
    ]
    assert changed == ["3", "4"]
    rewrite = IngestSettings(processes=1, rewrite=True)
    assert statuses(ingest(client, index, first, settings=rewrite)) == {"written": 30}


def test_every_kind_of_value_is_known_again(client: Any, index: str) -> None:
    client.indices.put_mapping(index=index, dynamic=False)
    values = [1, 1.5, 1.0, -0.0, 1e300, 2**70, True, None, "é\u0000", [], {}, [{}], {"a": [1]}, ""]
    given = [{"id": str(n), "text": "T.", "v": value} for n, value in enumerate(values)]
    given.append(
        {"id": "long", "text": ["One.", "Two."], "a.b": 1, "c": {"d": -122.41941550000001}}
    )
    assert statuses(ingest(client, index, given, settings=ONE)) == {"written": len(given)}
    assert statuses(ingest(client, index, given, settings=ONE)) == {"unchanged": len(given)}


@pytest.mark.long
def test_of_one_id_the_last_document_stays(client: Any, index: str) -> None:
    versions = [{"id": "a", "text": f"Version {number}."} for number in range(60)]
    settings = IngestSettings(processes=2, limits=BatchLimits(documents=2))
    list(ingest(client, index, versions, settings=settings))
    assert sources_of(client, index)["a"]["text"] == "Version 59."


def test_a_return_to_what_the_index_had_is_written(client: Any, index: str) -> None:
    old, new = {"id": "a", "text": "Old."}, {"id": "a", "text": "New."}
    list(ingest(client, index, [old], settings=ONE))
    others = documents(6)
    settings = IngestSettings(processes=1, limits=BatchLimits(documents=1), ahead=8)
    outcomes = list(ingest(client, index, [new, *others, old, *others], settings=settings))
    assert [each.status for each in outcomes if each.id == "a"] == ["written", "written"]
    assert sources_of(client, index)["a"]["text"] == "Old."


@pytest.mark.long
def test_a_document_that_lost_its_vectors_is_written_again(client: Any, index: str) -> None:
    lines = [*documents(3), {"id": "empty", "text": ""}]
    list(ingest(client, index, lines, settings=ONE))
    source = client.get(index=index, id="1")["_source"]
    # As a program reads it from Elasticsearch 9.2 on, and writes it back.
    for vector in (*IN_NO_SOURCE, "index_vector"):
        source["simhash"].pop(vector, None)
    client.index(index=index, id="1", document=source)
    client.indices.refresh(index=index)
    again = {each.id: each.status for each in ingest(client, index, lines, settings=ONE)}
    assert again == {"0": "unchanged", "1": "written", "2": "unchanged", "empty": "unchanged"}
    client.indices.refresh(index=index)
    assert statuses(ingest(client, index, lines, settings=ONE)) == {"unchanged": 4}


def test_no_more_documents_are_taken_than_batches_allow(client: Any, index: str) -> None:
    taken = 0

    def lazily() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for document in documents(400):
            taken += 1
            yield document

    settings = IngestSettings(processes=1, limits=BatchLimits(documents=10), ahead=3)
    most = 0
    for given, _ in enumerate(ingest(client, index, lazily(), settings=settings), 1):
        most = max(most, taken - given)
    assert taken == 400
    # Two batches are looked at to see whether processes are worth it; one is being gathered.
    assert most <= (3 + 2 + 1) * 10


def test_a_consumer_may_stop_early(client: Any, index: str) -> None:
    outcomes = ingest(client, index, documents(200), settings=SMALL)
    assert next(outcomes).ok
    outcomes.close()  # type: ignore[attr-defined]


def die(batch: Any, config: Any, found: Any) -> Any:
    os._exit(9)


@pytest.mark.long
def test_a_process_that_is_killed_is_one_sentence(client: Any, index: str) -> None:
    settings = IngestSettings(processes=2, limits=BatchLimits(documents=5), prepare=die)
    with pytest.raises(EsSimhashError, match="fewer processes") as raised:
        list(ingest(client, index, documents(40), settings=settings))
    assert raised.value.parameter == "processes"


BAD = [
    b'{"id":"ok-1","text":"Fine."}',
    b'{"id":"broken","text":',
    b'{"id":"latin","text":"caf\xe9"}',
    b'{"id":"none"}',
    b'{"id":"number","text":5}',
    b'{"id":"surrogate","text":"half \\ud800 of it"}',
    b'{"id":"nan","text":"t","v":NaN}',
    b'{"id":"huge","text":"t","big":' + b"9" * 5000 + b"}",
    b'{"id":"mapped","text":"t","date":"no date"}',
    b'{"id":"twice","text":"t","text":"u"}',
    b'{"id":"' + b"x" * 513 + b'","text":"t"}',
    b'{"_id":"\\u001b[2Jid","text":"Control characters are possible."}',
    b"",
    b'{"id":"ok-2","text":"Fine."}',
]


def test_bad_documents_fail_each_with_a_reason_and_the_rest_goes_on(
    client: Any, index: str, tmp_path: Path
) -> None:
    client.indices.put_mapping(
        index=index, properties={"date": {"type": "date"}, "v": {"type": "double"}}
    )
    path, dead = tmp_path / "bad.jsonl", tmp_path / "dead.jsonl"
    path.write_bytes(b"\n".join(BAD))
    sources = open_sources([path], io.BytesIO())
    settings = replace(ONE, dead_letter=dead, journal=tmp_path / "j")
    outcomes = list(ingest_sources(client, index, sources, settings=settings))
    assert len(outcomes) == len(BAD) - 1
    failed = {each.place: each.reason or "" for each in outcomes if not each.ok}
    written = {each.id for each in outcomes if each.ok}
    assert {"ok-1", "ok-2", "\x1b[2Jid"} <= written
    assert set(sources_of(client, index)) == written
    for number, reason in ((2, "Malformed"), (3, "UTF-8"), (4, "no field"), (5, "int"),
                           (9, "date"), (10, "uplicate"), (11, "513 bytes")):  # fmt: skip
        assert reason in failed[f"{path}:{number}"], failed
    assert all("caf" not in reason and "\n" not in reason for reason in failed.values())
    letters = [json.loads(each, parse_int=float) for each in dead.read_bytes().splitlines()]
    assert sorted(each["line"] for each in letters) == sorted(
        int(place.rpartition(":")[2]) for place in failed
    )
    assert not (tmp_path / "j").exists()


def test_numbers_reach_the_index_as_they_were_written(client: Any, index: str, proxy: Any) -> None:
    sent: list[bytes] = []

    def watch(path: str, body: bytes) -> None:
        if "_bulk" in path:
            sent.append(body)

    proxy.hook = watch
    client.indices.put_mapping(index=index, dynamic=False)
    line = b'{"id":"a","f":1.00,"e":1E+2,"big":123456789012345678901234567890,"text":"\\u00e9"}'
    with connect(proxy.url) as through:
        sources = open_sources(["-"], io.BytesIO(line))
        assert statuses(ingest_sources(through, index, sources, settings=ONE)) == {"written": 1}
    assert sent[0].rstrip(b"\n").endswith(line[1:])


def test_only_rejected_documents_are_sent_again(client: Any, index: str, proxy: Any) -> None:
    bodies: list[bytes] = []

    def busy(path: str, body: bytes) -> tuple[int, bytes] | None:
        if "_bulk" not in path:
            return None
        bodies.append(body)
        if len(bodies) == 1:
            return 429, b'{"error":{"type":"es_rejected_execution_exception"},"status":429}'
        if len(bodies) == 2:
            error = {"type": "es_rejected_execution_exception", "reason": "busy"}
            items = [{"index": {"status": 201}}, {"index": {"status": 429, "error": error}}]
            return 200, json.dumps({"errors": True, "items": items}).encode()
        return None

    proxy.hook = busy
    with connect(proxy.url) as through:
        assert statuses(ingest(through, index, documents(2), settings=ONE)) == {"written": 2}
    assert bodies[0] == bodies[1]
    assert bodies[2] in bodies[1]
    assert bodies[2].count(b"\n") == 2
    assert set(sources_of(client, index)) == {"1"}


def test_a_request_too_large_is_divided(client: Any, index: str, proxy: Any) -> None:
    def small_only(path: str, body: bytes) -> tuple[int, bytes] | None:
        return (
            (413, b"{}") if "_bulk" in path and (body.count(b"\n") > 4 or b"huge" in body) else None
        )

    proxy.hook = small_only
    given = [*documents(9), {"id": "huge", "text": "T."}]
    with connect(proxy.url) as through:
        outcomes = list(ingest(through, index, given, settings=ONE))
    assert [each.id for each in outcomes if not each.ok] == ["huge"]
    assert len(sources_of(client, index)) == 9


def test_a_cluster_that_stays_busy_ends_the_run(index: str, proxy: Any) -> None:
    proxy.hook = lambda path, body: (503, b"{}") if "_bulk" in path else None
    with (
        connect(proxy.url) as through,
        pytest.raises(ClusterError, match="Run it again later to resume"),
    ):
        list(ingest(through, index, documents(30), settings=SMALL))


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "cluster_block_exception", "reason": "index [i] blocked by: [TOO_MANY_REQUESTS/12/"
         "disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"},
        {"type": "security_exception", "reason": "action is unauthorized"},
    ],
)  # fmt: skip
def test_what_refuses_every_document_ends_the_run(
    index: str, proxy: Any, answer: dict[str, str], tmp_path: Path
) -> None:
    status = 429 if "block" in answer["type"] else 403
    item = {"index": {"status": status, "error": answer}}
    content = json.dumps({"errors": True, "items": [item] * 10}).encode()
    proxy.hook = lambda path, body: (200, content) if "_bulk" in path else None
    dead = tmp_path / "dead"
    with connect(proxy.url) as through, pytest.raises(ClusterError, match="rejects documents"):
        list(ingest(through, index, documents(30), settings=replace(SMALL, dead_letter=dead)))
    assert not dead.exists()


def test_a_read_only_index_ends_the_run_and_a_later_one_goes_on(
    client: Any, index: str, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.jsonl", tmp_path / "journal"
    path.write_text("".join(json.dumps(each) + "\n" for each in documents(200)), "utf-8")
    settings = IngestSettings(limits=BatchLimits(documents=10), ahead=2, journal=journal)

    def run() -> Iterator[Outcome]:
        sources = open_sources([path], io.BytesIO())
        return ingest_sources(client, index, sources, settings=settings)

    outcomes = run()
    done = [next(outcomes) for _ in range(10)]
    client.indices.put_settings(index=index, settings={"index.blocks.write": True})
    with pytest.raises(ClusterError, match="remove the block"):
        drain(outcomes, done)
    client.indices.put_settings(index=index, settings={"index.blocks.write": False})
    assert saved_lines(journal) == len(done) < 200
    rest = list(run())
    assert len(rest) == 200 - len(done)
    assert len(sources_of(client, index)) == 200
    assert not journal.exists()


def test_an_index_made_anew_is_filled_in_spite_of_the_journal(
    client: Any, index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each index has a journal of its own, unless one is named.
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in documents(50)), "utf-8")

    def run() -> Iterator[Outcome]:
        sources = open_sources([path], io.BytesIO())
        return ingest_sources(client, index, sources, settings=SMALL)

    outcomes = run()
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    (journal,) = (tmp_path / "home" / "journals").glob("*.sqlite")
    assert saved_lines(journal)
    client.indices.delete(index=index)
    install(client, index)
    assert statuses(run()) == {"written": 50}


def test_an_index_must_exist_and_have_our_fields(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing):
        list(ingest(client, index_name, documents(1)))
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match="install"):
        list(ingest(client, index_name, documents(1)))


def test_another_scheme_than_that_of_the_index_is_refused(client: Any, index_name: str) -> None:
    scheme = Scheme(bits=64, blocks=4)
    install(client, index_name, scheme=scheme)
    settings = IngestSettings(require_scheme=Scheme())
    with pytest.raises(SchemeMismatch):
        list(ingest(client, index_name, documents(1), settings=settings))
    list(ingest(client, index_name, documents(1), settings=ONE))
    assert sources_of(client, index_name)["0"]["simhash"]["scheme"] == scheme.name


def test_other_fields_may_be_named(client: Any, index_name: str) -> None:
    install(client, index_name, simhash_field="own.fp")
    given = [{"key": "k", "body": {"text": "A text."}}]
    for expected in ("written", "unchanged"):
        (outcome,) = ingest(
            client,
            index_name,
            given,
            config=IndexConfig(text_field="body.text", simhash_field="own.fp", id_field="key"),
            settings=ONE,
        )
        assert (outcome.id, outcome.status) == ("k", expected)


def test_an_empty_input_writes_nothing(client: Any, index: str) -> None:
    assert list(ingest(client, index, [])) == []
    assert list(ingest_sources(client, index, open_sources(["-"], io.BytesIO(b"\n \n")))) == []


def test_an_alias_without_a_write_index_ends_the_run_at_once(client: Any, index_name: str) -> None:
    alias, names = f"{index_name}-alias", [index_name, f"{index_name}-2"]
    try:
        for name in names:
            install(client, name)
        client.indices.put_alias(index=names, name=alias)
        with pytest.raises(ClusterError, match=f"Alias '{alias}' has no write index"):
            list(ingest(client, alias, documents(3), settings=ONE))
        client.indices.put_alias(index=names[1], name=alias, is_write_index=True)
        assert statuses(ingest(client, alias, documents(3), settings=ONE)) == {"written": 3}
        assert (len(sources_of(client, names[0])), len(sources_of(client, names[1]))) == (0, 3)
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)
