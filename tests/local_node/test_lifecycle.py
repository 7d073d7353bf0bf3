"""A real node from start to stop; the tests stand in the order in which they run."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from es_simhash.errors import NodeError
from es_simhash.local_node import finder, lifecycle
from es_simhash.local_node.distribution import cached_zip
from es_simhash.local_node.settings import AVAILABLE_VERSIONS, OPTIONS_VARIABLE, node_paths

pytestmark = pytest.mark.cluster

JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-Des_simhash.tests=two words")


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home folder of its own, in which nothing runs afterwards."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        patch.setenv("ES_SIMHASH_HOME", str(folder))
        patch.setenv(OPTIONS_VARIABLE, shlex.join(JAVA_OPTIONS))
        patch.delenv("ELASTICSEARCH_URL", raising=False)
        yield folder
        for left in lifecycle.running_nodes():
            lifecycle.stop(left.name)


@pytest.fixture(scope="module")
def started(home: Path, without_cluster: Callable[[str], NoReturn]) -> lifecycle.Node:
    """A node that this module started."""
    try:
        return lifecycle.start(name="first", heap="512m")
    except NodeError as error:
        without_cluster(str(error))


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "es_simhash", "node", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def _put_document(url: str) -> None:
    request = urllib.request.Request(
        f"{url}/kept/_doc/1?refresh=true",
        data=b'{"text": "a document"}',
        headers={"Content-Type": "application/json"},
        method="PUT",
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201


def test_a_started_node_answers_and_runs_unprivileged(started: lifecycle.Node) -> None:
    assert started.started
    assert started.version in AVAILABLE_VERSIONS
    assert lifecycle.stats(started) == lifecycle.NodeStats("green", 0)
    if sys.platform == "linux":
        arguments = Path(f"/proc/{started.pid}/cmdline").read_text("utf-8").split("\0")
        assert set(JAVA_OPTIONS) < set(arguments)
        assert os.stat(f"/proc/{started.pid}").st_uid != 0


def test_a_second_start_finds_the_first(started: lifecycle.Node) -> None:
    again = lifecycle.start(name="first")
    assert (again.url, again.pid, again.started) == (started.url, started.pid, False)
    answer = _command("start", "--name", "first")
    assert answer.returncode == 0
    assert f"is already running at {started.url}" in answer.stdout
    answer = _command("start", "--name", "first", "--format", "json")
    assert json.loads(answer.stdout)["url"] == started.url


def test_status_counts_the_documents(started: lifecycle.Node) -> None:
    _put_document(started.url)
    answer = _command("status", "--format", "json")
    fields = json.loads(answer.stdout)
    assert (fields["running"], fields["pid"], fields["documents"]) == (True, started.pid, 1)
    assert fields["version"] == started.version
    answer = _command("status", "--name", "first")
    assert answer.returncode == 0
    assert started.url in answer.stdout
    assert str(started.data) in answer.stdout


def test_the_engine_is_the_url_that_answers(
    started: lifecycle.Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", started.url)
    found = finder.find_engine()
    assert found == finder.Engine(started.url, "ELASTICSEARCH_URL", started.version)
    assert str(found) == f"Elasticsearch {started.version} (ELASTICSEARCH_URL) at {started.url}"


def test_the_engine_is_the_local_node_when_the_url_is_silent(
    started: lifecycle.Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", "http://me:secret@127.0.0.1:1")
    if finder.choose_source() != "local node":
        pytest.skip("a Docker engine answers")
    found = finder.find_engine(name="first")
    assert found == finder.Engine(started.url, "local node", started.version)
    assert "http://***@127.0.0.1:1, where nothing answers" in caplog.text
    assert "secret" not in caplog.text


def test_a_start_that_fails_gives_the_reason_and_the_log(
    started: lifecycle.Node, home: Path
) -> None:
    with pytest.raises(NodeError, match="enough space") as caught:
        lifecycle.start(name="greedy", version=started.version, heap="900000g")
    assert str(node_paths("greedy").console) in str(caught.value)
    assert lifecycle.status("greedy") is None
    answer = _command("start", "--name", "other", "--port", started.url.rpartition(":")[2])
    assert answer.returncode == 1
    assert answer.stderr.endswith(" is in use. Set --port.\n")


def test_two_versions_run_side_by_side(started: lifecycle.Node) -> None:
    if not (os.environ.get("ES_SIMHASH_TEST_8") == "1" or cached_zip("8.19.21")):
        pytest.skip("Elasticsearch 8.19.21 is not at hand: set ES_SIMHASH_TEST_8=1 to fetch it")
    if started.version == "8.19.21":
        pytest.skip("8.19.21 is what this machine runs anyway")
    second = lifecycle.start(version="8.19.21", heap="512m")
    assert (second.name, second.version) == ("8.19.21", "8.19.21")
    assert second.url != started.url
    assert lifecycle.stats(second) == lifecycle.NodeStats("green", 0)
    assert [each.name for each in lifecycle.running_nodes()] == ["8.19.21", "first"]
    answer = _command("stop")
    assert answer.returncode == 1
    assert "Several nodes are running: 8.19.21, first. Set --name." in answer.stderr
    assert _command("stop", "--name", "8.19.21").returncode == 0
    assert lifecycle.status("8.19.21") is None
    assert lifecycle.status("first") is not None


def test_a_start_after_a_kill_finds_its_documents(started: lifecycle.Node) -> None:
    os.kill(started.pid, signal.SIGKILL)
    while lifecycle.status("first") is not None:  # the kernel needs a moment
        time.sleep(0.05)
    again = lifecycle.start(name="first", heap="512m")
    assert again.started
    assert again.pid != started.pid
    assert lifecycle.stats(again).documents == 1


def test_stop_ends_the_node_and_says_so_when_nothing_runs(started: lifecycle.Node) -> None:
    answer = _command("stop")
    assert answer.returncode == 0
    assert answer.stdout == f"Stopped Elasticsearch {started.version} (node first).\n"
    assert lifecycle.status("first") is None
    answer = _command("stop")
    assert answer.returncode == 0
    assert answer.stdout == "No node is running. Nothing to stop.\n"
    answer = _command("status", "--format", "json")
    assert answer.returncode == 3
    assert json.loads(answer.stdout) == {"running": False}
