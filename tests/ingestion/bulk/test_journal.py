"""The journal of a run: what is read back, whose it is, and what a kill leaves of it."""

import errno
import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.bulk.document_batches import Checkpoint
from es_simhash.ingestion.bulk.journal import Journal, open_journal
from es_simhash.ingestion.bulk.journal_file import default_path
from es_simhash.ingestion.bulk.run_documents import RECORD_BYTES
from tests.support.journals import rows, saved_lines

CHECKPOINT = Checkpoint("/a", 10, 2, "0badcafe")
JOB = {
    "index": "articles",
    "uuids": ["u1"],
    "sources": ["/a"],
    "text_field": "text",
    "on_version": None,
}


def save(path: Path, job: Any = JOB, *, fresh: bool = False) -> None:
    with open_journal(path, job, fresh=fresh) as journal:
        journal.save(CHECKPOINT, None, b"1" * 16)


def checkpoints(path: Path, job: Any = JOB, *, fresh: bool = False) -> dict[str, Checkpoint]:
    with open_journal(path, job, fresh=fresh) as journal:
        return journal.checkpoints


def test_a_journal_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "j"
    with open_journal(path, JOB) as journal:
        journal.save(CHECKPOINT, {"failed": 2, "written": 1}, b"1" * 16)
        journal.save(Checkpoint("/b", 1, 1, ""), {"failed": 1}, b"2" * 32)
    assert [each.name for each in path.parent.iterdir()] == ["j"]
    with open_journal(path, JOB) as again:
        assert (again.checkpoint("/a"), again.checkpoint("/c")) == (CHECKPOINT, None)
        assert again.report == {"failed": 3, "written": 1}
        assert list(again.records()) == [b"1" * 16, b"2" * 32]
        again.remove()
        again.remove()
    assert list(path.parent.iterdir()) == []
    assert checkpoints(path) == {}


def test_a_later_checkpoint_of_a_source_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    save(tmp_path / "j")
    with open_journal(tmp_path / "j", JOB) as journal:
        journal.save(Checkpoint("/a", 20, 4, "1badcafe"), None, b"3" * 16)
    with open_journal(tmp_path / "j", JOB) as again:
        assert again.checkpoint("/a") == Checkpoint("/a", 20, 4, "1badcafe")
        assert list(again.records()) == [b"1" * 16, b"3" * 16]


def test_names_of_files_need_not_be_unicode(tmp_path: Path) -> None:
    source = os.fsdecode(b"/folder/\xff\xfe.jsonl")
    job = {**JOB, "sources": [source]}
    with open_journal(tmp_path / "j", job) as journal:
        journal.save(Checkpoint(source, 1, 1, ""))
    assert list(checkpoints(tmp_path / "j", job)) == [source]


def test_a_journal_in_which_nothing_was_saved_is_deleted(tmp_path: Path) -> None:
    assert checkpoints(tmp_path / "j") == {}
    assert list(tmp_path.iterdir()) == []


SAVING = """
import sys
from pathlib import Path
from es_simhash.ingestion.bulk.document_batches import Checkpoint
from es_simhash.ingestion.bulk.journal import open_journal

with open_journal(Path(sys.argv[1]), {job!r}) as journal:
    start = journal.checkpoints["/a"].lines if journal.checkpoints else 0
    print("ready", flush=True)
    for number in range(start + 1, 1_000_000):
        # Of several pages, of which a kill may leave a part.
        journal.save(Checkpoint("/a", number, number, ""), {{"written": 1}}, b"x" * 16 * 1000)
"""


