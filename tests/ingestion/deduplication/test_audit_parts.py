"""Audit logs and their runs, without an engine."""

import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.deduplication.audit_log import (
    FileAudit,
    Record,
    audit_of,
    unchanging_audit,
)
from es_simhash.ingestion.deduplication.audit_runs import (
    AuditRun,
    choose_runs,
    find_run,
    new_run,
    runs_of,
)
from es_simhash.ingestion.deduplication.version_rules import ACTIONS, DONE, OnVersion

HEAD = {"run": "r", "index": "i", "id": "d", "other": "o", "action": "skip", "number": 1, "time": 2}


@pytest.mark.parametrize(
    "changed",
    [
        {"format": "another"},
        {"format": 0},
        {"run": 1},
        {"number": "1"},
        {"time": None},
        {"family": "f"},
        {"action": "flag"},
        {"action": "retain", "score": "1"},
        {"routing": 1},
        {"other_routing": []},
        {"in": 2},
        {"replaced": "index"},
        {"replaced": ["index", 1]},
        {"replaced": ["index", "1", 1]},
        {"replaced": [1, 1, 1]},
        {"successor": ["d", "hash"]},
        {"successor": ["d", 1, None]},
    ],
)
def test_what_could_not_be_undone_is_no_record(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no record"):
        Record.of_line(Record({**HEAD, **changed}).line())


@pytest.mark.parametrize(
    "added",
    [
        {},
        {"family": "f", "gave_family": False},
        {"action": "flag", "score": 1},
        {"action": "link", "score": 0.5},
        {"routing": "r", "other_routing": None, "in": "i"},
        {"replaced": ["index", 1, 2]},
        {"replaced": None},
        {"replaced": ["index", 1, 2], "successor": ["d", "hash", None]},
    ],
)
def test_what_can_be_undone_is_a_record(added: dict[str, Any]) -> None:
    assert Record.of_line(Record({**HEAD, **added}).line()).head == {**HEAD, **added}


def test_a_line_of_brackets_is_no_record() -> None:
    with pytest.raises(ValueError, match="no record"):
        Record.of_line(b"[" * 200_000)


def test_a_log_has_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    one, other = FileAudit(path), FileAudit(path)
    one.open()
    with pytest.raises(FileInUse) as refused:
        other.open()
    assert refused.value.parameter == "audit"
    one.close()
    one.close()
    # Who was refused holds nothing open, and is opened by what it writes.
    other.write([])
    assert path.read_bytes() == b""
    other.write([Record(HEAD)])
    other.close()
    assert list(FileAudit(path).read()) == [Record(HEAD)]


def test_who_closes_a_log_may_open_it_again_for_others(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    one = FileAudit(path)
    one.open()
    assert stat.S_IMODE(path.stat().st_mode) & ~0o644 == 0
    one.close()
    with unchanging_audit(path):
        assert list(one.read()) == []


def test_a_line_that_was_cut_off_is_named_and_the_next_begins_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, whole = tmp_path / "audit.jsonl", Record(HEAD).line() + b"\n"
    path.write_bytes(whole + b" \n" + whole[:30])
    audit = FileAudit(path)
    for _ in range(2):
        audit.open()
        audit.close()
    assert path.read_bytes() == whole + b" \n" + whole[:30] + b"\n"
    assert len(list(audit.read())) == 1
    assert [message.split(" of ")[0] for message in caplog.messages] == ["Line 3"]
    caplog.clear()
    audit.write([Record({**HEAD, "id": "next"})])
    audit.close()
    assert [record.head["id"] for record in audit.read()] == ["d", "next"]
    # Reading the log again repeats no warning.
    assert caplog.messages == []
    path.write_bytes(b"some\nnotes\n" + whole)
    assert len(list(audit.read())) == 1
    assert caplog.messages == [
        f"2 lines of the audit log {path} cannot be read, the first is line 1, and are passed over."
    ]
    # A log of one line end has nothing that was cut off.
    path.write_bytes(b"\n")
    audit.open()
    audit.close()
    assert path.read_bytes() == b"\n"


def test_a_log_is_a_file_or_an_index(tmp_path: Path) -> None:
    client: Any = None
    assert isinstance(audit_of("decisions.jsonl", client), FileAudit)
    assert isinstance(audit_of(tmp_path, client), FileAudit)
    assert (
        audit_of("index:decisions", Elasticsearch("http://127.0.0.1:9")).name == "index:decisions"
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_said() -> None:
    full = FileAudit(Path("/dev/full"))
    with pytest.raises(InputError, match=r"cannot be written \(No space left") as raised:
        full.write([Record(HEAD)])
    assert raised.value.parameter == "audit"
    assert "Name the log" not in str(raised.value)
    full.close()


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read .*Name the log that the run printed"):
        list(FileAudit(tmp_path).read())


def test_a_run_is_named_by_its_id_or_its_beginning() -> None:
    runs = ["abc1", "abc2", "b"]
    assert [find_run(name, runs, "log") for name in ("abc1", "abc2", "b")] == runs
    assert find_run("b", [*runs, "bc"], "log") == "b"
    assert find_run("abc1", iter(runs), "log") == "abc1"
    assert find_run("a", ["abc1", "b"], "log") == "abc1"
    for name in ("", "c", "abc11"):
        with pytest.raises(InputError, match=f"no run '{name}' in log"):
            find_run(name, runs, "log")
    with pytest.raises(InputError, match="'ab' is ambiguous: abc1, abc2 begin with it"):
        find_run("ab", runs[::-1], "log")
    many = [f"a{n}" for n in range(6)]
    with pytest.raises(InputError, match=r"ambiguous: a0, a1, a2, a3, a4 … begin"):
        find_run("a", many, "log")
    with pytest.raises(InputError, match=r"ambiguous: a0, a1, a2, a3, a4 begin"):
        find_run("a", many[:5], "log")


def test_ids_of_runs_differ() -> None:
    ids = {new_run() for _ in range(100)}
    assert (len(ids), {len(id) for id in ids}) == (100, {12})


def head(run: str, time: int, action: str) -> dict[str, Any]:
    return {**HEAD, "run": run, "time": time, "action": action}


def test_the_newest_run_is_the_first() -> None:
    heads = [
        head("a", 5, "skip"),
        head("b", 9, "write"),
        head("a", 7, "flag"),
        head("a", 6, "skip"),
    ]
    newest, older = runs_of(heads)
    assert (newest.run, newest.last, dict(newest.actions)) == ("b", 9, {"write": 1})
    assert (older.run, older.last, dict(older.actions)) == ("a", 7, {"skip": 2, "flag": 1})
    assert older.can_be_undone
    assert not newest.can_be_undone


@pytest.mark.parametrize("action", [*ACTIONS, "retain"])
def test_each_action_but_writing_can_be_undone(action: str) -> None:
    (run,) = runs_of([head("a", 1_700_000_000_999, action)])
    assert run.can_be_undone
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(1_700_000_000))
    assert run.summary == f"a ({when}, 1 {DONE[action]})"


def test_an_unknown_action_is_named_as_it_is() -> None:
    (run,) = runs_of([head("a", 1, "more"), head("a", 2, "flag")])
    assert run.summary.endswith(", 1 flagged, 1 more)")


def choosable(*names: str) -> list[AuditRun]:
    return runs_of(head(name, 1_000 * place, "skip") for place, name in enumerate(names))


def test_the_only_run_need_not_be_named() -> None:
    assert choose_runs(None, choosable("a"), "log") == ["a"]
    assert choose_runs(None, [*choosable("a"), *runs_of([head("w", 1, "write")])], "log") == ["a"]
    assert choose_runs(None, runs_of([head("w", 1, "write")]), "log") == []


def test_of_several_runs_all_or_one_is_named() -> None:
    runs = choosable("ab", "cd")
    assert choose_runs("all", runs, "log") == ["cd", "ab"]
    assert choose_runs("c", runs, "log") == ["cd"]
    with pytest.raises(InputError, match=r"There are 2 runs in log: cd \(.*; ab \(") as raised:
        choose_runs(None, runs, "log")
    assert raised.value.parameter == "run"
    assert "earlier" not in str(raised.value)
    with pytest.raises(InputError, match=r"; and 1 earlier\. Name one, or 'all'"):
        choose_runs(None, choosable(*"abcdef"), "log")
    with pytest.raises(InputError) as listed:
        choose_runs(None, choosable(*"abcde"), "log")
    assert "earlier" not in str(listed.value)


def test_rules_have_a_kind_and_an_action() -> None:
    with pytest.raises(InputError, match="got none") as raised:
        OnVersion(kinds=())
    assert raised.value.parameter == "kinds"
    rules = OnVersion("skip", min_score=0.7)
    assert OnVersion.of(rules) is rules
    assert OnVersion.of("link") == OnVersion("link")
    assert (rules.least_score, OnVersion().least_score) == (0.7, 0.0)


@pytest.mark.parametrize(
    ("action", "keep", "compares"),
    [
        ("replace", "newest", True),
        ("replace", "longest", False),
        ("skip", "newest", False),
        ("flag", "existing", False),
    ],
)
def test_dates_are_compared_where_the_newest_is_kept(
    action: Any, keep: Any, compares: bool
) -> None:
    assert OnVersion(action, keep=keep).compares_dates is compares
