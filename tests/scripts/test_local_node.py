"""The node of the demo and the tests: found, recognised, started and stopped."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest

from es_simhash.store.home_folder import home_folder
from scripts.local_node import distribution, engine, java, node, server
from scripts.local_node.java import NodeError
from scripts.local_node.server import Server

SLEEP = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)",
]
RELEASES = {17: 'JAVA_VERSION="17.0.15"', 21: 'JAVA_VERSION="21"', 8: 'JAVA_VERSION="1.8.0_392"'}


@pytest.fixture
def old(open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A node that was started once, with no process."""
    monkeypatch.setenv("ES_SIMHASH_HOME", str(open_tmp_path))
    made = Server(open_tmp_path / "nodes" / "old")
    made.run.mkdir(parents=True)
    (made.root / "node.json").write_text('{"version": "9.5.3", "port": 9200, "heap": "1g"}')
    return made


@pytest.fixture
def spawn(old: Server) -> Iterator[Callable[[list[str]], subprocess.Popen[bytes]]]:
    """Start a process, whose id becomes that of the node; it is ended after the test."""
    spawned: list[subprocess.Popen[bytes]] = []

    def run(command: list[str]) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        spawned.append(child)
        assert child.stdout is not None
        child.stdout.readline()  # by when it is what it will be
        (old.run / "pid").write_text(str(child.pid))
        return child

    yield run
    for child in spawned:
        child.kill()
        child.communicate()


def test_a_stale_pid_file_counts_as_not_running(old: Server) -> None:
    for text in ("", "x", "0", "-1", "4194305"):
        (old.run / "pid").write_text(text)
        assert node.find("old") is None, text
        assert node.running() == []
        assert node.stop("old") is None


def test_stop_leaves_a_foreign_process_alone(old: Server, spawn: Any) -> None:
    # Named in another argument, but not the marker itself: an editor of the log, say.
    for command in (SLEEP, [*SLEEP, str(old.root), f"{old.marker}-2"]):
        child = spawn(command)
        assert node.find("old") is None
        assert node.stop("old") is None
        assert child.poll() is None


def test_stop_ends_the_process_that_carries_the_marker(old: Server, spawn: Any) -> None:
    child = spawn([*SLEEP, old.marker])
    assert node.find("old") == node.Node("old", "9.5.3", "http://127.0.0.1:9200", child.pid)
    assert node.start("old").pid == child.pid
    assert node.stop("old") == child.pid
    assert child.wait() == -signal.SIGTERM
    assert not (old.run / "pid").exists()


def test_stop_ends_a_deaf_process_by_force(old: Server, spawn: Any) -> None:
    child = spawn([*DEAF, old.marker])
    assert old.terminate(seconds=0.3) == child.pid
    assert child.wait() == -signal.SIGKILL


def test_a_damaged_record_counts_as_none(old: Server, spawn: Any) -> None:
    spawn([*SLEEP, old.marker])
    (old.root / "node.json").write_text('{"version": "9.5.3"')
    assert node.find("old") is None


def test_the_reason_of_a_failed_start_is_read_from_the_log() -> None:
    for log, reason in (
        ("", "it printed nothing"),
        ("a\nb.\n\n", "a b"),
        ("# There is insufficient memory for it.\nx\ny", "memory for it. x y"),
        ("a\nError occurred during initialization of VM\nNo space\nb", "of VM No space b"),
        (
            "x\norg.e.BindException: Failed to bind\n\tat y\nCaused by: z",
            "to bind at y Caused by: z",
        ),
        ("[][INFO ][x] -XX:+ExitOnOutOfMemoryError\n[][ERROR][x] no port\nb", "no port b"),
    ):
        assert server.failure_reason(log).endswith(reason), log


def test_a_free_port_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(node, "_PORT", taken.getsockname()[1])
        assert node.free_port() != taken.getsockname()[1]


def test_home_is_the_folder_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "a" / ".." / "b"))
    assert home_folder() == tmp_path.resolve() / "b"


