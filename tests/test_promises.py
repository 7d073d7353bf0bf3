"""docs/promises.md: each proof exists, and the page stays short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text("utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
TARGETS = sorted(set(re.findall(r"`make ([\w-]+)`", PAGE)))


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


@pytest.mark.parametrize(("file", "name"), TESTS)
def test_a_test_that_proves_a_promise_exists(file: str, name: str) -> None:
    assert f"\ndef {name}(" in (ROOT / file).read_text("utf-8")


@pytest.mark.parametrize("target", TARGETS)
def test_a_command_that_proves_a_promise_exists(target: str) -> None:
    assert f"\n{target}: " in (ROOT / "Makefile").read_text("utf-8")


def test_each_promise_has_a_proof_and_a_result() -> None:
    promises = [row for row in rows() if not row[0].startswith("---")]
    assert len(promises) > 10
    for promise, _, proof, result in promises:
        assert "`tests/" in proof or "`make " in proof, promise
        assert result, promise


def test_the_page_is_short() -> None:
    assert len(re.sub(r"`[^`]*`", "x", PAGE).split()) <= 800
