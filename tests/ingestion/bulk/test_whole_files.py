"""Files that are replaced as a whole."""

import os
from pathlib import Path

import pytest

from es_simhash.ingestion.bulk import whole_files
from es_simhash.ingestion.bulk.whole_files import replace_file


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "état.json"
    for content in ("first, and longer", "é\n"):
        replace_file(path, content)
        assert path.read_bytes() == content.encode()
        assert list(tmp_path.iterdir()) == [path]


def test_the_content_is_on_disk_before_it_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    seen: list[tuple[str, int]] = []

    def sync(descriptor: int) -> None:
        seen.append((path.read_text(), os.fstat(descriptor).st_size))

    monkeypatch.setattr(whole_files.os, "fsync", sync)
    replace_file(path, "newer")
    assert seen == [("old", 5)]
    assert path.read_text() == "newer"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
