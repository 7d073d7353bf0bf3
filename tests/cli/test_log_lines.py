"""`-v` and `--log-format`: each retry, wait and conflict is a line, and no secret is in one."""

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.proxy import Proxy

SECRET = "hunter2-of-the-tests"
pytestmark = pytest.mark.cluster


@pytest.fixture
def documents(
    run: Any, cluster_url: str, index_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(random, "uniform", lambda low, high: 0.0)
    assert run("install", index_name, "--no-semantics", "--url", cluster_url).status == 0
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"id": id, "text": f"The harbour opens at six, {id}."}) for id in "12"]
    path.write_text("\n".join(lines), "utf-8")
    return path


def answers(proxy: Proxy, *statuses: int) -> None:
    """Let the first bulk requests fail."""
    left = list(statuses)

    def hook(path: str, body: bytes) -> tuple[int, bytes] | None:
        return (left.pop(0), b"{}") if "_bulk" in path and left else None

    proxy.hook = hook


def test_each_retry_is_a_line_of_json(
    run: Any, proxy: Proxy, index_name: str, documents: Path
) -> None:
    answers(proxy, 429, 503)
    arguments = ("ingest", index_name, documents, "--processes", "1", "--quiet")
    url = proxy.url.replace("://", f"://u:{SECRET}@")
    done = run(*arguments, "--log-format", "json", "--url", url)
    assert done.status == 0, done
    lines = [json.loads(line) for line in done.err.splitlines()]
    assert [(line["level"], line["event"]) for line in lines] == [("info", "retry")] * 2
    assert lines[0]["logger"] == "es_simhash.store.elasticsearch.retry"
    assert lines[0]["message"] == "Retry in 0.0 s, 0 s waited so far: it answers 429."
    assert "T" in lines[0]["time"]
    assert SECRET not in done.err


def test_a_request_that_is_divided_is_a_line(
    run: Any, proxy: Proxy, index_name: str, documents: Path
) -> None:
    answers(proxy, 413)
    done = run("-v", "ingest", index_name, documents, "--processes", "1", "--url", proxy.url)
    assert done.status == 0, done
    (line,) = [line for line in done.err.splitlines() if " INFO " in line]
    assert line.endswith(": A request of 2 documents is rejected (413) and divided.")


def test_a_conflict_and_a_wait_are_lines(
    run: Any, client: Any, cluster_url: str, proxy: Proxy, index_name: str, documents: Path
) -> None:
    for id in "34":
        client.index(index=index_name, id=id, document={"text": f"Six, {id}"}, refresh=True)
    changed: list[str] = []

    def change(path: str, body: bytes) -> None:
        if "_bulk" in path and not changed:
            changed.append("3")
            client.index(index=index_name, id="3", document={"text": "Seven"})

    proxy.hook = change
    options = ("--max-docs-per-second", "1000", "--processes", "1", "--quiet")
    done = run("backfill", index_name, "-v", "--url", proxy.url, *options)
    assert done.status == 0, done
    assert "1 document of a batch of index" in done.err
    assert "another writer was quicker" in done.err


def test_requests_are_lines_where_twice_as_much_is_wanted(
    run: Any, cluster_url: str, index_name: str, documents: Path
) -> None:
    quiet = run("status", index_name, "--url", cluster_url)
    done = run("status", index_name, "-vv", "--url", cluster_url)
    assert quiet.err == ""
    assert f"INFO elastic_transport.transport: GET {cluster_url}/{index_name}/_mapping" in done.err
    for name in ("es_simhash", "elastic_transport.transport"):
        assert logging.getLogger(name).handlers == []
        assert logging.getLogger(name).propagate
