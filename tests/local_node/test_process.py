import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from es_simhash.errors import NodeError
from es_simhash.local_node import lifecycle, process
from es_simhash.local_node.settings import NodePaths, NodeRecord, node_paths

SLEEP = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)",
]


@pytest.fixture
def paths(open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodePaths:
    """The paths of a node that was started once, with no process."""
    monkeypatch.setenv("ES_SIMHASH_HOME", str(open_tmp_path))
    made = node_paths("old")
    made.run.mkdir(parents=True)
    NodeRecord("9.5.3", 9200, "1g").write(made.record)
    return made


@pytest.fixture
def spawn(paths: NodePaths) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes to end after the test."""
    spawned: list[subprocess.Popen[bytes]] = []
    yield spawned
    for child in spawned:
        child.kill()
        child.communicate()


def _run(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a process and wait for its first line, by when it is what it will be."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "4194305"])
def test_a_stale_pid_file_counts_as_not_running(paths: NodePaths, text: str) -> None:
    paths.pid.write_text(text)
    assert lifecycle.status("old") is None
    assert lifecycle.running_nodes() == []
    assert lifecycle.stop("old") is None


def test_stop_leaves_a_foreign_process_alone(
    paths: NodePaths, spawn: list[subprocess.Popen[bytes]]
) -> None:
    spawn.append(_run(SLEEP))
    # Named in another argument, but not the marker itself: an editor of the log, say.
    spawn.append(_run([*SLEEP, str(paths.root), f"{paths.marker}-2"]))
    for child in spawn:
        paths.pid.write_text(str(child.pid))
        assert lifecycle.status("old") is None
        assert lifecycle.stop("old") is None
        assert child.poll() is None


def test_stop_ends_the_process_that_carries_the_marker(
    paths: NodePaths, spawn: list[subprocess.Popen[bytes]]
) -> None:
    spawn.append(_run([*SLEEP, paths.marker]))
    paths.pid.write_text(str(spawn[0].pid))
    found = lifecycle.status("old")
    assert found is not None
    assert (found.pid, found.url) == (spawn[0].pid, "http://127.0.0.1:9200")
    assert lifecycle.stop("old") == spawn[0].pid
    assert spawn[0].wait() == -15
    assert not paths.pid.exists()


def test_stop_ends_a_deaf_process_by_force(
    paths: NodePaths, spawn: list[subprocess.Popen[bytes]]
) -> None:
    spawn.append(_run([*DEAF, paths.marker]))
    paths.pid.write_text(str(spawn[0].pid))
    assert process.terminate(paths, seconds=0.3) == spawn[0].pid
    assert spawn[0].wait() == -9


def test_a_node_that_runs_with_other_settings_is_refused(
    paths: NodePaths, spawn: list[subprocess.Popen[bytes]]
) -> None:
    spawn.append(_run([*SLEEP, paths.marker]))
    paths.pid.write_text(str(spawn[0].pid))
    with pytest.raises(NodeError, match="already runs, with Elasticsearch"):
        lifecycle.start(name="old", version="8.19.21")
    with pytest.raises(NodeError, match=r"Stop it, or start another node\. Set name"):
        lifecycle.start(name="old", port=9999)
    assert lifecycle.start(name="old", version="9.5.3", port=9200).pid == spawn[0].pid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands over to another user")
def test_a_home_that_is_closed_to_the_unprivileged_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(closed))
    with pytest.raises(NodeError, match="Set ES_SIMHASH_HOME to a directory that every user"):
        lifecycle.start(version="8.19.21")


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", "it printed nothing"),
        ("a\nb.\n\n", "b"),
        ("# There is insufficient memory for it.\njava.lang.RuntimeException: x [1]", "memory"),
        ("j.RuntimeException: [1]\nError occurred during initialization of VM\nNo space", "space"),
        ("x [ERROR] fatal\norg.e.BindException: Failed to bind\n\tat y\nCaused by: z", "to bind"),
        ("ERROR: Elasticsearch did not exit normally - check\nERROR: no such setting", "setting"),
    ],
)
def test_the_reason_of_a_failed_start_is_read_from_the_log(log: str, reason: str) -> None:
    assert reason in process.failure_reason(log)
