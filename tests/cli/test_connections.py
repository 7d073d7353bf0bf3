"""Clusters that are away, refuse, or are none: one sentence each, and no password in it."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SECRET = "hunter2-of-the-tests"


def commands(tmp_path: Path) -> dict[str, list[str]]:
    """Every command that asks a cluster."""
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"id": "1", "text": "one two three"}\n', "utf-8")
    return {
        "related": ["related", "a", "--text", "one two three"],
        "related --id": ["related", "a", "--id", "1"],
        "install": ["install", "a"],
        "ingest": ["ingest", "a", str(lines), "--quiet"],
    }


COMMANDS = ["related", "related --id", "install", "ingest"]


@pytest.fixture
def command(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> list[str]:
    monkeypatch.chdir(tmp_path)
    return commands(tmp_path)[request.param]


def refusal(done: Any) -> str:
    """The sentence; `ingest` has printed its counts before it."""
    if "written" in done.out:
        done = done._replace(out="")
    sentence: str = done.refusal()
    return sentence


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_nothing_listens(run: Any, command: list[str], closed_port: int) -> None:
    sentence = refusal(run(*command, "--url", f"http://127.0.0.1:{closed_port}"))
    assert f"No cluster answers at http://127.0.0.1:{closed_port}" in sentence
    assert sentence.endswith(" Set --url.\n")


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_credentials_are_refused(run: Any, fake: Any, command: list[str]) -> None:
    fake.status = 401
    fake.body = json.dumps(
        {"error": {"type": "security_exception", "reason": f"bad password {SECRET}"}, "status": 401}
    ).encode()
    sentence = refusal(run(*command, "--url", fake.url, "--user", "u", "--password", SECRET))
    assert f"{fake.url} rejects the API key, or the user and password. Set --api-key." in sentence
    assert SECRET not in sentence


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_something_is_forbidden(run: Any, fake: Any, command: list[str]) -> None:
    fake.status = 403
    fake.body = b'{"error": {"type": "security_exception", "reason": "only for\\nreaders."}}'
    sentence = refusal(run(*command, "--url", fake.url))
    assert "Elasticsearch forbids it: only for readers. Grant the privilege" in sentence


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
@pytest.mark.parametrize("status", [200, 404])
def test_a_web_server_is_no_cluster(run: Any, fake: Any, command: list[str], status: int) -> None:
    fake.status, fake.body, fake.is_elasticsearch = status, b"<html>Hello</html>", False
    sentence = refusal(run(*command, "--url", fake.url))
    assert f"{fake.url} answers, but is not Elasticsearch" in sentence


def test_a_server_steers_no_terminal(run: Any, fake: Any) -> None:
    fake.status = 403
    fake.body = b'{"error": {"reason": "a\\u001b[31mb\\u009b1mc"}}'
    sentence = run("install", "a", "--url", fake.url).refusal()
    assert sentence.strip("\n").isprintable()
    assert r"\x1b[31mb\x9b1mc" in sentence


@pytest.mark.variants
@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_https_to_a_port_that_speaks_http_is_no_question_of_certificates(
    run: Any, fake: Any, command: list[str]
) -> None:
    url = f"https://u:{SECRET}@{fake.address}"
    sentence = refusal(run(*command, "--url", url))
    assert sentence == f"Error: https://{fake.address} speaks http, not https. Set --url.\n"
    assert "authorization" not in fake.headers


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
@pytest.mark.parametrize("answers_in_http", [False, True])
def test_http_to_a_port_that_speaks_tls(
    run: Any, tls_port: Any, command: list[str], answers_in_http: bool
) -> None:
    place = f"127.0.0.1:{tls_port(answers_in_http)}"
    sentence = refusal(run(*command, "--url", f"http://u:{SECRET}@{place}"))
    reason = "BadRequestError" if answers_in_http else "ConnectionError"
    expected = f"No cluster answers at http://{place} ({reason}; it may speak https)."
    assert sentence == f"Error: {expected} Set --url.\n"


def test_https_that_fails_for_another_reason_names_it(
    run: Any, tls_port: Any, closed_port: int
) -> None:
    for port, reason in ((tls_port(), "HANDSHAKE_FAILURE"), (closed_port, "ConnectionError")):
        sentence = run("install", "a", "--url", f"https://127.0.0.1:{port}").refusal()
        assert f"No cluster answers at https://127.0.0.1:{port} (" in sentence
        assert reason in sentence
        assert "certificate" not in sentence


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_a_cluster_that_is_too_slow_names_the_option_of_its_time(
    run: Any, command: list[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        sentence = refusal(run(*command, "--url", url, "--request-timeout", "0.2"))
    reason = "does not answer in time; it may be busy, or the address wrong"
    assert sentence == f"Error: {url} {reason}. Set --request-timeout.\n"


URLS = ["localhost:9200", "ftp://localhost:9200", "", "http://localhost:port",
        "http://", "://", "localhost", "http://localhost:99999"]  # fmt: skip


@pytest.mark.parametrize("command", ["related", "ingest"], indirect=True)
@pytest.mark.parametrize("url", URLS)
def test_a_url_that_is_none_is_refused(run: Any, command: list[str], url: str) -> None:
    sentence = refusal(run(*command, "--url", url))
    assert "Cluster URL needs a scheme, http or https, and a host" in sentence
    assert "http://localhost:9200" in sentence


@pytest.mark.parametrize(
    "url",
    [
        "http://elastic:{secret}@127.0.0.1:{port}",
        "http://elastic:{secret}@127.0.0.1:1,http://elastic:{secret}@127.0.0.1:{port}",
        "http://elastic:{secret}@127.0.0.1:port",
        "http://elastic:{secret}@",
        "elastic:{secret}@127.0.0.1:{port}",
        "ftp://elastic:{secret}@127.0.0.1:{port}",
        "http://elastic:{secret}/part@127.0.0.1:{port}",
        "http://elastic:{secret}#part@127.0.0.1:{port}",
        "//elastic:{secret}@127.0.0.1:{port}",
        "http:/elastic:{secret}@127.0.0.1:{port}",
    ],
)
def test_a_password_in_the_url_is_not_shown(run: Any, closed_port: int, url: str) -> None:
    given = url.format(secret=SECRET, port=closed_port)
    for option in (["--url", given], ["--url", given, "--user", "u", "--password", SECRET]):
        assert SECRET not in run("related", "a", "--text", "one", *option).refusal()


@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_password_in_the_url_is_not_shown_by_a_server_either(
    run: Any, fake: Any, status: int
) -> None:
    fake.status = status
    url = f"http://elastic:{SECRET}@{fake.address}"
    sentence = run("related", "a", "--text", "one", "--url", url).refusal()
    assert SECRET not in sentence
    sentence = run(
        "related", "a", "--text", "one", "--url", fake.url, "--api-key", SECRET
    ).refusal()
    assert SECRET not in sentence


def test_a_password_is_in_no_representation() -> None:
    from es_simhash import Index, connect

    client = connect(f"http://elastic:{SECRET}@localhost:9200")
    assert SECRET not in repr(client) + repr(Index(client, "a"))
    client.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://elastic:{secret}@localhost:9200",
        "http://elastic:{secret}#part@localhost:9200",
        "http://elastic:{secret}/part@localhost:9200",
        "elastic:{secret}@localhost:9200",
        "http://elastic:{secret}@localhost:port",
    ],
)
def test_an_engine_is_named_without_its_password(url: str) -> None:
    from es_simhash.text.escaping import masked_url

    shown = masked_url(url.format(secret=SECRET))
    assert SECRET not in shown
    assert "localhost" in shown
    assert masked_url("http://localhost:9200") == "http://localhost:9200"


def test_a_password_cannot_be_taken_from_a_cause() -> None:
    from es_simhash import ClusterError, connect

    with pytest.raises(ClusterError) as raised:
        connect(f"http://elastic:{SECRET}@localhost:port")
    assert SECRET not in str(raised.value)


def test_the_environment_names_the_cluster(
    run: Any, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", f"http://127.0.0.1:{closed_port}")
    assert f":{closed_port}" in run("related", "a", "--text", "one").refusal()


def test_a_variable_that_is_not_read_is_named(
    run: Any, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_SIMHASH_URL", "http://another.example:9200")
    monkeypatch.setenv("ES_SIMHASH_APIKEY", SECRET)
    monkeypatch.setenv("ES_SIMHASH_DATA", "a")
    done = run("related", "a", "--text", "one", "--url", f"http://127.0.0.1:{closed_port}")
    assert done.err.splitlines()[:-1] == [
        "ES_SIMHASH_APIKEY is not read: use ES_SIMHASH_API_KEY.",
        "ES_SIMHASH_URL is not read: use ELASTICSEARCH_URL.",
    ]


@pytest.mark.long
def test_a_process_of_its_own_ends_the_same_way(closed_port: int) -> None:
    command = [sys.executable, "-m", "es_simhash", "related", "a", "--text", "one", "--url",
               f"http://127.0.0.1:{closed_port}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: No cluster answers")
    assert done.stderr.count("\n") == 1
