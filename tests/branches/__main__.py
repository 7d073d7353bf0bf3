"""Whether the tests take every branch of what decides about versions, records it and undoes it.

    python -m tests.branches [--processes 2]

The tests of these modules run on a real engine, as with `make test`, while coverage.py looks on.
Each module is printed with its figure, and the lines and branches that no test took. The exit
status is 1 where there are any, or where a test fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.program import run

_ROOT = Path(__file__).parents[2]
# Files and folders of the package.
_MODULES = ("ingestion/deduplication", "ingestion/undo.py", "maintenance/sweeps")
_TESTS = (
    "tests/ingestion/deduplication",
    "tests/ingestion/test_conflicts.py",
    "tests/ingestion/test_undo.py",
    "tests/ingestion/test_undo_parts.py",
    "tests/ingestion/test_undo_vocabulary.py",
    "tests/maintenance/sweeps",
)
# `subprocess`: each process of the tests is looked at; `_exit`: it ends without its handlers.
_CONFIGURATION = """
[run]
branch = true
parallel = true
patch = subprocess, _exit
data_file = {folder}/data
source =
    {root}/es_simhash/ingestion
    {root}/es_simhash/maintenance/sweeps
disable_warnings = no-data-collected
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tests, and print what each module has of branches that none takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="branches-") as folder:
        rules = Path(folder) / "coverage.ini"
        rules.write_text(_CONFIGURATION.format(folder=folder, root=_ROOT), "utf-8")
        # The engine is the only thing that may be missing, and without it nothing is tried.
        environment = {**os.environ, "ES_SIMHASH_REQUIRE_CLUSTER": "1"}
        line = ["run", f"--rcfile={rules}", "-m", "pytest", "--dist", "loadfile", *_TESTS]
        line += ["--numprocesses", str(options.processes)]
        tests = _coverage(line, environment)
        _coverage(["combine", "--quiet", f"--rcfile={rules}"], environment)
        found = Path(folder) / "coverage.json"
        _coverage(["json", "--quiet", f"--rcfile={rules}", "-o", str(found)], environment)
        files = _of_modules(json.loads(found.read_text("utf-8"))["files"])
    for name, file in files.items():
        print(line_of(name, file))
    branches = sum(file["summary"]["num_branches"] for file in files.values())
    missed = [name for name, file in files.items() if not is_whole(file)]
    print(
        f"{len(files)} modules of {branches} branches, {len(missed)} with some that no test takes"
    )
    return 1 if missed or tests else 0


def _coverage(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    line = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(line, cwd=_ROOT, env=environment).returncode


def _of_modules(files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of the modules, by their names in the package."""
    named = {name.rpartition("es_simhash/")[2]: file for name, file in files.items()}
    return {name: named[name] for name in sorted(named) if name.startswith(_MODULES)}


def is_whole(file: Mapping[str, Any]) -> bool:
    """Check whether all lines and branches of a file were taken."""
    return not file["missing_lines"] and not file["missing_branches"]


def line_of(name: str, file: Mapping[str, Any]) -> str:
    """Return the figure of a file, and what of it no test took."""
    summary = file["summary"]
    taken = f"{summary['covered_branches']} of {summary['num_branches']} branches"
    shown = f"{name}: {summary['percent_covered']:.1f} %, {taken}"
    lines = [str(line) for line in file["missing_lines"]]
    lines += [f"{start} → {end}" for start, end in file["missing_branches"]]
    return f"{shown}; missing: {', '.join(lines)}" if lines else shown


if __name__ == "__main__":
    run(main)
