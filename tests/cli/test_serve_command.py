"""`es-simhash serve` as a user starts it: a port, workers, a graceful end, and why it cannot."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from es_simhash.errors import install_command
from tests.cli.conftest import Run
from tests.support.processes import children, command_line, running
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster


@contextmanager
def served(*arguments: object, url: str, log: Path) -> Iterator[tuple[Any, str]]:
    """Start the command on a free port; yields the process and the address it answers at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "ELASTICSEARCH_URL": url}
    line = command_line("serve", *arguments, "--port", port)
    with log.open("w") as out, running(line, env=environment, stderr=out) as process:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with urlopen(f"{address}/healthz", timeout=5):
                    break
            except OSError:
                time.sleep(0.1)
        assert process.poll() is None, log.read_text()
        yield process, address


def body(address: str) -> str:
    with urlopen(address, timeout=30) as answer:
        content: bytes = answer.read()
    return content.decode()


def counted(address: str) -> float:
    """Return how many answers of documents the service has counted."""
    found = re.search(
        r'requests_total\{route="/v1/documents/\{id\}",status="200"\} (\S+)',
        body(f"{address}/metrics"),
    )
    return float(found[1]) if found else 0


def wait_until_closed(address: str) -> None:
    """Wait until no connection is taken any more."""
    host, _, port = address.removeprefix("http://").partition(":")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), 5).close()
        except ConnectionError:
            return
        time.sleep(0.02)
    raise AssertionError(f"{address} still takes connections")


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_runs_is_answered_before_the_end(
    tenants: str, proxy: Proxy, tmp_path: Path, stop: signal.Signals
) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event

    log = tmp_path / "log"
    with served(tenants, url=proxy.url, log=log) as (process, address):
        reached, released = Event(), Event()

        def hold(path: str, sent: bytes) -> None:
            reached.set()
            released.wait(30)

        proxy.hook = hold
        with ThreadPoolExecutor(1) as pool:
            running_request = pool.submit(body, f"{address}/v1/documents/a1")
            assert reached.wait(10)
            process.send_signal(stop)
            wait_until_closed(address)
            released.set()
            assert json.loads(running_request.result())["id"] == "a1"
        assert process.wait(10) in (0, 130, -signal.SIGTERM)
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert [line["status"] for line in lines if line.get("route") == "/v1/documents/{id}"] == [200]
    assert "Traceback" not in log.read_text()


@pytest.mark.long
def test_logs_have_no_ids_texts_or_credentials(
    tenants: str, cluster_url: str, tmp_path: Path
) -> None:
    log, file = tmp_path / "log", tmp_path / "service.toml"
    file.write_text("[limits]\nrequests_per_minute = 50\n")
    secret_url = cluster_url.replace("://", "://someone:pass-word-1@")
    arguments = (tenants, "--config", file, "--api-key", "secret-api-key")
    with served(*arguments, url=secret_url, log=log) as (process, address):
        body(f"{address}/v1/related/a1?size=3")
        with pytest.raises(OSError, match="404"):
            body(f"{address}/v1/documents/no-such-id")
        process.send_signal(signal.SIGTERM)
        process.wait(10)
    content = log.read_text()
    for hidden in ("pass-word-1", "secret-api-key", "no-such-id", "a1", "size=3", "Title"):
        assert hidden not in re.sub(r'"request_id": "\w+"', "", content)
    requests = [json.loads(line) for line in content.splitlines()]
    requests = [line for line in requests if line["event"] == "request"]
    assert {line["route"] for line in requests} >= {"/v1/related/{id}", "/v1/documents/{id}"}
    assert all(re.fullmatch(r"\w{32}", line["request_id"]) for line in requests)


