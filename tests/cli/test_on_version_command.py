"""`ingest --on-version` and `undo` on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def call(
    desk: Any, cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Call a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))

    def invoke(*arguments: object) -> Any:
        return CliRunner().invoke(cli, [*map(str, arguments), "--url", cluster_url])

    return invoke


@pytest.fixture
def path(tmp_path: Path, make_text: Make, revise: Make) -> Path:
    """A file of two texts, and a version and a copy of the first."""
    first = make_text(1)
    texts = [first, make_text(2), revise(first, 3), first.upper()]
    found = tmp_path / "documents.jsonl"
    found.write_text(
        "".join(json.dumps({"id": str(n), "text": each}) + "\n" for n, each in enumerate(texts))
    )
    return found


def test_versions_are_skipped_and_restored(desk: Any, call: Any, path: Path) -> None:
    done = call("ingest", desk.name, path, "--processes", 1, "--on-version", "skip")
    assert done.exit_code == 0, done.output
    assert "2 written, 0 unchanged, 2 skipped, 0 failed" in done.output
    log = f"{desk.name}.audit.jsonl"
    assert f"2 versions; decisions in {log} (run " in done.output
    undone = call("undo", desk.name, log)
    assert "Restored 2, already present 0, unmarked 0." in undone.output
    assert set(desk.documents()) == {"0", "1", "2", "3"}
    again = json.loads(call("undo", desk.name, log, "--format", "json").output)
    assert (again["restored"], again["present"]) == (0, 2)


def test_off_is_what_it_was_without_the_option(desk: Any, call: Any, path: Path) -> None:
    done = call("ingest", desk.name, path, "--processes", 1)
    assert "4 written, 0 unchanged, 0 failed in" in done.output
    assert "versions" not in done.output
    assert not list(path.parent.glob("*.audit.jsonl"))
    assert not desk.client.indices.exists(index=f"{desk.name}-simhash")


def test_the_options_reach_the_rules(desk: Any, call: Any, path: Path) -> None:
    done = call(
        *("ingest", desk.name, path, "--processes", 1, "--on-version", "flag"),
        *("--version-kinds", "exact", "--audit", "mine.jsonl"),
    )
    assert "1 versions; decisions in mine.jsonl (run " in done.output
    assert {id for id, marks in desk.marks().items() if marks} == {"3"}


def test_options_that_contradict_each_other_are_refused(desk: Any, call: Any, path: Path) -> None:
    done = call("ingest", desk.name, path, "--on-version", "replace", "--keep", "newest")
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: --date-field is required to keep the newest")
    assert desk.documents() == {}