@pytest.fixture
def jvm_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for JDKs, with nothing in the environment that names another one."""
    for variable in ("ES_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "_FOLDERS", (tmp_path / "jvm",))
    return tmp_path / "jvm"


def _make_java(home: Path, major: int) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="x"\n{RELEASES[major]}\n')
    return home


def test_the_oldest_java_that_suffices_is_taken(jvm_folder: Path) -> None:
    for major in RELEASES:
        _make_java(jvm_folder / f"jdk-{major}", major)
    for minimum, major in [(8, 8), (9, 17), (17, 17), (18, 21)]:
        assert java.find_java(minimum) == jvm_folder / f"jdk-{major}"


def test_the_java_that_the_environment_names_comes_first(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_java(jvm_folder / "jdk-17", 17)
    named = _make_java(jvm_folder.parent / "mine", 21)
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert java.find_java(17) == named
    monkeypatch.setenv("ES_JAVA_HOME", str(jvm_folder / "absent"))
    assert java.find_java(17) == named


def test_the_java_on_path_is_the_last_resort(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _make_java(jvm_folder.parent / "elsewhere", 17)
    monkeypatch.setenv("PATH", str(home / "bin"))
    assert java.find_java(17) == home


def test_what_is_missing_is_named(
    jvm_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    home = _make_java(jvm_folder / "jdk-17", 17)
    with pytest.raises(NodeError, match=r"No JDK 21 or later .* openjdk-21-jdk-headless"):
        java.find_java(21)
    with pytest.raises(NodeError, match=r"Elasticsearch 9\.5\.3: install the package maven"):
        distribution.require_distribution(distribution.ELASTICSEARCH, home)
    assert list((tmp_path / "home" / "distributions").iterdir()) == []


def test_an_address_where_nothing_answers_is_ignored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", "http://me:secret@127.0.0.1:1")
    monkeypatch.setattr(engine, "_docker", _no_daemon)
    assert engine.choose_source() == "local node"
    said = capsys.readouterr().err
    assert "http://***@127.0.0.1:1, where nothing answers" in said
    assert "secret" not in said


def test_another_server_at_the_address_is_not_taken_for_this_one(
    old: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HTTPServer(("127.0.0.1", 0), _Healthy) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{other.server_port}"
        alive = iter([True, False])
        # The server runs, but listens nowhere yet.
        assert server.wait_until_ready(url, 5, lambda: True)
        assert not server.wait_until_ready(url, 5, lambda: next(alive), lambda: old.listens_at(url))
        old.ports.parent.mkdir()
        for ports, is_own in (("127.0.0.1:1\n", False), (f"[::1]:1\n{url[7:]}\n", True)):
            old.ports.write_text(ports)
            assert old.listens_at(url) is is_own
        assert server.wait_until_ready(url, 5, lambda: False, lambda: old.listens_at(url))
        other.shutdown()


class _Healthy(BaseHTTPRequestHandler):
    """Answers as a server that is up."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def _no_daemon() -> Iterator[None]:
    yield None


class Containers:
    """A Docker client with one container at most, which "serves" on a port of this machine."""

    def __init__(self, port: int) -> None:
        self.client = SimpleNamespace(containers=self)
        self.serving = port
        self.existing: str | None = None
        self.created: dict[str, Any] = {}
        self.starts = self.removals = 0
        self.id = "c0ffee"

    @contextmanager
    def connected(self) -> Iterator["Containers"]:
        yield self

    def host(self) -> str:
        return "localhost"

    def port(self, container: str, port: int) -> int:
        assert (container, port) == (self.id, 9200)
        return self.serving

    def get(self, name: str) -> "Containers":
        from docker.errors import NotFound

        if name != self.existing:
            raise NotFound(name)
        return self

    def run(self, image: str, **options: Any) -> "Containers":
        self.created, self.existing = {"image": image, **options}, options["name"]
        return self

    def start(self) -> None:
        self.starts += 1

    def remove(self, *, force: bool, v: bool) -> None:
        assert force
        assert v
        self.existing, self.removals = None, self.removals + 1


