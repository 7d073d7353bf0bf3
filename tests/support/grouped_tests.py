"""Groups of tests that are left out of a run while no file that they depend on changes.

`make test` leaves out a group whose files are as they were when all its tests last passed, and says
so at its end; `make test-all` runs everything and records the groups that passed.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

# What every test depends on.
SHARED = (
    "pyproject.toml",
    "Makefile",
    "tests/conftest.py",
    "tests/__init__.py",
    "tests/support/*.py",
)

# The marks of tests whose further parameters are variants, and of long ones; what both have then.
_VARIANTS, _LONG = "variants", "long"
_MARK = re.compile(rf"^@pytest\.mark\.({_VARIANTS}|{_LONG})$".encode(), re.MULTILINE)
_IS_MARKED = "is marked"


@dataclass(frozen=True)
class Group:
    """Tests that run, or are left out, together.

    Attributes:
        tests: Their files, or folders of them.
        files: Patterns of the other files that can break them; `*` also stands for slashes.
        skips: Reasons why tests are skipped that are no hindrance, as other runs have them.
        is_marked: Whether they are the tests marked with `long`, and all but the first parameters
            of those marked with `variants`, wherever they are.
    """

    tests: tuple[str, ...]
    files: tuple[str, ...]
    skips: tuple[str, ...] = ()
    is_marked: bool = False

    def has(self, path: str) -> bool:
        """Check whether a file, or a test by its id, is of this group."""
        file = path.partition("::")[0]
        return any(f"{file}/".startswith(f"{test}/") for test in self.tests)

    def has_tests_in(self, file: str, content: bytes) -> bool:
        """Check whether tests of this group are in a file, by its name or by a mark in it."""
        has_mark = self.is_marked and file.endswith(".py") and _MARK.search(content)
        return bool(has_mark) or self.has(file)

    def depends_on(self, file: str, content: bytes) -> bool:
        """Check whether a file with such a content can break tests of this group."""
        patterns = (*SHARED, *self.files)
        return self.has_tests_in(file, content) or any(fnmatchcase(file, each) for each in patterns)


@dataclass(frozen=True)
class Passed:
    """What is recorded of a group when all its tests have passed."""

    digest: str
    tests: int
    date: str


def files_of(root: Path) -> list[str]:
    """Return the files under version control, or about to be; none where there is no checkout."""
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted(name for name in set(listed.stdout.split("\0")) if (root / name).is_file())


def digests_of(groups: Mapping[str, Group], root: Path) -> dict[str, str]:
    """Return the digest of the files of each group; nothing where there is no checkout."""
    used: dict[str, list[str]] = {name: [] for name in groups}
    files = files_of(root)
    for file in files:
        content = (root / file).read_bytes()
        line = f"{sha256(content).hexdigest()} {file}\n"
        for name, group in groups.items():
            if group.depends_on(file, content):
                used[name].append(line)
    return {
        name: sha256("".join(lines).encode()).hexdigest() for name, lines in used.items() if files
    }


def read_record(path: Path) -> dict[str, Passed]:
    """Return what is recorded of each group; nothing of a file that is missing or broken."""
    try:
        entries = json.loads(path.read_text("utf-8"))
        return {name: Passed(**entry) for name, entry in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


class GroupedTests:
    """Pytest plugin that leaves out groups that have not changed, and records those that passed.

    Of several processes the first decides. A run of a part, or on another engine, has all of it.
    """

    def __init__(
        self, config: pytest.Config, groups: Mapping[str, Group], record: Path, *, engine: str
    ) -> None:
        self.groups, self.record, self.root = groups, record, config.rootpath
        self.recorded = read_record(record)
        self.passed: Counter[str] = Counter()
        self.spoiled: dict[str, str] = {}
        self.digests: dict[str, str] = {}
        selecting = (
            "keyword",
            "markexpr",
            "deselect",
            "ignore",
            "ignore_glob",
            "lf",
            "collectonly",
        )
        workerinput = getattr(config, "workerinput", None)
        if (
            workerinput is None
            and engine == "elasticsearch"
            and config.args_source is pytest.Config.ArgsSource.TESTPATHS
            and not any(config.getoption(name, default=None) for name in selecting)
        ):
            self.digests = digests_of(groups, self.root)
        everything = config.getoption("--all")
        self.records = bool(everything and self.digests and not config.getoption("maxfail"))
        self.left_out: list[str] = (
            [name for name in self.digests if not everything and self._is_unchanged(name)]
            if workerinput is None
            else workerinput["left_out"]
        )

    def _is_unchanged(self, name: str) -> bool:
        return name in self.recorded and self.recorded[name].digest == self.digests[name]

    def leaves_out(self, path: Path) -> bool:
        """Check whether a file, or a folder, of tests does not run."""
        file = path.relative_to(self.root).as_posix() if self.left_out else ""
        return any(self.groups[name].has(file) for name in self.left_out)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return self.leaves_out(collection_path) or None

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        firsts: dict[str, pytest.Item] = {}
        for item in items:
            first = firsts.setdefault(item.nodeid.partition("[")[0], item)
            is_variant = item is not first and item.get_closest_marker(_VARIANTS)
            if is_variant or item.get_closest_marker(_LONG):
                item.keywords[_IS_MARKED] = True
        if any(self.groups[name].is_marked for name in self.left_out):
            config.hook.pytest_deselected(items=[each for each in items if _is_marked(each)])
            items[:] = [each for each in items if not _is_marked(each)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["left_out"] = self.left_out

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report, tests=0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report, tests=int(report.when == "call"))

    def _note(self, report: pytest.CollectReport | pytest.TestReport, *, tests: int) -> None:
        for name, group in self.groups.items():
            if not (_is_marked(report) if group.is_marked else group.has(report.nodeid)):
                continue
            if report.passed:
                self.passed[name] += tests
            elif report.failed or not any(why in str(report.longrepr) for why in group.skips):
                self.spoiled.setdefault(name, f"{report.nodeid} {report.outcome}")

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        # In a run that was broken off, the rest of a group might have failed.
        self.records &= exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not self.records:
            return
        # Nor may a file that was changed meanwhile be what passed.
        after, today = digests_of(self.groups, self.root), date.today().isoformat()
        self.recorded = {
            name: Passed(digest, self.passed[name], today)
            for name, digest in self.digests.items()
            if self.passed[name] and name not in self.spoiled and after.get(name) == digest
        }
        entries = {name: asdict(entry) for name, entry in self.recorded.items()}
        self.record.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        say = terminalreporter.write_line
        if self.left_out:
            say("left out, as nothing that can break them has changed (make test-all runs them):")
        for name in self.left_out:
            say(f"  {name}: {self.recorded[name].tests} tests, passed {self.recorded[name].date}")
        for name in self.digests if self.records else ():
            why = self.spoiled.get(name, "none ran, or a file changed meanwhile")
            recorded = f"recorded, {self.passed[name]} tests passed"
            say(f"{name}: {recorded if name in self.recorded else f'not recorded: {why}'}")


def _is_marked(item: pytest.Item | pytest.CollectReport | pytest.TestReport) -> bool:
    return _IS_MARKED in getattr(item, "keywords", ())
