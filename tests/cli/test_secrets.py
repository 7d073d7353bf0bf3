"""A planted secret is in nothing that commands print, log, raise or write."""

import base64
import json
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index
from es_simhash.cli.main import cli
from es_simhash.errors import EsSimhashError
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_text
from tests.support.proxy import Proxy

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
)
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


def hides(text: str) -> bool:
    return not any(secret in text for secret in HIDDEN)


@pytest.mark.variants
@pytest.mark.parametrize("credentials", CREDENTIALS)
@pytest.mark.parametrize("fault", FAULTS)
def test_commands_hide_their_credentials(
    run: Callable[..., str], proxy: Proxy, tmp_path: Path, credentials: str, fault: str
) -> None:
    body = json.dumps({"error": {"type": "x", "reason": "no"}}).encode()
    for number, line in enumerate(COMMANDS):
        # Some requests go through, so that there is something to write.
        left = [number % 3 if fault != "none" else 10**6]

        def hook(path: str, sent: bytes, left: list[int] = left) -> Any:
            left[0] -= 1
            return None if left[0] >= 0 else (FAULTS[fault], body)

        proxy.hook = hook
        assert hides(run(line, credentials)), line
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