@pytest.mark.long
def test_workers_count_together_and_one_that_is_killed_is_replaced(
    tenants: str, cluster_url: str, tmp_path: Path
) -> None:
    with served(tenants, "--workers", 2, url=cluster_url, log=tmp_path / "log") as (
        process,
        address,
    ):
        for _ in range(20):
            body(f"{address}/v1/documents/a1")
        # A request is counted when its answer has been sent, which the caller may have read before.
        deadline = time.monotonic() + 30
        while counted(address) < 20 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert counted(address) == 20
        workers = [
            pid
            for pid in children(process.pid)
            if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()
        ]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert json.loads(body(f"{address}/v1/documents/a1"))["id"] == "a1"
        deadline = time.monotonic() + 30
        while workers[0] in children(process.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert workers[0] not in children(process.pid)
        deadline = time.monotonic() + 30
        while not re.search(r"worker_deaths_total [1-9]", body(f"{address}/metrics")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        lines = map(json.loads, (tmp_path / "log").read_text().splitlines())
        deaths = {
            line["pid"]: line["exit_code"] for line in lines if line["event"] == "worker died"
        }
        assert deaths[workers[0]] == -signal.SIGKILL
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)


def test_what_cannot_start_says_why_in_one_sentence(
    run: Run, tenants: str, cluster_url: str, tmp_path: Path
) -> None:
    def error(*arguments: object) -> str:
        return run("serve", *arguments, "--url", cluster_url).refusal()

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = error(tenants, "--port", port)
        assert message == (
            f"Error: Cannot listen on 127.0.0.1 port {port}: Address already in use. Set --port.\n"
        )
    assert "Cannot listen on 192.0.2.1 port 0" in error(tenants, "--host", "192.0.2.1", "--port", 0)
    assert "does not exist" in error("none-such-index")
    file = tmp_path / "service.toml"
    file.write_text("filters = 1")
    assert "filters is unknown; use one of" in error(tenants, "--config", file)
    assert "Set --config." in error(tenants, "--config", tmp_path / "none.toml")


@pytest.mark.long
def test_an_answer_does_not_wait_for_an_acknowledgement(
    tenants: str, cluster_url: str, tmp_path: Path
) -> None:
    # Without TCP_NODELAY every answer to a connection that is kept open takes 40 ms.
    from http.client import HTTPConnection

    with served(tenants, url=cluster_url, log=tmp_path / "log") as (_, address):
        connection = HTTPConnection(address.removeprefix("http://"))
        times = []
        for _ in range(30):
            began = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            times.append(time.perf_counter() - began)
        connection.close()
    assert min(times[5:]) < 0.03


def test_it_prints_its_address_and_that_of_the_explorer_once_it_answers(
    tenants: str, cluster_url: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "ELASTICSEARCH_URL": cluster_url}
    closed = tmp_path / "closed.toml"
    closed.write_text("explorer = false\n")
    for arguments, pages in (((), True), (("--config", closed, "--workers", 2), False)):
        line = command_line("serve", tenants, *arguments, "--port", 0)
        with (tmp_path / "log").open("w") as log:
            pipes: dict[str, Any] = {"env": environment, "stdout": subprocess.PIPE, "stderr": log}
            with running(line, **pipes) as process:
                said = process.stdout.readline().decode()
                form = "is served at (http://127\\.0\\.0\\.1:[0-9]+)(.*)\\. Ctrl-C ends it\\.\n"
                found = re.fullmatch(f"{tenants} {form}", said)
                assert found, said
                assert found[2] == (f"; its explorer is {found[1]}/explorer/" if pages else "")
                assert "ok" in body(f"{found[1]}/healthz")
        # Nobody need read what the server says of itself to find the address.
        logged = map(json.loads, (tmp_path / "log").read_text().splitlines())
        assert {line["event"] for line in logged} <= {"request", "waiting for worker"}


def test_check_serves_nothing(run: Run, tenants: str, cluster_url: str) -> None:
    done = run("serve", tenants, "--check", "--url", cluster_url)
    assert (done.status, done.out) == (0, f"{tenants} can be served.\n")


def test_without_the_engine_it_does_not_start(run: Run) -> None:
    message = run("serve", "x", "--url", "http://127.0.0.1:9").refusal()
    assert message.startswith("Error: No cluster answers at http://127.0.0.1:9")


def test_without_the_extra_the_command_names_it() -> None:
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'uvicorn' else find(name, *a)\n"
        "from es_simhash.cli.main import main; sys.argv = ['es-simhash', 'serve', 'x']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"Error: The service needs uvicorn: {install_command('service')}.\n"
