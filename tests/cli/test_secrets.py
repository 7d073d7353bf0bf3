"""A planted secret is in nothing that commands print, log, raise or write, nor in their titles."""

import base64
import json
import logging
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner

from es_simhash import Index
from es_simhash.cli.main import cli
from es_simhash.errors import EsSimhashError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install
from tests.cli.test_serve_command import body, served
from tests.support.made_up_texts import make_text
from tests.support.processes import children, command_line, running
from tests.support.proxy import Answer, Proxy

pytestmark = pytest.mark.cluster

SECRET = "planted-secret-7f3a9c"
HIDDEN = (SECRET, base64.b64encode(f"user:{SECRET}".encode()).decode())
CREDENTIALS = {
    "password": {"ES_SIMHASH_USER": "user", "ES_SIMHASH_PASSWORD": SECRET},
    "key": {"ES_SIMHASH_API_KEY": SECRET},
}
COMMANDS = (
    ("ingest", "{index}", "documents.jsonl", "--journal", "journal", "--on-version", "skip"),
    ("sweep", "{index}", "--on-version", "flag", "--audit", "sweep.jsonl"),
    ("backfill", "{index}"),
    ("families", "run", "{index}"),
    ("related", "{index}", "--id", "0"),
    ("status", "{index}"),
    ("doctor", "{index}"),
    ("undo", "{index}", "{index}.audit.jsonl"),
    ("connection",),
    ("copies", "{index}", "--journal", "copies"),
    ("pairs", "{index}", "--output", "pairs.jsonl"),
    ("report", "{index}", "--html", "report.html", "--copies"),
    ("serve", "{index}", "--check"),
    ("upgrade", "{index}", "--scheme", Scheme(blocks=16).name),
    ("uninstall", "{index}", "--yes"),
)
# How a command gets its password, with the options that it takes.
GIVEN = {
    "variables": (),
    "profile": ("--profile", "planted"),
    "options": ("--user", "user", "--password", SECRET),
}
# Seconds in which a process starts, or ends, on a machine that does much else.
PATIENCE = 120
# What the server answers to everything, from the request of that number on.
FAULTS = {"none": 0, "rejected": 401, "forbidden": 403, "broken": 500}


