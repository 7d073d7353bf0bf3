"""`es-simhash warm` fills the cache of a service, goes on where it ended, and waits as told."""

import json
import os
from pathlib import Path
from urllib.parse import unquote

import pytest

from es_simhash.cli.warm_command import _Service
from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.cli.conftest import Fake, Run
from tests.support.proxy import Proxy
from tests.support.service import KEYS, ODD_IDS, Serve, tenant_config

pytestmark = pytest.mark.cluster

ONE_LINE_IDS = [id for id in ODD_IDS if "\n" not in id]


@pytest.fixture
def ids(tmp_path: Path) -> Path:
    file = tmp_path / "ids.txt"
    file.write_text("\n".join(["a1", "a2", "missing", "", "b1", *ONE_LINE_IDS]), "utf-8")
    return file


def test_what_was_asked_for_is_answered_from_the_cache(
    run: Run, serve: Serve, tenants: str, ids: Path, proxy: Proxy
) -> None:
    http = serve(tenants, url=proxy.url)
    address = str(http.base_url).rstrip("/")
    done = run("warm", ids, "--service", address, "--rate", 1_000)
    assert done.out == f"Asked for {3 + len(ONE_LINE_IDS)} documents; 1 is not there.\n"
    sent: list[str] = []
    proxy.hook = lambda path, body: sent.append(path)
    assert http.get("/v1/related/a1?evidence=false").status_code == 200
    assert len(sent) == 1


def test_a_run_that_ended_goes_on_where_it_was(
    run: Run, serve: Serve, tenants: str, tmp_path: Path
) -> None:
    address = str(serve(tenants).base_url).rstrip("/")
    ids, checkpoint = tmp_path / "ids.txt", tmp_path / "checkpoint.json"
    ids.write_text("a1\na2\nb1\nb2\n", "utf-8")
    checkpoint.write_text(json.dumps({"count": 3, "last": "b1"}), "utf-8")
    line = ("warm", ids, "--service", address, "--checkpoint", checkpoint, "--rate", 1_000)
    assert run(*line).out == "Asked for 1 document; 0 are not there.\n"
    assert not checkpoint.exists()
    checkpoint.write_text(json.dumps({"count": 3, "last": "a2"}), "utf-8")
    assert "is no checkpoint of these ids. Remove it" in run(*line).refusal()
    checkpoint.write_text("[]", "utf-8")
    assert "is no checkpoint of these ids. Remove it" in run(*line).refusal()


def test_a_service_that_goes_away_leaves_a_checkpoint(run: Run, tmp_path: Path) -> None:
    ids, checkpoint = tmp_path / "ids.txt", tmp_path / "checkpoint.json"
    ids.write_text("a1\n", "utf-8")
    line = ("warm", ids, "--service", "http://127.0.0.1:9", "--checkpoint", checkpoint)
    assert "does not answer" in run(*line).refusal()
    assert not checkpoint.exists()


def test_it_waits_where_the_service_says_so(
    run: Run, serve: Serve, tenants: str, tmp_path: Path
) -> None:
    # 120 a minute, two a second: with 121 the last one is told to wait.
    limits = ServiceLimits(requests_per_minute=120)
    address = str(serve(tenants, ServiceConfig(limits=limits)).base_url).rstrip("/")
    ids = tmp_path / "ids.txt"
    ids.write_text("a1\n" * 125, "utf-8")
    done = run("warm", ids, "--service", address, "--rate", 1_000)
    assert done.out == "Asked for 125 documents; 0 are not there.\n"


