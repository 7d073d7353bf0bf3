"""A label file that several write by turns."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import FileInUse, InputError
from es_simhash.lab.evaluation import label_file, shared_labels
from es_simhash.lab.evaluation.label_file import LabelFile
from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from es_simhash.lab.evaluation.shared_labels import SharedLabels


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
    monkeypatch.setattr(shared_labels, "_PATIENCE", 0.1)
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
