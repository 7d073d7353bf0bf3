"""`es-simhash connection`, and the options that every command has."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from es_simhash.cli import connection_command, options
from es_simhash.store import connection
from tests.support.certificates import behind_https
from tests.support.page_blocks import blocks

DEFAULT_URL = connection.DEFAULT_URL
SECRET = "hunter2-of-the-tests"
PROFILE = """
[profiles.tests]
url = "https://127.0.0.1:{port}"
api_key = {{ variable = "KEY_OF_THE_TESTS" }}
ca_certs = "http_ca.crt"
compress = true
"""


@pytest.mark.cluster
def test_a_profile_reaches_the_engine(
    run: Any, cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY_OF_THE_TESTS", SECRET)
    with behind_https(cluster_url, tmp_path) as proxy:
        file = tmp_path / "es-simhash.toml"
        file.write_text(PROFILE.format(port=proxy.server_port), "utf-8")
        done = run("connection", "--profile", "tests", "--format", "json")
        asked = run("status", "no-such-index-of-the-tests", "--profile", "tests")
        monkeypatch.setenv("ES_SIMHASH_API_KEY", "another")
        monkeypatch.setenv("ES_SIMHASH_PROFILE", "tests")
        shown = run("connection")
    assert done.status == 0, done
    origin = f"profile 'tests' of {file}"
    address = f"https://127.0.0.1:{proxy.server_port}"
    assert json.loads(done.out) == {
        "url": {"value": address, "from": origin},
        "api_key": {"value": "***", "from": origin},
        "ca_certs": {"value": str(tmp_path / "http_ca.crt"), "from": origin},
        "compress": {"value": "True", "from": origin},
    }
    assert done.err.endswith(f" answers at {address}.\n")
    assert "does not exist" in asked.refusal()
    assert "ES_SIMHASH_API_KEY" in shown.out
    assert SECRET not in "".join([*done[1:], *asked[1:], *shown[1:]])
    assert proxy.keys == {f"ApiKey {SECRET}", "ApiKey another"}


def test_what_is_wrong_names_the_option(run: Any, tmp_path: Path) -> None:
    for arguments, sentence in (
        (["--url", "http://a:1", "--cloud-id", "b:c"], "are both given; leave out one."),
        (["--cloud-id", "b:c"], "Error: --cloud-id 'b:c' is invalid."),
        (["--profile", "x"], "There is no profile 'x': neither "),
        (["--fingerprint", "ab", "--url", "https://a"], "--fingerprint must be the 64 hexa"),
        (["--client-key", __file__], "is given without its certificate. Set --client-cert."),
        (["--url", "https://a", "--ca-certs", __file__], "is no certificate in PEM. Set --ca-cert"),
        (["--password", SECRET], "A password is given without its user. Set --user."),
    ):
        assert sentence in run("connection", *arguments).refusal()


def test_an_override_of_a_profile_is_said(
    run: Any, closed_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "es-simhash.toml").write_text("[profiles.a]\nurl = 'http://a:1'\n", "utf-8")
    done = run("status", "x", "--profile", "a", "--url", f"http://127.0.0.1:{closed_port}")
    first, second = done.err.splitlines()
    assert first.startswith("--url is used in place of the address of profile 'a' of ")
    assert second.startswith(f"Error: No cluster answers at http://127.0.0.1:{closed_port}")


@pytest.mark.cluster
def test_the_page_shows_what_is_printed(
    run: Any, cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    console, python = (each for each in blocks("docs/connections.md") if each.is_run)
    ((typed, lines),) = console.outputs()
    monkeypatch.setattr(options, "DEFAULT_URL", cluster_url)
    monkeypatch.setattr(connection, "DEFAULT_URL", cluster_url)
    monkeypatch.setattr(connection_command, "DEFAULT_URL", cluster_url)
    shown = run(*typed.split()[1:]).out
    words = re.sub(r"[\s━─┏┳┓┡╇┩└┴┘]+", " ", "\n".join(lines))
    printed = re.sub(r"[\s━─┏┳┓┡╇┩└┴┘]+", " ", shown).replace(cluster_url, DEFAULT_URL)
    assert re.sub(r"Elasticsearch [\d.]+ ", "Elasticsearch ", printed.strip()) == words.strip()
    exec(python.body, {})


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b'{"version": {"number": "9.5.3"}}', "Elasticsearch 9.5.3 answers at http://"),
        (b'{"error": {"type": "security_exception"}}', "Elasticsearch answers at http://"),
    ],
)
def test_the_engine_is_named(run: Any, fake: Any, body: bytes, named: str) -> None:
    fake.body, fake.status = body, 403 if b"error" in body else 200
    assert named in run("connection", "--url", fake.url).out
