"""The journal of a run, and the lock on it."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import FileInUse, InputError
from es_simhash.ingestion.bulk.append_files import LockFile
from es_simhash.ingestion.bulk.document_batches import Checkpoint
from es_simhash.ingestion.bulk.journal import Journal, open_journal
from es_simhash.ingestion.bulk.journal_job import default_path

CHECKPOINT = Checkpoint("/a", 10, 2, "0badcafe")
JOB = {
    "index": "articles",
    "uuids": ["u1"],
    "sources": ["/a"],
    "text_field": "text",
    "on_version": None,
}


def test_a_journal_is_read_back(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "folder" / "j", JOB)
    journal.save(CHECKPOINT, {"failed": 2, "written": 1}, b"1" * 16)
    journal.save(Checkpoint("/b", 1, 1, ""), {"failed": 1}, b"2" * 32)
    again = Journal.open(journal.path, JOB)
    assert (again.checkpoint("/a"), again.checkpoint("/c")) == (CHECKPOINT, None)
    assert again.report == {"failed": 3, "written": 1}
    assert again.records() == b"1" * 16 + b"2" * 32
    assert sorted(each.name for each in journal.path.parent.iterdir()) == ["j", "j.ids"]
    journal.remove()
    journal.remove()
    assert list(journal.path.parent.iterdir()) == []
    assert Journal.open(journal.path, JOB).checkpoints == {}


def test_what_a_killed_run_recorded_behind_its_last_checkpoint_does_not_count(
    tmp_path: Path,
) -> None:
    journal = Journal.open(tmp_path / "j", JOB)
    journal.save(CHECKPOINT, None, b"1" * 16)
    with journal.records_path.open("ab") as stream:
        stream.write(b"2" * 32)
    again = Journal.open(journal.path, JOB)
    assert again.records() == b"1" * 16
    again.save(CHECKPOINT, None, b"3" * 16)
    assert Journal.open(journal.path, JOB).records() == b"1" * 16 + b"3" * 16


@pytest.mark.parametrize("left", [b"", b"1" * 15, None])
def test_a_journal_whose_second_file_is_cut_is_refused(tmp_path: Path, left: bytes | None) -> None:
    journal = Journal.open(tmp_path / "j", JOB)
    journal.save(CHECKPOINT, None, b"1" * 16)
    if left is None:
        journal.records_path.unlink()
    else:
        journal.records_path.write_bytes(left)
    with pytest.raises(InputError) as raised:
        Journal.open(journal.path, JOB)
    assert str(raised.value) == (
        f"Journal '{journal.path}' lacks ids of documents: '{journal.path}.ids' has "
        f"{len(left or b'')} of 16 bytes. Begin at the start. Set fresh."
    )
    assert Journal.open(journal.path, JOB, fresh=True).records() == b""


def test_a_journal_of_another_release_is_ignored_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "j"
    path.write_bytes(b'{"version":1,"job":["job"],"failed":0,"checkpoints":[]}')
    journal = Journal.open(path, JOB)
    assert (journal.checkpoints, journal.report) == ({}, {})
    assert "of another release and is ignored" in caplog.text
    journal.save(CHECKPOINT)
    assert Journal.open(path, JOB).checkpoint("/a") == CHECKPOINT


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    "content", [b"\xff", b"[]", b"null", b'{"id": "1", "text": "A document."}\n', b'{"version":1}']
)
def test_a_file_that_is_no_journal_is_not_overwritten(
    tmp_path: Path, content: bytes, fresh: bool
) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no journal and would be overwritten") as raised:
        Journal.open(path, JOB, fresh=fresh)
    assert raised.value.parameter == "journal"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "checkpoints", ['[{"source":"/a","done":-1,"lines":0,"state":""}]', "7", "[{}]"]
)
def test_a_journal_without_usable_checkpoints_is_refused(tmp_path: Path, checkpoints: str) -> None:
    path = tmp_path / "j"
    path.write_text(
        f'{{"version":2,"job":{{}},"report":{{}},"recorded":0,"checkpoints":{checkpoints}}}'
    )
    with pytest.raises(InputError, match="is no journal"):
        Journal.open(path, JOB)


def test_an_empty_file_is_a_new_journal(tmp_path: Path) -> None:
    (tmp_path / "j").touch()
    assert Journal.open(tmp_path / "j", JOB).checkpoints == {}


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
    Journal.open(path, JOB).save(CHECKPOINT)
    with pytest.raises(InputError) as raised:
        Journal.open(path, {**JOB, **other})
    assert str(raised.value) == (
        f"Journal '{path}' {both}. Name another journal, or begin at the start. Set fresh."
    )
    assert Journal.open(path, JOB).checkpoint("/a") == CHECKPOINT
    # To begin at the start is final, also when that run is killed before its first checkpoint.
    assert Journal.open(path, {**JOB, **other}, fresh=True).checkpoints == {}
    assert Journal.open(path, {**JOB, **other}).checkpoints == {}


def test_an_index_is_the_same_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Journal.open(path, JOB).save(CHECKPOINT)
    assert Journal.open(path, {**JOB, "index": "alias"}).checkpoint("/a") == CHECKPOINT
    assert default_path(JOB) == default_path({**JOB, "index": "alias"})
    assert default_path(JOB) != default_path({**JOB, "sources": ["/", "a"]})


def test_a_journal_that_cannot_be_written_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "j"
    with pytest.raises(InputError, match="Name another file") as raised:
        Journal(path, JOB).save(CHECKPOINT)
    assert raised.value.parameter == "journal"
    with pytest.raises(InputError, match="Name another file") as raised, open_journal(path, JOB):
        pytest.fail("a journal that cannot be written was opened")
    assert raised.value.parameter == "journal"


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
    with open_journal(path, JOB) as again:
        assert again.checkpoint("/a") == CHECKPOINT


def test_the_lock_of_a_process_that_was_killed_keeps_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "j"
    code = (
        "import os, signal; from pathlib import Path;"
        "from es_simhash.ingestion.bulk.append_files import LockFile;"
        f"LockFile(Path({str(path)!r}), 'j', 'journal').__enter__();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert path.exists()
    with LockFile(path, "j", "journal"):
        pass
    assert not path.exists()


def test_a_lock_file_that_was_deleted_meanwhile_locks_nothing(
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
    with LockFile(path, "j", "journal") as held:
        assert len(opened) == 2
        monkeypatch.undo()
        with pytest.raises(FileInUse):
            LockFile(path, "j", "journal").__enter__()
        assert held is not None


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_files_cannot_be_locked_a_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with open_journal(tmp_path / "j", JOB) as journal:
        journal.save(CHECKPOINT)
    assert "cannot be locked on this file system" in caplog.text
    assert "run no two commands with it at once" in caplog.text