def test_a_key_is_shown_and_never_printed(
    run: Run, serve: Serve, tenants: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(serve(tenants, tenant_config()).base_url).rstrip("/")
    ids = tmp_path / "ids.txt"
    ids.write_text("a1\nb1\n", "utf-8")
    line = ("warm", ids, "--service", address, "--rate", 1_000)
    assert "answers 401" in run(*line).refusal()
    assert (
        "WARM_KEY, which is not in the environment"
        in run(*line, "--key-variable", "WARM_KEY").refusal()
    )
    monkeypatch.setenv("WARM_KEY", KEYS["a"])
    done = run(*line, "--key-variable", "WARM_KEY")
    assert done.out == "Asked for 1 document; 1 is not there.\n"
    assert KEYS["a"] not in done.err


def test_a_document_that_cannot_be_compared_is_passed_over(
    run: Run, fake: Fake, tmp_path: Path
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("a1\na2\n", "utf-8")
    fake.status = 422
    done = run("warm", ids, "--service", fake.url, "--rate", 1_000)
    assert done.out == "Asked for 0 documents; 0 are not there, 2 cannot be compared.\n"
    assert (done.status, len(fake.requests)) == (0, 2)


@pytest.mark.parametrize("key", ["the-key\nof-a-tenant", "the-key-\u4e2d", "the-key\x00"])
def test_a_key_that_no_header_can_have_is_not_printed(
    run: Run, fake: Fake, ids: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr("os.environ", {**os.environ, "WARM_KEY": key})
    sentence = run("warm", ids, "--service", fake.url, "--key-variable", "WARM_KEY").refusal()
    assert "names WARM_KEY, whose value no header can have" in sentence
    assert "the-key" not in sentence
    assert fake.requests == []


def test_the_new_line_behind_a_key_is_no_part_of_it(
    run: Run, serve: Serve, tenants: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(serve(tenants, tenant_config()).base_url).rstrip("/")
    ids = tmp_path / "ids.txt"
    ids.write_text("a1\n", "utf-8")
    monkeypatch.setenv("WARM_KEY", f"{KEYS['a']}\r\n")
    done = run("warm", ids, "--service", address, "--key-variable", "WARM_KEY")
    assert done.out == "Asked for 1 document; 0 are not there.\n"


def test_a_rate_that_is_no_number_is_wrong_usage(run: Run, fake: Fake, ids: Path) -> None:
    assert "nan is not in the range" in run("warm", ids, "--rate", "nan").wrong_usage()


def test_a_password_in_the_address_is_refused_and_not_printed(run: Run, ids: Path) -> None:
    sentence = run("warm", ids, "--service", "http://me:hidden@127.0.0.1:9").refusal()
    assert "service must be an address" in sentence
    assert "hidden" not in sentence


def test_an_id_with_a_line_separator_of_unicode_is_one_id(run: Run, fake: Fake, ids: Path) -> None:
    ids.write_bytes("a\u2028b\r\nc\u0085d\n\x0b\n".encode())
    assert run("warm", ids, "--service", fake.url, "--rate", 1_000).status == 0
    asked = [unquote(request.path.partition("?")[0]) for request in fake.requests]
    assert asked == [f"/v1/related/{id}" for id in ("a\u2028b", "c\u0085d", "\x0b")]


def test_a_checkpoint_that_cannot_be_written_is_said_before_the_run(
    run: Run, fake: Fake, ids: Path, tmp_path: Path
) -> None:
    line = ("warm", ids, "--service", fake.url, "--rate", 1_000, "--checkpoint")
    sentence = run(*line, tmp_path / "no-folder" / "checkpoint.json").refusal()
    assert "Cannot write to" in sentence
    assert "--checkpoint" in sentence
    assert fake.requests == []


def test_a_checkpoint_that_can_no_longer_be_written_hides_no_error(
    run: Run, fake: Fake, ids: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    line = ("warm", ids, "--service", fake.url, "--checkpoint", folder / "checkpoint.json")
    status = _Service.status

    def failing(service: _Service, path: str) -> int:
        if fake.requests:
            folder.rmdir()
            fake.status = 400
        return status(service, path)

    monkeypatch.setattr(_Service, "status", failing)
    assert "answers 400" in run(*line).refusal()


@pytest.mark.parametrize(
    "service",
    [
        "127.0.0.1:8000", "ftp://x", "http://", "", "http://127.0.0.1:80x", "http://127.0.0.1:99999",
        "http://[::1", "http://a b",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_said(run: Run, tmp_path: Path, service: str) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("a1\n", "utf-8")
    assert "service must be an address" in run("warm", ids, "--service", service).refusal()


def test_a_host_that_no_name_can_be_does_not_answer(run: Run, ids: Path) -> None:
    sentence = run("warm", ids, "--service", f"http://{'a' * 64}.example").refusal()
    assert "does not answer" in sentence
