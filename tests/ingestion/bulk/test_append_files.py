"""Files that lines are appended to: full disks, and lines that were cut off."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as on a full disk.

    That of the output of the tests as well: nothing may be printed meanwhile.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_error_and_the_lines_before_it_stay(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    file = AppendOnlyFile(path, "dead_letter")
    file.write(b"first\n")
    with room_for(10), pytest.raises(InputError) as raised, file:
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
