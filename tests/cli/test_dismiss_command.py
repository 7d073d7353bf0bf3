"""`es-simhash families dismiss`, what other commands show of it, and `undo` by the id of a run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.maintenance.families.dismissals_and_joins import manual_pairs

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def pair(desk: Any, make_text: Make, revise: Make) -> Any:
    """An index of two versions."""
    first = make_text(1)
    desk.put([{"_id": "a", "text": first}, {"_id": "b", "text": revise(first, 3)}])
    return desk


def test_a_dismissal_is_made_listed_shown_and_removed(pair: Any, call: Any) -> None:
    nothing = call("families", "decisions", pair.name)
    assert (nothing.status, nothing.out) == (0, "No decisions.\n")
    done = call("families", "dismiss", pair.name, "b", "a")
    assert done.out == (
        f"Dismissed b and a. Run `es-simhash families run {pair.name}` to apply it to families.\n"
    )
    assert "dismissed" in call("families", "decisions", pair.name).out
    listed = json.loads(call("families", "decisions", pair.name, "--format", "json").out)
    assert listed == [{"ids": ["a", "b"], "reason": "dismissed", "run": None}]
    assert "No relations found" in call("related", pair.name, "--id", "a").out
    assert "version (dismissed)" in call("related", pair.name, "--id", "a", "--dismissed").out
    explained = call("explain", pair.name, "a", "b").out
    assert "is a version of" in explained
    assert "dismissed: a person decided that they are not versions" in explained
    assert json.loads(call("explain", pair.name, "a", "b", "--format", "json").out)["dismissed"]
    removed = call("families", "dismiss", pair.name, "a", "b", "--undo")
    assert removed.out.startswith("Removed the dismissal of a and b.")
    assert call("families", "decisions", pair.name, "--format", "json").out == "[]\n"
    assert "nothing to undo" in call("families", "dismiss", pair.name, "a", "b", "--undo").refusal()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Give the ids A and B of two documents."),
        (("a",), "Give the ids A and B of two documents."),
        (("a", "b", "--replace", "--undo"), "--replace removes joins"),
        (("--run", "1"), "--run takes no documents and needs --undo."),
        (("a", "b", "--undo", "--run", "1"), "--run takes no documents and needs --undo."),
    ],
)
def test_what_makes_no_sense_together_is_refused(
    call: Any, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in call("families", "dismiss", "articles", *arguments).wrong_usage()


@pytest.fixture
def two_runs(desk: Any, call: Any, tmp_path: Path, make_text: Make) -> list[str]:
    """The ids of two runs with one audit log: an ingest, and a sweep."""
    texts = {"a": make_text(1), "a2": make_text(1), "s": make_text(2)}
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()))
    options = ("--processes", 1, "--on-version", "flag")
    ingested = call("ingest", desk.name, path, *options, "--format", "json")
    assert ingested.status == 0, ingested
    summary = json.loads(ingested.out)
    assert (summary["written"], summary["versions"], summary["failed"]) == (3, 1, 0)
    assert summary["audit"] == f"{desk.name}.audit.jsonl"
    desk.client.index(index=desk.name, id="s2", document={"text": make_text(2)}, refresh=True)
    swept = call("sweep", desk.name, *options)
    assert "1 flag" in swept.out
    run = swept.out.split("(run ")[1].split(")")[0]
    assert {id for id, marks in desk.marks().items() if "duplicate_of" in marks} == {"a2", "s2"}
    return [summary["run"], run]


def flagged(desk: Any) -> set[str]:
    return {id for id, marks in desk.marks().items() if "duplicate_of" in marks}


def test_undo_refuses_to_choose_among_runs_and_lists_them(
    desk: Any, call: Any, two_runs: list[str]
) -> None:
    refusal = call("undo", desk.name, f"{desk.name}.audit.jsonl").refusal()
    assert refusal.startswith("Error: There are 2 runs in audit log ")
    # The newest first.
    assert refusal.index(two_runs[1]) < refusal.index(two_runs[0])
    assert refusal.count("1 flag") == 2
    assert refusal.endswith("Name one, or 'all'. Set --run.\n")
    assert flagged(desk) == {"a2", "s2"}
    assert manual_pairs(desk.client, desk.name) == []


def test_the_run_that_is_named_is_undone_and_no_other(
    desk: Any, call: Any, two_runs: list[str]
) -> None:
    log = f"{desk.name}.audit.jsonl"
    done = call("undo", desk.name, log, "--run", two_runs[0][:6])
    assert done.status == 0, done
    assert f"Undone: run {two_runs[0]}." in done.out
    assert flagged(desk) == {"s2"}
    every = json.loads(call("undo", desk.name, log, "--run", "all", "--format", "json").out)
    assert every["runs"] == [two_runs[1], two_runs[0]]
    assert (every["unmarked"], every["unchanged"]) == (1, 1)
    assert flagged(desk) == set()


def test_an_undone_run_is_listed_and_lifted(desk: Any, call: Any, two_runs: list[str]) -> None:
    call("undo", desk.name, f"{desk.name}.audit.jsonl", "--run", two_runs[0])
    listed = json.loads(call("families", "decisions", desk.name, "--format", "json").out)
    assert listed == [{"ids": ["a2", "a"], "reason": "undone", "run": two_runs[0]}]
    assert two_runs[0] in call("families", "decisions", desk.name).out
    lifted = call("families", "dismiss", desk.name, "--undo", "--run", two_runs[0][:5])
    assert lifted.out == f"Lifted 1 undone decision of run {two_runs[0]}.\n"
    assert manual_pairs(desk.client, desk.name) == []


def test_a_beginning_that_several_runs_share_is_refused(
    desk: Any, call: Any, two_runs: list[str]
) -> None:
    log = Path(f"{desk.name}.audit.jsonl")
    renamed = log.read_text()
    for number, run in enumerate(two_runs):
        renamed = renamed.replace(run, f"abc{number}00000000")
    log.write_text(renamed)
    refusal = call("undo", desk.name, log, "--run", "abc").refusal()
    assert "Run 'abc' is ambiguous: abc000000000, abc100000000 begin with it." in refusal
    assert "There is no run 'abd'" in call("undo", desk.name, log, "--run", "abd").refusal()
    assert "There is no run ''" in call("undo", desk.name, log, "--run", "").refusal()
    assert flagged(desk) == {"a2", "s2"}
    assert call("undo", desk.name, log, "--run", "abc1").status == 0
    assert flagged(desk) == {"a2"}


def test_the_run_is_printed_in_the_text_of_ingest(
    desk: Any, call: Any, tmp_path: Path, make_text: Make
) -> None:
    path = tmp_path / "documents.jsonl"
    documents = [{"id": id, "text": make_text(1)} for id in ("a", "b")]
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    done = call("ingest", desk.name, path, "--processes", 1, "--on-version", "skip")
    run = done.out.split("(run ")[1].split(")")[0]
    (record,) = [
        json.loads(line) for line in Path(f"{desk.name}.audit.jsonl").read_text().splitlines()
    ]
    assert record["run"] == run
    assert "Restored 1" in call("undo", desk.name, f"{desk.name}.audit.jsonl", "--run", run).out
    plain = json.loads(call("ingest", desk.name, path, "--processes", 1, "--format", "json").out)
    assert (plain["run"], plain["audit"], plain["versions"]) == (None, None, None)
