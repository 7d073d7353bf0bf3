"""Requests wait while a node is busier than a run may add to."""

import json
import logging
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, OnVersion
from es_simhash.cli.main import cli
from es_simhash.errors import ClusterError, InputError
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.store.elasticsearch import load_bound
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.load_bound import PARAMS, PATH, LoadBound, load_of
from es_simhash.store.elasticsearch.retry import RetryPolicy, Stopped
from es_simhash.store.elasticsearch.searches import search
from es_simhash.store.installation.install import install
from tests.support import engine_tests
from tests.support.made_up_texts import make_text

EVERY: dict[str, Any] = {"query": {"match_all": {}}}
IDLE: dict[str, Any] = {
    "name": "one",
    "os": {"cpu": {"percent": 7}},
    "thread_pool": {
        "search": {"threads": 4, "active": 4, "queue": 0},
        "write": {"threads": 2, "active": 1, "queue": 3},
    },
    "breakers": {
        "parent": {"limit_size_in_bytes": 1000, "estimated_size_in_bytes": 900},
        "unbounded": {"limit_size_in_bytes": -1, "estimated_size_in_bytes": 5},
    },
}
WAITING = {"thread_pool": {"search": {"threads": 4, "active": 4, "queue": 2}}}
FULL = {"breakers": {"parent": {"limit_size_in_bytes": 1000, "estimated_size_in_bytes": 901}}}


def busy(percent: float) -> dict[str, Any]:
    return {"os": {"cpu": {"percent": percent}}}


