"""A short form of `make test-faults`, and what its proxy does to a request."""

import http.client
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.__main__ import inject
from tests.faults.faulty_proxy import (
    IN_BULKS,
    PASSING,
    FaultyProxy,
    Plan,
    bulk_actions,
    faulty_proxy,
)
from tests.faults.missing_shards import IN_SEARCHES, PARTIAL, SHARD_MISSING, is_search
from tests.faults.reports import Left, Reported, differences
from tests.faults.trials import LOST, WRONG, groups_of
from tests.faults.writers import History, Written, check, write_at_once

pytestmark = pytest.mark.cluster

# One of each room; `make test-faults` has all.
SHORT = ("ingest, replace", "sweep, skip")


def test_commands_that_meet_faults_leave_what_they_leave_without(cluster_url: str) -> None:
    tally = inject(cluster_url, seed=1, faults=10, kinds=SHORT)
    assert tally.injected.total() >= 10
    assert tally.problems == []


@pytest.mark.long
def test_several_writers_and_sweeps_at_once_lose_nothing_and_have_one_winner(
    cluster_url: str,
) -> None:
    tally = write_at_once(cluster_url, seed=1, count=2)
    assert tally.problems == []
    assert tally.documents > 2 * 2 * 14
    assert tally.runs > 2 + 4


def history(
    removed: dict[str, list[str]], present: dict[str, str | None], texts: str = "aab"
) -> History:
    """Return one of documents 0, 1, 2, each with the text of its letter."""
    written = {str(n): Written(text, {"title": f"{n}"}) for n, text in enumerate(texts)}
    fields = {id: written[id].document for id in present}
    return History(written, removed, present, fields)


@pytest.mark.parametrize(
    ("removed", "present", "findings"),
    [
        ({"1": ["0"]}, {"0": None, "2": None}, []),
        ({}, {"0": None, "1": "0", "2": None}, []),
        # Replaced, and what replaced it is a copy itself.
        ({"0": ["1"]}, {"1": None, "2": None}, []),
        # Decided twice, the first time for what went itself.
        ({"1": ["1", "0"]}, {"0": None, "2": None}, []),
        ({}, {"0": None, "1": None, "2": None}, [WRONG]),
        ({}, {"0": None, "2": None}, [LOST, WRONG]),
        # Each went for the other.
        ({"0": ["1"], "1": ["0"]}, {"2": None}, [WRONG] * 3),
        ({"0": ["1"], "1": ["2"]}, {"2": None}, [WRONG] * 3),
        ({}, {"0": None, "1": "2", "2": None}, [WRONG]),
        ({}, {"0": None, "1": "gone", "2": None}, [WRONG]),
    ],
)
def test_the_checker_finds_what_must_not_be(
    removed: dict[str, list[str]], present: dict[str, str | None], findings: list[str]
) -> None:
    assert [finding for finding, _ in check(history(removed, present))] == findings


def test_the_checker_finds_fields_that_changed() -> None:
    changed = history({}, {"0": None, "1": "0", "2": None})
    changed.fields = {**changed.fields, "1": {"title": "another"}}
    assert [finding for finding, _ in check(changed)] == [LOST]


@pytest.fixture
def faulty(cluster_url: str) -> Iterator[FaultyProxy]:
    with faulty_proxy(cluster_url) as server:
        yield server


