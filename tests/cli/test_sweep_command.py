"""`es-simhash sweep` on the command line."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from tests.support.processes import command_line, running
from tests.support.swept import SweptIndex

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def index(swept_index: SweptIndex) -> SweptIndex:
    """An index that a user's own program writes to."""
    return swept_index


@pytest.fixture
def call(cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Call a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: object) -> Any:
        return CliRunner().invoke(cli, [*map(str, arguments), "--url", cluster_url])

    return invoke


@pytest.mark.long
def test_versions_of_another_writer_are_flagged_and_unflagged(
    index: Any, call: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2), "a2": revise(first, 3)})
    done = call("sweep", index.name, "--processes", 1, "--on-version", "flag")
    assert done.exit_code == 0, done.output
    log = f"{index.name}.audit.jsonl"
    assert "3 documents processed, 3 fingerprinted, 0 failed, families of 3 written" in done.output
    assert f"1 flagged, decisions in {log} (run " in done.output
    assert index.duplicates() == {"a2": "a"}
    assert "unmarked 1." in call("undo", index.name, log).output
    call("sweep", index.name, "--processes", 1)
    again = call("sweep", index.name, "--processes", 1)
    assert "Nothing was written since the last sweep." in again.output


def test_json_is_one_line_for_a_sweep(index: Any, call: Any, make_text: Make) -> None:
    index.store({"a": make_text(1)})
    done = call("sweep", index.name, "--processes", 1, "--format", "json")
    told = json.loads(done.output)
    assert told["enriched"]["written"] == 1
    assert told["families"]["documents"] == 1
    assert told["decisions"] == {}
    nothing = json.loads(call("sweep", index.name, "--format", "json").output)
    assert nothing["enriched"]["unchanged"] == 1
    assert json.loads(call("sweep", index.name, "--format", "json").output)["families"] is None


def test_documents_that_cannot_be_enriched_are_in_a_file(
    index: Any, call: Any, make_text: Make, tmp_path: Path
) -> None:
    # A field that takes anything.
    index.client.indices.put_mapping(
        index=index.name, properties={"body": {"type": "object", "enabled": False}}
    )
    for id, body in {"good": make_text(1), "bad": {"no": "text"}}.items():
        index.client.index(index=index.name, id=id, document={"body": body})
    done = call("sweep", index.name, "--processes", 1, "--text-field", "body")
    assert done.exit_code == 1
    assert "1 failed" in done.output
    failures = (tmp_path / f"{index.name}.failures.jsonl").read_text()
    assert json.loads(failures)["id"] == "bad"


@pytest.mark.parametrize("every", ["60", "0s", "1 min", "-5s"])
def test_a_duration_that_is_none_is_refused(call: Any, every: str) -> None:
    done = call("sweep", "articles", "--every", every)
    assert done.exit_code == 2
    assert f"{every!r} is not a duration. Give one such as 60s" in done.output.replace("\n", " ")


@pytest.mark.long
def test_it_goes_on_until_it_is_ended(
    index: Any, cluster_url: str, make_text: Make, tmp_path: Path
) -> None:
    index.store({"a": make_text(1)})
    line = command_line("sweep", index.name, "--every", "1s", "--on-version", "flag",
                        "--processes", 1, "--url", cluster_url)  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    options = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "text": True}
    with running(line, **options) as process:
        assert process.stdout is not None
        assert "1 fingerprinted" in process.stdout.readline()
        index.store({"b": make_text(1)})
        deadline = time.monotonic() + 60
        while "1 flag" not in process.stdout.readline():
            assert time.monotonic() < deadline
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert index.duplicates() == {"b": "a"}
