"""Groups of tests are left out only while nothing that can break them changes, and it is said."""

import re
import subprocess
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from tests.support.grouped_tests import SHARED, files_of, read_record
from tests.support.groups import GROUPS
from tests.test_mirror import imported

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
# Whether the core is correct is decided in every run: what is found, decided and written.
ROOMS = ("differences", "fingerprints", "ingestion", "pairs", "questions", "relation", "semantics")
KEEPING = ("backfills", "backgrounds", "copies", "families", "sweeps", "upgrades")
FOLDERS = (*ROOMS, "store", "text", *(f"maintenance/{folder}" for folder in KEEPING))
CORE = tuple(f"tests/{folder}/" for folder in FOLDERS)
CONFTEST = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.grouped_tests import Group, GroupedTests

def pytest_addoption(parser):
    parser.addoption("--all", action="store_true")

def pytest_configure(config):
    groups = {{"browser": Group(("checks/browser",), ("widget/*",), skips=("needs PHP",))}}
    record = config.rootpath / "groups.json"
    config.pluginmanager.register(GroupedTests(config, groups, record, engine="elasticsearch"))
"""
FILES = {
    "pytest.ini": "[pytest]\ntestpaths = checks\nmarkers =\n    variants\n    long\n",
    ".gitignore": "__pycache__/\n",
    "widget/box.js": "1",
    "checks/conftest.py": CONFTEST,
    "checks/test_core.py": "def test_core(): pass\n",
    "checks/browser/test_box.py": "def test_box(): pass\ndef test_other(): pass\n",
}
WAYS = """
import pytest

@pytest.mark.variants
@pytest.mark.parametrize("way", range(3))
def test_way(way): pass

@pytest.mark.long
def test_every_way(): pass
"""
WITH_WAYS = CONFTEST.replace(
    '{"browser":',
    '{"ways": Group((), ("widget/*",), is_marked=True), "browser":',
)
LEFT_OUT = ["left out, *make test-all runs them*", "  browser: 2 tests, passed 20*"]

Run = Callable[..., pytest.RunResult]


def write(folder: Path, name: str, content: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content, "utf-8")


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run pytest in a checkout with a group of two tests, which have passed, and one more."""
    # Importing the plugins that are installed takes longer than the runs.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name, content in FILES.items():
        write(pytester.path, name, content)
    subprocess.run(["git", "init", "--quiet"], cwd=pytester.path, check=True)
    pytester.runpytest("--all").assert_outcomes(passed=3)
    return pytester.runpytest


def test_a_group_that_has_not_changed_is_left_out_and_the_run_says_so(run: Run) -> None:
    result = run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(LEFT_OUT)


@pytest.mark.long
def test_several_processes_record_and_leave_out_the_same(
    run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "groups.json").unlink()
    several = ("-p", "xdist", "--numprocesses", "2")
    pytester.runpytest_subprocess(*several, "--all").assert_outcomes(passed=3)
    result = pytester.runpytest_subprocess(*several)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(LEFT_OUT)


@pytest.mark.variants
@pytest.mark.parametrize("several", [(), ("-p", "xdist", "--numprocesses", "2")])
def test_of_a_test_with_variants_the_first_always_runs_and_no_long_one(
    run: Run, pytester: pytest.Pytester, several: tuple[str, ...]
) -> None:
    write(pytester.path, "checks/conftest.py", WITH_WAYS)
    write(pytester.path, "checks/test_ways.py", WAYS)
    recorded = pytester.runpytest_subprocess(*several, "--all")
    recorded.assert_outcomes(passed=7)
    recorded.stdout.fnmatch_lines(["ways: recorded, 3 tests passed"])
    again = pytester.runpytest_subprocess(*several)
    again.assert_outcomes(passed=2, deselected=0 if several else 3)
    again.stdout.fnmatch_lines(["  ways: 3 tests, passed 20*"])
    write(pytester.path, "checks/test_core.py", "def test_core(): assert 1\n")
    other = pytester.runpytest_subprocess(*several)
    other.stdout.fnmatch_lines(["  ways: 3 tests, passed 20*"])
    write(pytester.path, "checks/test_ways.py", WAYS.replace("range(3)", "range(4)"))
    pytester.runpytest_subprocess(*several).assert_outcomes(passed=6)


def test_variants_that_fail_are_not_recorded(run: Run, pytester: pytest.Pytester) -> None:
    write(pytester.path, "checks/conftest.py", WITH_WAYS)
    write(pytester.path, "checks/test_ways.py", WAYS.replace("pass", "assert way < 2", 1))
    result = run("--all")
    result.stdout.fnmatch_lines(["ways: not recorded: checks/test_ways.py::test_way*2* failed"])
    assert "ways" not in read_record(pytester.path / "groups.json")