def ask(
    proxy: FaultyProxy, fault: str, path: str = "/", body: bytes = b"", *, method: str | None = None
) -> tuple[int, bytes]:
    """Send a request that meets a fault, and return status and body."""
    proxy.begin(Plan(random.Random(0), at={0: fault}))
    connection = http.client.HTTPConnection("127.0.0.1", proxy.server_port, timeout=10)
    try:
        headers = {"content-type": "application/x-ndjson"} if body else {}
        connection.request(method or ("POST" if body else "GET"), path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("status", [429, 502, 503])
def test_a_status_is_answered_in_place_of_the_engine(faulty: FaultyProxy, status: int) -> None:
    assert ask(faulty, f"status {status}")[0] == status
    assert faulty.injected[f"status {status}"] == 1


def test_an_answer_is_torn_and_a_connection_is_cut(faulty: FaultyProxy) -> None:
    with pytest.raises(http.client.IncompleteRead):
        ask(faulty, "torn answer")
    for fault in ("cut before", "cut after"):
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            ask(faulty, fault)
    assert json.loads(ask(faulty, "delay", "/_cluster/health")[1])["status"]


def test_half_of_a_bulk_is_done_and_the_rest_is_rejected(
    faulty: FaultyProxy, client: Any, index_name: str
) -> None:
    lines = [json.dumps(each) for n in range(4) for each in ({"index": {"_id": n}}, {"n": n})]
    body = "".join(f"{line}\n" for line in lines).encode()
    assert len(bulk_actions(body)) == 4
    status, content = ask(faulty, "items rejected", f"/{index_name}/_bulk", body)
    items = [each["index"]["status"] for each in json.loads(content)["items"]]
    assert (status, items) == (200, [201, 201, 429, 429])
    client.indices.refresh(index=index_name)
    assert client.count(index=index_name)["count"] == 2


@pytest.fixture
def filled(client: Any, index_name: str) -> str:
    """An index of four documents, two of which are of each kind."""
    operations: list[dict[str, Any]] = []
    for kind in "abab":
        operations += [{"index": {}}, {"kind": kind}]
    client.bulk(index=index_name, operations=operations, refresh=True)
    return index_name


@pytest.mark.parametrize("fault", IN_SEARCHES)
def test_a_search_lacks_what_a_shard_has_and_says_so(
    faulty: FaultyProxy, filled: str, fault: str
) -> None:
    status, content = ask(faulty, fault, f"/{filled}/_search")
    answer = json.loads(content)
    assert (status, answer["_shards"]["failed"], len(answer["_shards"]["failures"])) == (200, 1, 1)
    assert (len(answer["hits"]["hits"]), answer["hits"]["total"]["value"]) == (2, 2)
    status, content = ask(faulty, fault, f"/{filled}/_count")
    counted = json.loads(content)
    assert (status, counted["count"], counted["_shards"]["failed"]) == (200, 2, 1)
    assert faulty.injected[fault] == 2


@pytest.mark.long
def test_a_search_that_wants_all_shards_is_rejected_as_the_engine_does(
    faulty: FaultyProxy, filled: str
) -> None:
    path = f"/{filled}/_search?allow_partial_search_results=false"
    status, content = ask(faulty, SHARD_MISSING, path)
    assert (status, b"missing shards" in content) == (503, True)
    status, content = ask(faulty, PARTIAL, path)
    assert (status, json.loads(content)["_shards"]["failed"]) == (200, 1)
    status, content = ask(faulty, PARTIAL, f"/{filled}/_pit?keep_alive=1m", method="POST")
    assert (status, b"missing shards" in content) == (503, True)


@pytest.mark.long
def test_of_several_searches_every_other_one_lacks_a_shard(
    faulty: FaultyProxy, filled: str
) -> None:
    kinds = {"terms": {"field": "kind.keyword"}}
    body: dict[str, Any] = {"size": 10, "aggs": {"kinds": kinds}}
    lines: list[dict[str, Any]] = [{"allow_partial_search_results": False}, body] * 2 + [{}, body]
    sent = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    status, content = ask(faulty, SHARD_MISSING, f"/{filled}/_msearch", sent)
    rejected, whole, partial = json.loads(content)["responses"]
    assert (status, rejected["status"], "error" in rejected) == (200, 503, True)
    assert (len(whole["hits"]["hits"]), whole["_shards"]["failed"]) == (4, 0)
    assert (len(partial["hits"]["hits"]), partial["_shards"]["failed"]) == (2, 1)
    assert len(partial["aggregations"]["kinds"]["buckets"]) == 1


def test_only_what_searches_can_lack_a_shard() -> None:
    for path in ("/a/_search?x=1", "/_search", "/a/_msearch", "/a/_count", "/a/_pit?keep_alive=1m"):
        assert is_search("POST", path)
    assert not is_search("DELETE", "/_pit")
    for path in ("/a/_bulk", "/a/_mapping", "/_mget", "/a/_refresh"):
        assert not is_search("POST", path)


def test_faults_are_chosen_by_the_seed(faulty: FaultyProxy) -> None:
    def chosen(seed: int) -> list[str | None]:
        faulty.begin(Plan(random.Random(seed), share=0.5, most=100))
        return [faulty.next_fault((*PASSING, *IN_BULKS)) for _ in range(200)]

    assert chosen(1) == chosen(1) != chosen(2)
    assert set(chosen(1)) - {None} == {*PASSING, *IN_BULKS}


def test_documents_that_decisions_connect_are_one_group() -> None:
    assert groups_of({"b": "a", "c": "b", "e": "d"}) == {frozenset("abc"), frozenset("de")}


def left(ids: str, **changed: Any) -> Left:
    """Return an index of documents with fingerprints, each of one letter, but for what changed."""
    values: dict[str, Any] = {"originals": {}, "family_of": {}, "groups": frozenset()}
    values |= {"fingerprinted": frozenset(ids), **changed}
    return Left(sources={id: {} for id in ids}, **values)


SUMMARY = "{} written, 0 unchanged, {} without text, 0 deleted during the run, 0 failed in 1.0 s"


@pytest.mark.parametrize(
    ("written", "without_text", "found"), [(2, 0, 0), (1, 0, 1), (3, 0, 1), (2, 1, 1)]
)
def test_what_a_backfill_reports_is_compared_with_the_fingerprints(
    written: int, without_text: int, found: int
) -> None:
    after = left("abc", printed=SUMMARY.format(written, without_text))
    run = Reported(left("abc", fingerprinted=frozenset("a")), after)
    assert len(list(differences("backfill", run))) == found


def test_a_backfill_without_a_summary_is_found() -> None:
    assert list(differences("backfill", Reported(left("a"), left("a"))))


@pytest.mark.parametrize(
    ("members", "written", "before", "found"),
    [
        ("ab", 2, "", 0),
        ("abc", 2, "", 1),
        ("a", 2, "", 1),
        ("ab", 1, "", 1),
        ("ab", 3, "", 1),
        # The run resumes one that was killed after it had written the first.
        ("ab", 1, "a", 0),
        ("ab", 2, "a", 0),
        ("ab", 3, "a", 1),
        ("ab", 0, "a", 1),
    ],
)
def test_families_that_are_reported_are_compared_with_those_that_are_stored(
    members: str, written: int, before: str, found: int
) -> None:
    report = {"families": [{"family": "f", "members": [*members]}], "written": written}
    after = left("abc", family_of={"a": "f", "b": "f"}, printed=json.dumps(report))
    resumed = left("abc", family_of=dict.fromkeys(before, "f"))
    run = Reported(resumed, after, first=left("abc"))
    assert len(list(differences("families", run))) == found


COUNTS = {"written": 0, "unchanged": 0, "without_text": 0, "gone": 0, "failed": 0}
SKIPPED = {"run": "r", "id": "c", "other": "a", "action": "skip", "document": {}}
FLAGGED = {"run": "r", "id": "b", "other": "a", "action": "flag"}


@pytest.mark.parametrize(
    ("decisions", "records", "found"),
    [
        ({"flag": 1, "skip": 1}, [FLAGGED, SKIPPED], 0),
        # Written twice by runs of which the first was killed.
        ({"flag": 1, "skip": 1}, [{**FLAGGED, "run": "earlier"}, FLAGGED, SKIPPED], 0),
        ({"flag": 1, "skip": 1}, [FLAGGED], 1),
        ({"flag": 1}, [FLAGGED], 1),
        ({"flag": 2}, [FLAGGED, SKIPPED], 2),
    ],
)
def test_decisions_that_a_sweep_reports_are_compared_with_the_index_and_the_audit_log(
    decisions: dict[str, int], records: list[dict[str, Any]], found: int
) -> None:
    report: dict[str, Any] = {
        "enriched": COUNTS,
        "families": None,
        "decisions": decisions,
        "conflicted": [],
    }
    after = left("ab", originals={"b": "a"}, printed=json.dumps({**report, "run": "r"}))
    run = Reported(left("abc"), after, records)
    assert len(list(differences("sweep", run))) == found


@pytest.mark.parametrize(
    ("restored", "present", "unmarked", "found"),
    [(1, 0, 1, 0), (0, 1, 1, 1), (1, 1, 1, 1), (1, 0, 2, 1), (0, 0, 0, 2)],
)
def test_what_undo_reports_is_compared_with_the_index(
    restored: int, present: int, unmarked: int, found: int
) -> None:
    report = {"restored": restored, "present": present, "unmarked": unmarked, "failed": []}
    after = left("abc", printed=json.dumps(report))
    run = Reported(left("ab", originals={"b": "a"}), after, [FLAGGED, SKIPPED])
    assert len(list(differences("undo", run))) == found
