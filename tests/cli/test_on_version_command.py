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
    skipping = ("--on-version", "skip", "--lose", 1)
    done = call("ingest", desk.name, path, "--processes", 1, *skipping)
    assert done.exit_code == 0, done.output
    assert "2 written, 0 unchanged, 2 skipped, 0 failed" in done.output
    log = f"{desk.name}.audit.jsonl"
    assert f"2 versions; decisions in {log} (run " in done.output
    undone = call("undo", desk.name, log)
    assert "Restored 2, already present 0, unmarked 0." in undone.output
    assert set(desk.documents()) == {"0", "1", "2", "3"}
    again = json.loads(call("undo", desk.name, log, "--format", "json").output)
    assert (again["restored"], again["present"]) == (0, 2)


def test_versions_with_text_of_their_own_are_kept_and_counted(
    desk: Any, call: Any, path: Path
) -> None:
    done = call("ingest", desk.name, path, "--processes", 1, "--on-version", "skip")
    assert "3 written, 0 unchanged, 1 skipped, 0 failed" in done.output
    assert "2 versions, 1 of them kept and flagged, as text would be lost; " in done.output
    assert {id for id, marks in desk.marks().items() if marks} == {"2"}
    undone = call("undo", desk.name, f"{desk.name}.audit.jsonl")
    assert "Restored 1, already present 0, unmarked 1." in undone.output


@pytest.mark.parametrize("share", ["2", "-0.1", "half"])
@pytest.mark.parametrize("command", ["ingest", "sweep"])
def test_a_share_that_is_none_is_one_sentence(
    desk: Any, call: Any, path: Path, command: str, share: str
) -> None:
    sources = (path,) if command == "ingest" else ()
    done = call(command, desk.name, *sources, "--on-version", "skip", f"--lose={share}")
    assert done.exit_code != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert "--lose" in line
    assert share in line
    assert desk.documents() == {}


def test_off_is_what_it_was_without_the_option(desk: Any, call: Any, path: Path) -> None:
    done = call("ingest", desk.name, path, "--processes", 1)
    assert "4 written, 0 unchanged, 0 failed in" in done.output
    assert "versions" not in done.output
    assert not list(path.parent.glob("*.audit.jsonl"))
    assert not desk.client.indices.exists(index=f"{desk.name}-simhash")


def test_the_options_reach_the_rules(desk: Any, call: Any, path: Path) -> None:
    done = call(
        *("ingest", desk.name, path, "--processes", 1, "--on-version", "flag"),
        *("--kind", "exact", "--audit", "mine.jsonl"),
    )
    assert "1 version; decisions in mine.jsonl (run " in done.output
    assert {id for id, marks in desk.marks().items() if marks} == {"3"}


def test_options_that_contradict_each_other_are_refused(desk: Any, call: Any, path: Path) -> None:
    done = call("ingest", desk.name, path, "--on-version", "replace", "--keep", "newest")
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: --date-field is required to keep the newest")
    assert desk.documents() == {}


def test_documents_without_a_date_are_counted_and_some_named(
    desk: Any, call: Any, path: Path
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    newest = ("--on-version", "replace", "--keep", "newest", "--date-field", "date")
    done = call("ingest", desk.name, path, "--processes", 1, *newest)
    assert done.exit_code == 0, done.output
    assert (
        "4 documents without a date, never preferred to one with a date: 0, 1, 2, 3." in done.output
    )


def test_a_date_that_the_engine_cannot_read_goes_to_the_dead_letter_file(
    desk: Any, call: Any, path: Path
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    document = {"id": "bad", "text": "a text of its own", "date": "Monday"}
    path.write_text(json.dumps(document) + "\n")
    newest = ("--on-version", "replace", "--keep", "newest", "--date-field", "date")
    done = call("ingest", desk.name, path, "--processes", 1, *newest)
    assert done.exit_code == 1
    assert "Monday" in done.stderr
    assert "Monday" in (path.parent / f"{desk.name}.dead-letter.jsonl").read_text()
    assert desk.documents() == {}


def test_a_misspelt_date_field_names_the_nearest_and_the_option(
    desk: Any, call: Any, path: Path
) -> None:
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    newest = ("--on-version", "replace", "--keep", "newest", "--date-field", "datum")
    done = call("ingest", desk.name, path, "--processes", 1, *newest)
    assert done.exit_code == 1
    assert done.stderr == (
        f"Error: No mapping of {desk.name} has a field 'datum'; the nearest field of the mapping "
        "is 'date'. Set --date-field.\n"
    )
    assert desk.documents() == {}


def test_the_counts_of_replace_add_up(desk: Any, call: Any, path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for number in range(3):
        lines.append({"id": f"longer-{number}", "text": lines[-1]["text"] + " and more" * number})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = ("ingest", desk.name, path, "--processes", 1, "--on-version", "replace")
    given += ("--lose", 1)
    done = call(*given, "--format", "json")
    report = json.loads(done.output)
    records = (path.parent / f"{desk.name}.audit.jsonl").read_text().splitlines()
    assert report["versions"] == len(records)
    assert report["written"] == len(desk.documents()) == 2
    assert report["replaced"] > 0
    counted = ("written", "unchanged", "skipped", "replaced", "conflicting", "failed")
    assert sum(report[name] for name in counted) == report["documents"] == len(lines) == 7


def test_a_dry_run_shows_what_would_be_lost_and_writes_nothing(
    desk: Any, call: Any, path: Path, tmp_path: Path
) -> None:
    options = ("--processes", 1, "--on-version", "skip", "--dry-run")
    done = call("ingest", desk.name, path, *options)
    assert done.exit_code == 0, done.output
    (retained,) = [line for line in done.output.splitlines() if line.startswith("2: ")]
    assert "Written and flagged, as text would be lost" in retained
    assert "3: Skipped: copy of '0', score 1.00." in done.output
    assert "\n    - " in done.output
    assert "3 written, 0 unchanged, 1 skipped, 0 failed; 2 versions, 1 of them kept" in done.output
    assert done.output.endswith("Dry run: nothing was written.\n")
    assert desk.documents() == {}
    assert {each.name for each in tmp_path.iterdir()} == {"documents.jsonl"}
    found = json.loads(call("ingest", desk.name, path, *options, "--format", "json").stdout)
    assert found["dry_run"] is True
    assert found["audit"] is found["run"] is None
    assert (found["versions"], found["retained"]) == (2, 1)
    assert [(each["id"], each["version_of"]) for each in found["decisions"]] == [
        ("2", "0"),
        ("3", "0"),
    ]
    assert found["decisions"][0]["lost"]["share"] > 0.02
    assert found["decisions"][1]["lost"] is None


def test_failures_of_a_dry_run_are_in_the_named_file_alone(
    desk: Any, call: Any, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "1", "text": \n')
    done = call("ingest", desk.name, broken, "--dry-run")
    assert done.exit_code == 1
    assert "1 document failed. See the lines above, or --dead-letter FILE" in done.stderr
    assert {each.name for each in tmp_path.iterdir()} == {"broken.jsonl"}
    done = call("ingest", desk.name, broken, "--dry-run", "--dead-letter", "failed.jsonl")
    assert "See failed.jsonl for the reasons." in done.stderr
    assert json.loads((tmp_path / "failed.jsonl").read_text())["line"] == 1
