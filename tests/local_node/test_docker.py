"""Docker is used where a daemon answers, and only there; no package is needed for it."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from es_simhash.errors import NodeError
from es_simhash.local_node import docker
from es_simhash.local_node.finder import choose_source
from es_simhash.local_node.settings import DEFAULT_VERSION
from tests.support.docker_daemon import API, ID, DockerDaemon

Start = Callable[[int], AbstractContextManager[DockerDaemon]]
IMAGE = f"docker.io/library/elasticsearch:{DEFAULT_VERSION}"
USE = """
from es_simhash.local_node.finder import find_engine
engine = find_engine()
print(engine, engine.started)
"""


@pytest.fixture
def daemon(docker_daemon: Start, monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerDaemon]:
    """A daemon at DOCKER_HOST; its container serves on a port where nothing listens."""
    monkeypatch.delenv("ELASTICSEARCH_URL", raising=False)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    with docker_daemon(port) as running:
        monkeypatch.setenv("DOCKER_HOST", running.host)
        yield running


def run(code: str, **environment: str) -> Any:
    """Run code in a process of its own, whose end removes its container."""
    kept = {name: value for name, value in os.environ.items() if name != "ELASTICSEARCH_URL"}
    return subprocess.run(
        [sys.executable, "-c", code], env={**kept, **environment}, capture_output=True, text=True
    )


def test_a_daemon_that_answers_is_chosen(daemon: DockerDaemon) -> None:
    assert choose_source() == "docker"
    assert daemon.requests == ["GET /_ping", "GET /version"]


def test_elasticsearch_at_its_url_comes_before_docker(
    daemon: DockerDaemon, cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    assert choose_source() == "ELASTICSEARCH_URL"
    assert daemon.requests == []


@pytest.mark.parametrize("ping", [(500, b'{"message": "starting"}'), (200, b"<html>Hello</html>")])
def test_what_answers_otherwise_is_no_daemon(daemon: DockerDaemon, ping: Any) -> None:
    daemon.ping = ping
    assert choose_source() == "local node"


@pytest.mark.parametrize(
    "host",
    [
        "unix:///no/such/docker.sock",
        "unix://",
        "tcp://127.0.0.1:1",
        "tcp://127.0.0.1:port",
        "tcp://",
        "ssh://user@127.0.0.1",
        "docker.sock",
    ],
)
def test_without_a_daemon_the_local_node_is_chosen(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ELASTICSEARCH_URL", raising=False)
    monkeypatch.setenv("DOCKER_HOST", host)
    assert choose_source() == "local node"


def test_a_socket_that_says_nothing_is_given_up_soon(
    open_tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = open_tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        assert docker.find_daemon() is None


@pytest.mark.cluster
@pytest.mark.parametrize("image_exists", [True, False])
def test_a_container_is_used_and_removed_at_the_end(
    daemon: DockerDaemon, cluster_url: str, image_exists: bool
) -> None:
    daemon.port, daemon.image_exists = urlsplit(cluster_url).port or 0, image_exists
    done = run(USE, DOCKER_HOST=daemon.host)
    assert done.returncode == 0, done.stderr
    assert "(docker) at http://127.0.0.1:" in done.stdout
    assert done.stdout.endswith(f":{daemon.port} True\n")
    sent = [request.replace(f"/v{API}", "") for request in daemon.requests]
    pulled = (
        f"POST /images/create?fromImage=docker.io%2Flibrary%2Felasticsearch&tag={DEFAULT_VERSION}"
    )
    assert (pulled in sent) is not image_exists
    assert sent[-4:] == [
        "POST /containers/create",
        f"POST /containers/{ID}/start",
        f"GET /containers/{ID}/json",
        f"DELETE /containers/{ID}?force=true&v=true",
    ]
    assert daemon.created["Image"] == IMAGE
    assert "xpack.security.enabled=false" in daemon.created["Env"]
    # Without passwords it must not be open to other machines.
    bindings = daemon.created["HostConfig"]["PortBindings"]["9200/tcp"]
    assert bindings == [{"HostIp": "127.0.0.1", "HostPort": ""}]


@pytest.mark.cluster
def test_the_container_of_the_demo_keeps_running_and_is_found_again(
    daemon: DockerDaemon, cluster_url: str
) -> None:
    daemon.port = urlsplit(cluster_url).port or 0
    keep = USE.replace("find_engine()", "find_engine(keep=True)")
    for started in (True, False):
        daemon.requests.clear()
        done = run(keep, DOCKER_HOST=daemon.host)
        assert done.returncode == 0, done.stderr
        assert f":{daemon.port} " in done.stdout
        sent = [request.replace(f"/v{API}", "") for request in daemon.requests]
        assert ("POST /containers/create?name=es-simhash" in sent) is started
        assert ("POST /containers/es-simhash/start" in sent) is started
        assert daemon.runs
    assert "AutoRemove" not in daemon.created["HostConfig"]
    # One that was stopped is started again, with its data.
    daemon.runs = False
    assert run(keep, DOCKER_HOST=daemon.host).returncode == 0
    assert daemon.runs


@pytest.mark.cluster
def test_a_process_starts_one_container(daemon: DockerDaemon, cluster_url: str) -> None:
    daemon.port = urlsplit(cluster_url).port or 0
    assert run(f"{USE}\nfind_engine(name='other')", DOCKER_HOST=daemon.host).returncode == 0
    assert sum("/containers/create" in request for request in daemon.requests) == 1


def test_an_image_that_cannot_be_pulled_is_reported(daemon: DockerDaemon) -> None:
    daemon.image_exists = False
    daemon.pulled = (200, b'{"status":"Pulling"}\r\n{"error":"toomanyrequests: rate limit"}\r\n')
    found = docker.find_daemon()
    assert found is not None
    with pytest.raises(NodeError) as raised:
        docker.run_until_exit(found, IMAGE, {})
    assert f"could not start {IMAGE} (toomanyrequests: rate limit)" in str(raised.value)
    assert "set ELASTICSEARCH_URL" in str(raised.value)
    assert daemon.created == {}
