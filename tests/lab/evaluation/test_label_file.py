"""Files of labelled pairs that grow a line at a time, as `evaluate` reads them again."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import FileInUse, InputError
from es_simhash.lab.evaluation import label_file
from es_simhash.lab.evaluation.label_file import LabelFile, SharedLabels
from es_simhash.lab.evaluation.labelled_pairs import read_pairs

NAMES = ["pairs.tsv", "pairs.txt", "pairs.csv", "pairs.jsonl", "pairs"]
# Each is an id that a user's index may have.
STRANGE = ["[1]", '{"a"', "a,b", 'say "yes"', "id1", "é", "北京", "\ufeffx", "a\u2028b", "1"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pairs = [(min(id, "z0"), max(id, "z0")) for id in STRANGE]
    with LabelFile(path) as file:
        for number, pair in enumerate(pairs):
            assert file.can_hold(pair)
            file.add(pair, is_version=number % 2 == 0)
            # At once, not when the file is closed.
            assert len(read_pairs(path).labels) == number + 1
    read = read_pairs(path)
    assert read.problems == ()
    assert read.labels == {pair: number % 2 == 0 for number, pair in enumerate(pairs)}
    with LabelFile(path) as file:
        assert file.labels == read.labels


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("id", ["a\tb", "a\nb", " a", "a ", "a\r", "\x85a"])
def test_ids_that_would_be_read_as_others_are_known(tmp_path: Path, name: str, id: str) -> None:
    one, other = sorted((id, "z"))
    pair = one, other
    with LabelFile(tmp_path / name) as file:
        if not file.can_hold(pair):
            assert name != "pairs.jsonl"
            return
        assert name in ("pairs.csv", "pairs.jsonl")
        file.add(pair, is_version=True)
        file.add(("y", "z"), is_version=False)
    assert set(read_pairs(tmp_path / name).labels) == {pair, ("y", "z")}


def test_the_last_label_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\tb\t1")
    with LabelFile(path) as file:
        first = file.add(("c", "d"), is_version=False)
        second = file.add(("e", "f"), is_version=True)
        assert path.read_text("utf-8") == "a\tb\t1\nc\td\t0\ne\tf\t1\n"
        file.take_back(("e", "f"), second)
        assert read_pairs(path).labels == {("a", "b"): True, ("c", "d"): False}
        file.take_back(("c", "d"), first)
        assert file.labels == {("a", "b"): True}
    assert path.read_bytes() == b"a\tb\t1"


def test_a_file_without_a_label_is_not_left_behind(tmp_path: Path) -> None:
    path, mine = tmp_path / "pairs.tsv", tmp_path / "mine.tsv"
    mine.touch()
    for each in (path, mine):
        with LabelFile(each) as file:
            file.take_back(("a", "b"), file.add(("a", "b"), is_version=True))
    assert not path.exists()
    assert mine.exists()


def test_a_file_of_column_names_alone_has_no_labels_yet(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("id1\tid2\tlabel\n", "utf-8")
    with LabelFile(path) as file:
        assert file.labels == {}
        file.add(("a", "b"), is_version=True)
    assert path.read_text("utf-8") == "id1\tid2\tlabel\na\tb\t1\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\tb\t1\na,b,1\n", "line 2: expected id, id and label separated by tabs, got 1 columns"),
        (b"a\tb\t1\nc\td\t1\nb\ta\t0\n", "line 3: pair 'a', 'b' has label 0, but 1 on line 1"),
        (b"a\tb\tmaybe\n", "line 1: label 'maybe' is unknown"),
        (b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_a_file_with_a_wrong_line_is_refused_and_stays(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        LabelFile(path)
    assert sentence in str(caught.value)
    assert path.read_bytes() == content


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "pairs.tsv", Path("/dev/null")):
        with pytest.raises(InputError, match=r"Cannot write to .*Name another file"):
            LabelFile(path)


def test_two_commands_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    with LabelFile(path) as file:
        with pytest.raises(FileInUse, match="in use by another command"):
            LabelFile(path)
        file.add(("a", "b"), is_version=True)
    assert read_pairs(path).labels == {("a", "b"): True}


def test_many_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    pairs = [(f"a{number}", "b") for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        written = pool.map(lambda pair: SharedLabels(path).add(pair, is_version=True), pairs * 2)
        assert all(written)
    assert set(read_pairs(path).labels) == set(pairs)
    assert len(path.read_text("utf-8").splitlines()) == len(pairs) + 1


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.csv", "pairs.jsonl"])
def test_only_the_last_label_is_taken_back(tmp_path: Path, name: str) -> None:
    labels = SharedLabels(tmp_path / name)
    assert labels.known().last is None
    assert labels.add(("a", "b"), is_version=False) is False
    assert labels.add(("a", 'c,"d" é'), is_version=True) is True
    assert labels.add(("a", "b"), is_version=True) is False
    assert labels.known().last == ("a", 'c,"d" é')
    assert not labels.take_back(("a", "b"))
    assert labels.take_back(("a", 'c,"d" é'))
    assert labels.known().labels == {("a", "b"): False}
    assert labels.take_back(("a", "b"))
    assert not labels.take_back(("a", "b"))
    assert labels.known().labels == {}
    assert labels.known().last is None


def test_a_session_that_has_the_file_keeps_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_file, "_PATIENCE", 0.1)
    labels = SharedLabels(tmp_path / "pairs.tsv")
    with LabelFile(labels.path):
        for use in (labels.known, lambda: labels.add(("a", "b"), is_version=True)):
            with pytest.raises(FileInUse):
                use()
        labels.require_usable()


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        SharedLabels(tmp_path).known()
    with pytest.raises(InputError, match="not a regular file"):
        SharedLabels(tmp_path).require_usable()


def test_a_label_is_not_lost_in_a_file_that_was_deleted_before_it_was_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, locked = tmp_path / "pairs.tsv", label_file.lock

    def after_another_ended(*given: Any, **more: Any) -> None:
        # A session without an answer deletes the file that it created.
        monkeypatch.setattr(label_file, "lock", locked)
        os.unlink(path)
        locked(*given, **more)

    monkeypatch.setattr(label_file, "lock", after_another_ended)
    with LabelFile(path) as file:
        file.add(("a", "b"), is_version=True)
    assert read_pairs(path).labels == {("a", "b"): True}