@pytest.mark.long
def test_a_kill_at_any_moment_leaves_a_journal_that_is_resumed(tmp_path: Path) -> None:
    path, last = tmp_path / "j", 0
    for attempt in range(6):
        command = [sys.executable, "-c", SAVING.format(job=JOB), str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            while saved_lines(path) <= last:
                time.sleep(0.001)
            time.sleep(attempt * 0.0013)
            process.send_signal(signal.SIGKILL)
        with open_journal(path, JOB) as journal:
            lines = journal.checkpoints["/a"].lines
            assert lines > last
            assert journal.report == {"written": lines}
            assert sum(map(len, journal.records())) == lines * RECORD_BYTES * 1000
        last = lines


def test_what_a_killed_run_did_not_commit_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "j"
    code = SAVING.replace("with open_journal", "import sqlite3, os, signal\nwith open_journal")
    code = code[: code.index("    start")] + (
        "    journal.save(Checkpoint('/a', 1, 1, ''), {{}}, b'1' * 16)\n"
        "    with journal._file.transaction() as database:\n"
        "        database.execute('PRAGMA cache_size = 1')\n"
        "        for _ in range(100):\n"
        "            database.execute('INSERT INTO records (content) VALUES (zeroblob(4096))')\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code.format(job=JOB), str(path)])
    assert done.returncode == -signal.SIGKILL
    assert path.with_name("j-journal").stat().st_size > 0
    with open_journal(path, JOB) as journal:
        assert list(journal.records()) == [b"1" * 16]
    assert [each.name for each in tmp_path.iterdir()] == ["j"]


@pytest.mark.parametrize("left", [5000, 8192])
def test_a_journal_that_is_cut_is_rejected_until_it_is_begun_anew(
    tmp_path: Path, left: int
) -> None:
    path = tmp_path / "j"
    with open_journal(path, JOB) as journal:
        journal.save(CHECKPOINT, None, b"1" * 16_000)
    os.truncate(path, left)
    with pytest.raises(InputError, match=r"is damaged \(.*\)\. Begin at the start\. Set fresh\."):
        checkpoints(path)
    assert checkpoints(path, fresh=True) == {}


def test_a_journal_of_another_release_is_ignored_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "j"
    save(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 2")
    assert checkpoints(path) == {}
    assert "of another release and is ignored" in caplog.text
    save(path)
    assert checkpoints(path) == {"/a": CHECKPOINT}


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    "content", [b"\xff", b"[]", b"\0" * 200, b'{"id": "1", "text": "A document."}\n' * 9]
)
def test_a_file_that_is_no_journal_is_not_overwritten(
    tmp_path: Path, content: bytes, fresh: bool
) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no journal and would be overwritten") as raised:
        checkpoints(path, fresh=fresh)
    assert raised.value.parameter == "journal"
    assert path.read_bytes() == content


@pytest.mark.parametrize("fresh", [False, True])
def test_a_database_of_another_program_is_not_overwritten(tmp_path: Path, fresh: bool) -> None:
    path = tmp_path / "notes.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE checkpoints (source)")
    content = path.read_bytes()
    with pytest.raises(InputError, match="is no journal and would be overwritten"):
        checkpoints(path, fresh=fresh)
    assert path.read_bytes() == content


def test_an_empty_file_is_a_new_journal(tmp_path: Path) -> None:
    (tmp_path / "j").touch()
    assert checkpoints(tmp_path / "j") == {}


@pytest.mark.parametrize(
    ("other", "both"),
    [
        (
            {"index": "other", "uuids": ["u2"]},
            "is of index 'articles', and this run writes to 'other'",
        ),
        (
            {"uuids": ["u2"]},
            "is of index 'articles' with UUID 'u1', and the one here has UUID 'u2': it was created "
            "anew, or is of another cluster",
        ),
        ({"text_field": "body"}, "is of a run with text_field 'text', and this one has 'body'"),
        ({"sources": ["/a", "/b"]}, "is of a run with sources '/a', and this one has '/a', '/b'"),
        ({"on_version": "skip"}, "is of a run with on_version None, and this one has 'skip'"),
    ],
)
def test_a_journal_of_another_job_is_refused_with_what_differs(
    tmp_path: Path, other: dict[str, Any], both: str
) -> None:
    path = tmp_path / "j"
    save(path)
    with pytest.raises(InputError) as raised:
        checkpoints(path, {**JOB, **other})
    assert str(raised.value) == (
        f"Journal '{path}' {both}. Name another journal, or begin at the start. Set fresh."
    )
    assert checkpoints(path) == {"/a": CHECKPOINT}
    # To begin at the start is final, also when that run is killed before its first checkpoint.
    assert checkpoints(path, {**JOB, **other}, fresh=True) == {}
    assert checkpoints(path, {**JOB, **other}) == {}


def test_an_index_is_the_same_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "j"
    save(path)
    assert checkpoints(path, {**JOB, "index": "alias"}) == {"/a": CHECKPOINT}
    assert default_path(JOB) == default_path({**JOB, "index": "alias"})
    assert default_path(JOB) != default_path({**JOB, "sources": ["/", "a"]})


@pytest.mark.parametrize("name", ["file/j", "folder"])
def test_a_journal_that_cannot_be_written_names_the_way_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="Name another file") as raised:
        checkpoints(tmp_path / name)
    assert raised.value.parameter == "journal"


def test_a_disk_that_is_full_is_one_message(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", JOB) as journal:
        journal.save(CHECKPOINT)
        assert journal._file is not None
        with journal._file.transaction() as database:
            database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(InputError, match=r"\(database or disk is full\)\. Name another file"):
            journal.save(Checkpoint("/a", 20, 4, ""), None, b"1" * 100_000)
    assert checkpoints(tmp_path / "j") == {"/a": CHECKPOINT}


def test_a_run_that_saves_nothing_has_no_file() -> None:
    journal = Journal()
    journal.save(CHECKPOINT, {"written": 2})
    journal.save(CHECKPOINT, {"written": 1})
    assert (journal.checkpoint("/a"), journal.report) == (CHECKPOINT, {"written": 3})
    assert list(journal.records()) == []
    journal.remove()


def test_of_two_commands_with_one_journal_the_second_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "j"
    with open_journal(path, JOB) as journal:
        with pytest.raises(FileInUse) as raised, open_journal(path, JOB):
            pytest.fail("two commands have one journal")
        journal.save(CHECKPOINT)
    assert str(raised.value) == (
        f"Journal '{path}' is in use by another command. Wait until that ends, or give another "
        "file. Set journal."
    )
    # Nothing but the journal is left, and the next command has it.
    assert [each.name for each in path.parent.iterdir()] == ["j"]
    assert checkpoints(path) == {"/a": CHECKPOINT}


def test_a_journal_of_another_process_is_refused_until_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "j"
    command = [sys.executable, "-c", SAVING.format(job=JOB), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(FileInUse):
            checkpoints(path)
        process.kill()
    checkpoints(path)


def test_a_journal_that_was_deleted_meanwhile_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    flock, opened = fcntl.flock, []

    def deleted_first(descriptor: int, operation: int) -> None:
        # The command that had it ends between opening and locking.
        if not opened:
            path.unlink()
        opened.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", deleted_first)
    with open_journal(path, JOB) as journal:
        assert len(opened) == 2
        monkeypatch.undo()
        with pytest.raises(FileInUse):
            checkpoints(path)
        journal.save(CHECKPOINT)
    assert rows(path, "SELECT lines FROM checkpoints") == [(2,)]


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_files_cannot_be_locked_a_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    save(tmp_path / "j")
    assert "cannot be locked on this file system" in caplog.text
    assert "run no two commands with it at once" in caplog.text
