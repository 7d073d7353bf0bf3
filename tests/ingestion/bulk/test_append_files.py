"""Files that lines are appended to: full disks, and lines that were cut off."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile


@pytest.fixture
def room() -> Iterator[int]:
    """Bytes after which no file of this process can grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    yield 10
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_error_and_the_lines_before_it_stay(tmp_path: Path, room: int) -> None:
    path = tmp_path / "lines.jsonl"
    file = AppendOnlyFile(path, "dead_letter")
    file.write(b"first\n")
    with pytest.raises(InputError) as raised, file:
        file.write(b"second and more\n")
    assert str(raised.value) == f"Cannot write to {path} (File too large). Name another file."
    assert raised.value.parameter == "dead_letter"
    assert path.read_bytes()[:6] == b"first\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b"next\n"), (b"whole\n", b"whole\nnext\n"), (b"cut o", b"cut o\nnext\n")],
)
def test_a_line_that_was_cut_off_spoils_no_other(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(before)
    with AppendOnlyFile(path, "dead_letter") as file:
        file.write(b"next\n")
    assert path.read_bytes() == after
