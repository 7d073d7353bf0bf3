"""A short form of `make test-faults`, and what its proxy does to a request."""

import http.client
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.__main__ import inject
from tests.faults.faulty_proxy import PASSING, FaultyProxy, Plan, bulk_actions, faulty_proxy
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


def ask(proxy: FaultyProxy, fault: str, path: str = "/", body: bytes = b"") -> tuple[int, bytes]:
    """Send a request that meets a fault, and return status and body."""
    proxy.begin(Plan(random.Random(0), at={0: fault}))
    connection = http.client.HTTPConnection("127.0.0.1", proxy.server_port, timeout=10)
    try:
        headers = {"content-type": "application/x-ndjson"} if body else {}
        connection.request("POST" if body else "GET", path, body, headers)
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


def test_faults_are_chosen_by_the_seed(faulty: FaultyProxy) -> None:
    def chosen(seed: int) -> list[str | None]:
        faulty.begin(Plan(random.Random(seed), share=0.5, most=100))
        return [faulty.next_fault(is_bulk=True) for _ in range(200)]

    assert chosen(1) == chosen(1) != chosen(2)
    assert set(chosen(1)) - {None} == {*PASSING}


def test_documents_that_decisions_connect_are_one_group() -> None:
    assert groups_of({"b": "a", "c": "b", "e": "d"}) == {frozenset("abc"), frozenset("de")}