@pytest.mark.cluster
def test_a_container_is_started_found_again_and_removed(
    cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker = Containers(urlsplit(cluster_url).port or 0)
    monkeypatch.setattr(node, "free_port", lambda: 9200)
    monkeypatch.setattr(engine, "_docker", docker.connected)
    monkeypatch.delenv("ELASTICSEARCH_URL", raising=False)
    first = engine.find_engine(name="mine", heap="512m")
    assert str(first).endswith(f"(docker) at http://localhost:{docker.serving}")
    assert (first.started, docker.starts) == (True, 0)
    assert docker.created["image"] == "docker.io/library/elasticsearch:9.5.3"
    assert docker.created["name"] == "es-simhash-mine"
    assert docker.created["environment"]["xpack.security.enabled"] == "false"
    assert docker.created["environment"]["ES_JAVA_OPTS"] == "-Xms512m -Xmx512m"
    # Without passwords it must not be open to other machines; the commands look at 9200.
    assert docker.created["ports"] == {9200: ("127.0.0.1", 9200)}
    second = engine.find_engine(name="mine")
    assert (second.url, second.started, docker.starts) == (first.url, False, 1)
    second.stop()
    assert docker.removals == 1


@pytest.mark.cluster
def test_the_engine_is_the_url_that_answers(
    cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    found = engine.find_engine()
    assert (found.url, found.source, found.started) == (cluster_url, "ELASTICSEARCH_URL", False)
    assert str(found) == f"Elasticsearch {found.version} (ELASTICSEARCH_URL) at {cluster_url}"


@pytest.mark.cluster
def test_a_port_that_another_home_took_meanwhile_is_left_to_it(
    open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster_url: str
) -> None:
    _use_home(open_tmp_path, monkeypatch)
    taken, chosen = urlsplit(cluster_url).port or 0, node.free_port()
    ports = iter([taken, chosen])
    monkeypatch.setattr(node, "free_port", lambda: next(ports))
    try:
        started = node.start("second", heap="512m")
        assert started.url == f"http://127.0.0.1:{chosen}"
        assert started.url != cluster_url
    finally:
        node.remove("second")


def _use_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder the home, with the servers of the one before."""
    distributions = home_folder() / "distributions"
    if distributions.is_dir():
        (folder / "distributions").symlink_to(distributions)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(folder))


@pytest.mark.cluster
def test_a_real_node_from_start_to_stop(
    open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_cluster: Callable[[str], NoReturn]
) -> None:
    _use_home(open_tmp_path, monkeypatch)
    monkeypatch.setenv(server.OPTIONS_VARIABLE, "-XX:TieredStopAtLevel=1 '-Dtests=two words'")
    # What one that was killed has left.
    root = open_tmp_path / "nodes" / "first"
    for name, content in (("run/pid", "4194305"), ("config/old.yml", "x"), ("console.log", "y")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, "utf-8")
    try:
        first = node.start("first", heap="512m")
    except NodeError as error:
        without_cluster(str(error))
    try:
        assert first.started
        assert not (root / "config" / "old.yml").exists()
        assert engine.version_at(first.url) == first.version
        if sys.platform == "linux":
            arguments = Path(f"/proc/{first.pid}/cmdline").read_text("utf-8").split("\0")
            assert {"-XX:TieredStopAtLevel=1", "-Dtests=two words"} < set(arguments)
            assert os.stat(f"/proc/{first.pid}").st_uid != 0
        again = node.start("first")
        assert (again.url, again.pid, again.started) == (first.url, first.pid, False)
        with pytest.raises(NodeError, match="enough space") as caught:
            node.start("greedy", heap="900000g")
        assert str(open_tmp_path / "nodes" / "greedy" / "console.log") in str(caught.value)
        assert node.find("greedy") is None
        shown = _command("status")
        assert shown.stdout == f"{first.url}  {first.version}  node first, process {first.pid}\n"
        assert _command("stop", "--name", "first").stdout == "Node first stopped.\n"
        assert node.running() == []
        assert _command("stop", "--name", "first").stdout == "Node first is not running.\n"
    finally:
        node.remove("first")


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.local_node", *arguments],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