@pytest.fixture
def index(client: Any, index_name: str, tmp_path: Path, monkeypatch: Any) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    documents = [{"id": str(n), "text": make_text(n // 2, 60)} for n in range(4)]
    Path("documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    install(client, index_name, semantics=None)
    return index_name


@pytest.fixture
def run(proxy: Proxy, index: str, caplog: pytest.LogCaptureFixture) -> Callable[..., str]:
    """Run a command with credentials; return all that it printed, logged and raised."""
    caplog.set_level(logging.DEBUG)

    def run_command(line: tuple[str, ...], credentials: str, url: str | None = None) -> str:
        caplog.clear()
        arguments = [part.format(index=index) for part in line]
        environment = {"ELASTICSEARCH_URL": url or proxy.url, **CREDENTIALS[credentials]}
        done = CliRunner().invoke(cli, arguments, env=environment)
        raised = done.exc_info
        trace = "".join(traceback.format_exception(*raised)) if raised else ""
        return "\n".join([done.output, done.stderr, trace, caplog.text])

    return run_command


def refused(status: int, path: str, sent: bytes) -> Answer | None:
    """Return what the server answers with a status; None where it answers as it does."""
    reason = json.dumps({"error": {"type": "x", "reason": "no"}}).encode()
    return (status, reason) if status else None


def hides(text: str) -> bool:
    return not any(secret in text for secret in HIDDEN)


def answered(address: str) -> tuple[int, str]:
    """Return the status and the content of what a service answers."""
    try:
        return 200, body(address)
    except HTTPError as error:
        return error.code, error.read().decode()


def titles(pid: int) -> list[str]:
    """Return how lists of processes show one, and all that it has started."""
    texts = [Path(f"/proc/{pid}/{file}").read_bytes() for file in ("cmdline", "comm")]
    further = [title for child in children(pid) for title in titles(child)]
    return [b" ".join(texts).replace(b"\0", b" ").decode("latin-1"), *further]


@contextmanager
def held(line: list[str], proxy: Proxy) -> Iterator[list[str]]:
    """Give the titles of the processes of a command while its first documents are written."""
    reached, released = Event(), Event()

    def hold(path: str, sent: bytes) -> None:
        if "/_bulk" in path:
            reached.set()
            released.wait(PATIENCE)

    proxy.hook = hold
    with running(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert reached.wait(PATIENCE)
            yield titles(process.pid)
        finally:
            released.set()
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output
        assert hides(output)


@pytest.mark.variants
@pytest.mark.parametrize("credentials", CREDENTIALS)
@pytest.mark.parametrize("fault", FAULTS)
def test_commands_hide_their_credentials(
    run: Callable[..., str], proxy: Proxy, tmp_path: Path, credentials: str, fault: str
) -> None:
    for number, line in enumerate(COMMANDS):
        # Some requests go through, so that there is something to write.
        left = [number % 3 if fault != "none" else 10**6]

        def hook(path: str, sent: bytes, left: list[int] = left) -> Any:
            left[0] -= 1
            return None if left[0] >= 0 else refused(FAULTS[fault], path, sent)

        proxy.hook = hook
        printed = run(line, credentials)
        assert hides(printed), line
        # Else a command that was not understood would hide them as well.
        assert fault != "none" or "Error: " not in printed, printed
    assert proxy.keys
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert hides(path.read_bytes().decode("latin-1")), path


@pytest.mark.long
def test_an_address_with_a_password_is_masked(run: Callable[..., str], proxy: Proxy) -> None:
    for port in (proxy.server_port, 1):
        for line in COMMANDS[3:6]:
            printed = run(line, "key", f"http://user:{SECRET}@127.0.0.1:{port}")
            assert hides(printed), line


def test_values_hide_their_credentials(proxy: Proxy, index: str) -> None:
    with connect(proxy.url, user="user", password=SECRET) as client:
        proxy.hook = lambda path, body: (401, b"{}")
        shown = [repr(client), repr(Gateway.of(client)), repr(Index(client, index))]
        with pytest.raises(EsSimhashError) as raised:
            Index(client, index).related(id="0")
        error: BaseException | None = raised.value
        shown += traceback.format_exception(raised.value)
        while error is not None:
            shown += [repr(error), repr(vars(error))]
            error = error.__cause__
    assert all(map(hides, shown))


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("credentials", CREDENTIALS)
def test_the_log_of_the_service_hides_its_credentials(
    tenants: str, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, credentials: str
) -> None:
    for name, value in CREDENTIALS[credentials].items():
        monkeypatch.setenv(name, value)
    log = tmp_path / "log"
    statuses = {}
    with served(tenants, "--workers", 2, url=proxy.url, log=log) as (process, address):
        for name, status in FAULTS.items():
            proxy.hook = partial(refused, status)
            statuses[name], answer = answered(f"{address}/v1/related/a1?min_score=0.{status}")
            assert hides(answer), name
        shown = titles(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert statuses.pop("none") == 200
    assert min(statuses.values()) >= 500
    assert proxy.keys
    assert any("spawn_main" in title for title in shown)
    assert all(map(hides, shown))
    assert '"event":"request"' in log.read_text()
    assert hides(log.read_text())


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("given", GIVEN)
def test_titles_of_processes_show_no_credentials_but_those_of_options(
    index: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", proxy.url)
    if given == "variables":
        for name, value in CREDENTIALS["password"].items():
            monkeypatch.setenv(name, value)
    if given == "profile":
        monkeypatch.delenv("ELASTICSEARCH_URL")
        Path("password").write_text(SECRET)
        values = (f'url = "{proxy.url}"', 'user = "user"', 'password = { file = "password" }')
        Path("es-simhash.toml").write_text("\n".join(("[profiles.planted]", *values)))
    # Of one batch, no worker fingerprints.
    lines = (json.dumps({"id": str(n), "text": f"Text {n}."}) for n in range(1_200))
    Path("many.jsonl").write_text("\n".join(lines))
    line = command_line("ingest", index, "many.jsonl", "--processes", 2, *GIVEN[given])
    with held(line, proxy) as shown:
        assert sum("LokyProcess" in title for title in shown) == 2
        assert [hides(title) for title in shown] == [given != "options"] + [True] * (len(shown) - 1)
    assert proxy.keys == {f"Basic {HIDDEN[1]}"}
