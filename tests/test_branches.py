"""What `make test-branches` prints of a module."""

from typing import Any

from tests.branches.__main__ import is_whole, line_of


def file_of(lines: list[int], branches: list[list[int]]) -> dict[str, Any]:
    """Return what coverage.py writes of a file."""
    summary = {"percent_covered": 98.76, "num_branches": 10, "covered_branches": 9}
    return {"summary": summary, "missing_lines": lines, "missing_branches": branches}


def test_a_module_is_whole_when_no_line_and_no_branch_is_missing() -> None:
    assert is_whole(file_of([], []))
    assert not is_whole(file_of([3], []))
    # An `if` without `else` has no line that would be missing.
    assert not is_whole(file_of([], [[3, 5]]))


def test_what_is_missing_is_named() -> None:
    assert line_of("undo.py", file_of([], [])) == "undo.py: 98.8 %, 9 of 10 branches"
    assert line_of("undo.py", file_of([7], [[6, 7]])).endswith("branches; missing: 7, 6 → 7")