def stats_of(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": {str(number): {**IDLE, **node} for number, node in enumerate(nodes)}}


@pytest.mark.parametrize(
    ("nodes", "percent", "reason"),
    [
        ([{}], 7, "7 % in use"),
        ([busy(80), busy(90), busy(20)], 90, "90 % in use"),
        ([busy(-1)], 0, "0 % in use"),
        ([busy(20), WAITING], 100, "2 requests wait for a search thread"),
        ([FULL], 100, "circuit breaker parent is at 90 % of its limit"),
        ([], 0, ""),
    ],
)
def test_the_load_is_that_of_the_busiest_node(
    nodes: list[dict[str, Any]], percent: float, reason: str
) -> None:
    load = load_of(stats_of(*nodes))
    assert load.percent == percent
    assert reason in load.reason


@pytest.mark.parametrize("percent", [0, 100, -5, float("nan")])
def test_a_bound_is_a_share_that_a_node_can_reach(percent: float) -> None:
    with pytest.raises(InputError, match="max_load must be more than 0 and less than 100"):
        LoadBound(percent)


@pytest.mark.cluster
def test_a_node_says_how_busy_it_is(client: Any) -> None:
    stats = Gateway(client).request("GET", PATH, params=PARAMS)
    (node,) = stats["nodes"].values()
    assert set(node["thread_pool"]) == {"search", "write"}
    assert set(node["thread_pool"]["search"]) == {"threads", "active", "queue"}
    assert node["breakers"]["parent"]["estimated_size_in_bytes"] > 0
    assert 0 <= load_of(stats).percent <= 100


class Node:
    """A node whose load the test chooses, one reading after the other; it notes the requests."""

    def __init__(self, proxy: Any, *loads: dict[str, Any]) -> None:
        self.loads = list(loads)
        self.seen: list[str] = []
        proxy.hook = self.answer

    def answer(self, path: str, body: bytes) -> tuple[int, bytes] | None:
        if path == "/":
            # With OpenSearch, the client asks once which engine answers.
            return None
        if not path.startswith(PATH):
            self.seen.append(path.partition("?")[0].rpartition("/")[2])
            return None
        self.seen.append("load")
        load = self.loads.pop(0) if len(self.loads) > 1 else self.loads[0]
        return 200, json.dumps(stats_of(load)).encode()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are a hundredth of what they are."""
    monkeypatch.setattr(load_bound, "_FIRST_WAIT", 0.005)
    monkeypatch.setattr(load_bound, "_LONGEST_WAIT", 0.08)
    monkeypatch.setattr(load_bound, "_PATIENCE", 0.3)


@pytest.fixture
def texts(client: Any, index_name: str) -> dict[str, str]:
    """An index of documents without fingerprints."""
    made = {str(number): make_text(number, 60) for number in range(30)}
    install(client, index_name, semantics=None)
    for id, text in made.items():
        client.index(index=index_name, id=id, document={"text": text})
    client.indices.refresh(index=index_name)
    return made


@pytest.mark.cluster
@pytest.mark.usefixtures("quick", "texts")
def test_a_search_waits_until_the_node_is_less_busy(proxy: Any, index_name: str) -> None:
    node = Node(proxy, busy(81), WAITING, busy(80))
    with connect(proxy.url) as client:
        gateway = Gateway(client).bounded(80)
        for _ in range(2):
            gateway.run(search(index_name, EVERY))
        # What costs nothing is never held back.
        gateway.refresh(index_name)
        gateway.exists(index_name)
    # Three readings before the first search; the last counts for the second as well.
    assert node.seen == ["load"] * 3 + ["_search"] * 2 + ["_refresh", index_name]


@pytest.mark.cluster
@pytest.mark.usefixtures("quick")
def test_a_run_on_a_node_that_is_always_busy_goes_on(
    proxy: Any, client: Any, index_name: str, texts: dict[str, str], caplog: Any
) -> None:
    node = Node(proxy, busy(99))
    with connect(proxy.url) as through, caplog.at_level(logging.INFO, load_bound.__name__):
        outcomes = list(backfill(Gateway(through).bounded(50), index_name))
    assert {outcome.id for outcome in outcomes if outcome.ok} == {*texts}
    requests = [each for each in node.seen if each in ("_search", "_bulk", "_mget", "_msearch")]
    assert node.seen.count("load") > 2 * len(requests) > 0
    # The first wait is a warning, so that a user sees it; the others are only logged.
    levels = [record.levelno for record in caplog.records]
    assert levels[0] == logging.WARNING
    assert {*levels[1:]} == {logging.INFO}
    assert caplog.messages[0] == (
        "Node one is busy (its processors are 99 % in use), above the bound of 50 %: wait 0.0 s."
    )
    client.indices.refresh(index=index_name)
    found = client.count(index=index_name, query={"exists": {"field": "simhash.scheme"}})
    assert found["count"] == len(texts)


@pytest.mark.cluster
@pytest.mark.skipif(
    engine_tests.tested_product() == "opensearch",
    reason="the transport may send OpenSearch several requests for one",
)
@pytest.mark.usefixtures("quick", "texts")
def test_all_that_a_command_sends_is_held_back(proxy: Any, client: Any, index_name: str) -> None:
    list(backfill(client, index_name))
    client.indices.refresh(index=index_name)
    node = Node(proxy, busy(99))
    with connect(proxy.url) as through:
        Index(through, index_name, max_load=50).families()
    costly = [at for at, each in enumerate(node.seen) if each in ("_search", "_bulk", "_msearch")]
    # Also what a part of the run sends with a policy of its own.
    assert "_bulk" in node.seen
    assert all(node.seen[at - 1] == "load" for at in costly)


@pytest.mark.cluster
@pytest.mark.usefixtures("quick", "texts")
@pytest.mark.parametrize("action", ["off", "skip"])
def test_a_batch_that_is_at_work_is_not_held_back(
    proxy: Any, index_name: str, action: str, tmp_path: Path
) -> None:
    # Another writer would take over the texts that it has reserved.
    node = Node(proxy, busy(99))
    rules = OnVersion("skip", audit=tmp_path / "audit.jsonl") if action == "skip" else None
    documents = [{"id": f"new{number}", "text": make_text(number, 60)} for number in range(40)]
    with connect(proxy.url) as client:
        index = Index(client, index_name, max_load=50)
        assert all(each.ok for each in index.ingest(documents, on_version=rules))
    last = len(node.seen) - 1 - node.seen[::-1].index("load")
    assert node.seen.index("load") < last
    # Reservations are written by a bulk request, too.
    assert "_bulk" not in node.seen[:last]
    assert "_bulk" in node.seen[last:]


@pytest.mark.cluster
@pytest.mark.usefixtures("texts")
def test_ctrl_c_ends_a_batch_that_is_held_back(proxy: Any, index_name: str) -> None:
    Node(proxy, busy(99))
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(1.0, signal.pthread_kill, (main, signal.SIGINT))
    began = time.monotonic()
    with connect(proxy.url) as client:
        outcomes = Index(client, index_name, max_load=50).ingest([{"id": "n", "text": "a b c"}])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            next(iter(outcomes))
    timer.join()
    assert time.monotonic() - began < 10


@pytest.mark.cluster
@pytest.mark.usefixtures("texts")
def test_a_run_that_ends_waits_no_longer(proxy: Any, index_name: str) -> None:
    Node(proxy, busy(99))
    with connect(proxy.url) as client:
        gateway = Gateway(client, RetryPolicy()).bounded(50)
        timer = threading.Timer(0.3, gateway.stop)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopped):
            gateway.run(search(index_name, EVERY))
        timer.join()
    assert time.monotonic() - began < 20


@pytest.mark.cluster
@pytest.mark.parametrize("answer", [[], {"nodes": [1]}, {"nodes": {"a": {"thread_pool": 1}}}])
def test_what_is_no_answer_of_a_node_is_one_sentence(
    proxy: Any, index_name: str, answer: Any
) -> None:
    lie = json.dumps(answer).encode()
    proxy.hook = lambda path, body: (200, lie) if path.startswith(PATH) else None
    with connect(proxy.url) as client, pytest.raises(ClusterError, match="cannot be read"):
        Gateway(client).bounded(50).run(search(index_name, EVERY))


@pytest.mark.cluster
def test_who_may_not_know_the_load_is_told_the_privilege(proxy: Any, index_name: str) -> None:
    refused = {
        "error": {
            "type": "security_exception",
            "reason": "action [cluster:monitor/nodes/stats] is unauthorized for user [u], this "
            "action is granted by the cluster privileges [monitor,manage,all]",
        },
        "status": 403,
    }
    proxy.hook = lambda path, body: (
        (403, json.dumps(refused).encode()) if path.startswith(PATH) else None
    )
    with connect(proxy.url) as client, pytest.raises(ClusterError, match="privilege monitor"):
        Gateway(client).bounded(50).run(search(index_name, EVERY))


@pytest.mark.cluster
@pytest.mark.usefixtures("quick", "texts")
def test_commands_wait_as_well(
    proxy: Any, index_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("new.jsonl").write_text(json.dumps({"id": "new", "text": make_text(99)}), "utf-8")
    bound = ("--url", proxy.url, "--max-load", "60", "--quiet")
    for command in (
        ("backfill", index_name, "--processes", "1"),
        ("ingest", index_name, "new.jsonl", "--processes", "1"),
        ("families", "run", index_name),
        ("sweep", index_name),
        ("upgrade", index_name),
        ("copies", index_name),
        ("pairs", index_name),
    ):
        caplog.clear()
        node = Node(proxy, busy(70), busy(60))
        done = CliRunner().invoke(cli, [*command, *bound])
        assert done.exit_code == 0, done.output
        # An index that is up to date is only counted.
        if command[0] != "upgrade":
            assert node.seen.count("load") >= 2
            assert "its processors are 70 % in use" in caplog.messages[0]
        wrong = CliRunner().invoke(cli, [*command, *bound[:3], "100"])
        assert wrong.exit_code == 2
        assert "--max-load" in wrong.stderr
