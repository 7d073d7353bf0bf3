"""A unified diff that `patch` and `git apply` apply."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.differences.rendering.unified import unified_diff
from tests.support.edited_lines import LINES, edited


def applied(a: str, b: str, folder: Path, program: list[str]) -> bytes:
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_bytes(a.encode())
    (folder / "a.diff").write_bytes(unified_diff(a, b, "a.txt", "b").encode())
    done = subprocess.run([*program, "a.diff"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / "a.txt").read_bytes()


PATCH = ["patch", "--binary", "-s", "a.txt"]
GIT = ["git", "apply", "--unsafe-paths", "--whitespace=nowarn"]


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
@pytest.mark.parametrize("program", [PATCH, GIT], ids=["patch", "git"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("\n".join(LINES), "\n".join(edited())),
        ("\n".join(LINES) + "\n", "\n".join(edited())),
        ("\n".join(LINES), "\n".join(edited()) + "\n"),
        ("One\r\nTwo\r\n", "One\r\nThree\r\n"),
        ("One\n\n\nTwo\n", "\nOne\n\nTwo\n\n"),
        ("One", "Two"),
        ("第一条\n第二条\n", "第一条\n第三条\n"),
    ],
)
def test_the_diff_applies(a: str, b: str, program: list[str], tmp_path: Path) -> None:
    if not shutil.which(program[0]):
        pytest.skip(f"{program[0]} is not installed")
    assert applied(a, b, tmp_path, program) == b.encode()


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "", "c c"]), min_size=1, max_size=20),
    st.lists(st.sampled_from(["a", "b", "", "c c"]), min_size=1, max_size=20),
    st.booleans(),
)
def test_any_diff_applies(
    tmp_path_factory: pytest.TempPathFactory, a: list[str], b: list[str], ends: bool
) -> None:
    older, newer = "\n".join(a) + "\n" * ends, "\n".join(b) + "\n" * (not ends)
    if older != newer and older and newer:
        folder = tmp_path_factory.mktemp("diff")
        assert applied(older, newer, folder, PATCH) == newer.encode()


def test_equal_texts_have_an_empty_diff() -> None:
    assert unified_diff("One\n", "One\n", "a") == ""


def test_names_in_a_diff_are_quoted() -> None:
    head = unified_diff("One\n", "Two\n", "an id\n+++ b/evil", "x\n\x1b[31m").splitlines()[:3]
    assert head[0] == '--- "a/an id\\n+++ b/evil"'
    assert head[1].endswith("\tx\\n\\033[31m")
    assert head[2].startswith("@@ ")