@pytest.mark.variants
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("widget/box.js", "2"),
        ("widget/deep/new.js", "1"),
        ("checks/browser/test_more.py", "def test_more(): pass\n"),
        ("pyproject.toml", ""),
        ("groups.json", "{"),
        ("groups.json", '{"browser": {"digest": 1}}'),
        ("groups.json", '{"other": {"digest": "1", "tests": 1, "date": ""}}'),
        ("groups.json", "[]"),
    ],
)
def test_a_change_or_a_broken_record_runs_the_group(
    run: Run, pytester: pytest.Pytester, name: str, content: str
) -> None:
    write(pytester.path, name, content)
    result = run()
    assert result.parseoutcomes()["passed"] >= 3
    result.stdout.no_fnmatch_line("*left out*")


def test_a_file_that_is_removed_or_renamed_runs_the_group(
    run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "widget" / "box.js").rename(pytester.path / "widget" / "case.js")
    run().assert_outcomes(passed=3)


def test_other_changes_leave_it_out(run: Run, pytester: pytest.Pytester) -> None:
    write(pytester.path, "docs/page.md", "1")
    run().assert_outcomes(passed=1)


@pytest.mark.variants
@pytest.mark.parametrize("argument", ["checks/browser", "checks", "-k box", "--ignore=docs"])
def test_what_is_named_runs(run: Run, argument: str) -> None:
    result = run(*argument.split())
    assert result.parseoutcomes()["passed"] >= 2
    result.stdout.no_fnmatch_line("*left out*")


def test_without_a_checkout_everything_runs(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / ".git").rename(pytester.path / "elsewhere")
    run().assert_outcomes(passed=3)


@pytest.mark.variants
@pytest.mark.parametrize(
    "body",
    [
        "def test_box(): assert False",
        "import pytest\ndef test_box(): pytest.skip('needs Chromium')",
        "import pytest\npytest.skip('needs Chromium', allow_module_level=True)",
        "from pathlib import Path\ndef test_box(): Path('widget/box.js').write_text('2')",
    ],
)
def test_a_group_is_recorded_only_when_all_of_what_is_there_passed(
    run: Run, pytester: pytest.Pytester, body: str
) -> None:
    write(pytester.path, "checks/browser/test_box.py", body)
    write(pytester.path, "checks/browser/test_more.py", "def test_more(): pass\n")
    run("--all").stdout.fnmatch_lines(["browser: not recorded: *"])
    assert "browser" not in read_record(pytester.path / "groups.json")


def test_what_other_runs_are_there_for_may_be_skipped(run: Run, pytester: pytest.Pytester) -> None:
    skipping = "import pytest\ndef test_box(): pytest.skip('needs PHP')\n"
    write(pytester.path, "checks/browser/test_more.py", skipping)
    run("--all").stdout.fnmatch_lines(["browser: recorded, 2 tests passed"])


@pytest.mark.variants
@pytest.mark.parametrize("arguments", [("-x",), ("-k", "test_box"), ("--collect-only",)])
def test_a_run_of_a_part_records_nothing(
    run: Run, pytester: pytest.Pytester, arguments: tuple[str, ...]
) -> None:
    before = (pytester.path / "groups.json").read_text("utf-8")
    write(pytester.path, "widget/box.js", "2")
    run("--all", *arguments)
    assert (pytester.path / "groups.json").read_text("utf-8") == before


@pytest.fixture(scope="module")
def files() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout")
    return files_of(ROOT)


@cache
def imported_by(file: str) -> set[str]:
    """Return the files that a file may import, whether they exist or not."""
    modules = [module.replace(".", "/") for module in imported([ROOT / file])]
    return {f"{module}{end}" for module in modules for end in (".py", "/__init__.py")}


@pytest.mark.parametrize("name", GROUPS)
def test_all_that_a_group_names_is_there(files: list[str], name: str) -> None:
    group = GROUPS[name]
    assert [test for test in group.tests if not (ROOT / test).exists()] == []
    patterns = (*SHARED, *group.files)
    assert [each for each in patterns if not any(fnmatchcase(file, each) for file in files)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", GROUPS)
def test_a_group_depends_on_what_its_tests_import(files: list[str], name: str) -> None:
    reached: set[str] = set()
    group, contents = GROUPS[name], {file: (ROOT / file).read_bytes() for file in files}
    further = {
        file
        for file, content in contents.items()
        if group.has_tests_in(file, content) and file.endswith(".py")
    }
    further |= {str(Path(file).parent / "conftest.py") for file in further} & set(files)
    while further:
        reached |= further
        further = set().union(*map(imported_by, further)) & set(files) - reached
    assert [file for file in sorted(reached) if not group.depends_on(file, contents[file])] == []


def test_a_test_is_in_one_group_at_most_and_one_of_the_core_in_none(files: list[str]) -> None:
    for file in files:
        names = [name for name, group in GROUPS.items() if group.has(file)]
        assert len(names) <= 1, file
        # But for those that start another engine.
        if names and file.startswith(CORE):
            assert "painless_url" in (ROOT / file).read_text("utf-8"), file


def test_tests_are_marked_one_by_one_and_in_no_group(files: list[str]) -> None:
    for file in files:
        text = (ROOT / file).read_text("utf-8") if file.startswith("tests/") else ""
        if file.endswith(".py") and re.search(r"^@pytest\.mark\.(variants|long)$", text, re.M):
            assert not any(group.has(file) for group in GROUPS.values()), file
