"""How commands end whose output cannot be written: with one sentence, as after any error."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.processes import command_line

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full of Linux")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.txt", tmp_path / "b.txt"
    for path, hour in zip(paths, ("six", "seven"), strict=True):
        path.write_text(f"The harbour opens at {hour} in the morning. Boats wait.", "utf-8")
    return paths


@needs_full
@pytest.mark.parametrize("command", ["compare", "fingerprint", "--help"])
def test_a_full_disk_is_one_sentence(files: tuple[Path, Path], command: str) -> None:
    given = {"compare": files, "fingerprint": files[:1]}.get(command, ())
    line = command_line("files", command, *given)
    with FULL.open("wb") as full:
        done = subprocess.run(
            line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: Cannot write any more (No space left on device). Make room, or write elsewhere.\n"
    )


def test_a_pipe_that_nobody_reads_ends_the_command_in_silence(files: tuple[Path, Path]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            command_line("files", "fingerprint", files[0]),
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_encoding_without_a_character_is_one_sentence(files: tuple[Path, Path]) -> None:
    line = command_line("files", "compare", *files, "--changes")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(line, capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        rb"Error: latin-1 has no character '\u2192'. Set PYTHONIOENCODING=utf-8." + b"\n"
    )
    environment["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run(line, capture_output=True, env=environment, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_half_of_a_character_in_a_name_is_one_sentence(run: Run) -> None:
    sentence = run("status", "a\udcff", "--url", "http://127.0.0.1:9").refusal()
    assert "utf-8 has no character '\\udcff'. Correct the name" in sentence
