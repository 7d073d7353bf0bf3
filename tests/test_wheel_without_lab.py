"""A wheel without methods, evaluation and tuning: what works, and what names the command."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from hatch_build import LEFT_OUT, VARIABLE

ROOT = Path(__file__).parents[1]
# Tests that need neither a cluster nor what other rooms make.
PURE = (
    "text/test_segmentation.py",
    "text/test_tokens.py",
    "fingerprints/test_text_fingerprints.py",
)
# A slow machine is no failure.
PROFILE = """
import hypothesis

hypothesis.settings.register_profile("wheel", deadline=None, database=None, max_examples=10)
hypothesis.settings.load_profile("wheel")
"""
SENTENCE = (
    "Methods, evaluation and tuning are not part of this installation. Run "
    "`pip install --force-reinstall --no-deps es-simhash`."
)


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # By way of the source distribution, which has to have all that the wheel is made of.
    build = (sys.executable, "-m", "build", "--no-isolation", "--sdist", "-o", folder, ROOT)
    done = run(*build)
    assert done.returncode == 0, done.stdout + done.stderr
    (sources,) = folder.glob("*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    done = run(*pip, "-w", folder, sources, **{VARIABLE: "1"})
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with that wheel, and the dependencies of this one."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    paths = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", paths))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    scripts = Path(sysconfig.get_path("scripts", "venv", paths))
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python", "install", "-q")
    done = run(*pip, "--no-deps", "--no-index", "--disable-pip-version-check", wheel)
    assert done.returncode == 0, done.stderr
    return scripts


def test_the_wheel_has_everything_but_the_lab(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "es_simhash/index.py" in names
    left_out = tuple(f"{folder.removeprefix('/')}/" for folder in LEFT_OUT)
    assert [name for name in names if name.startswith(left_out)] == []
    assert all((ROOT / folder).is_dir() for folder in left_out)


def test_every_extra_that_pages_and_errors_name_is_one_of_the_wheel(
    wheel: Path, scripts: Path
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        provided = set(re.findall(r"^Provides-Extra: (.+)$", archive.read(metadata).decode(), re.M))
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    code = (ROOT / "es_simhash").rglob("*.py")
    needing = r'MissingExtra\.of\(\s*"(\w+)"'
    named = {
        *(name for page in pages for name in re.findall(r"pip install .*\[(\w+)\]'", read(page))),
        *(name for path in code for name in re.findall(needing, read(path))),
    }
    assert {"all", "chinese", "languages", "service"} <= named
    assert named <= provided
    # It is installed from a file, which is in no index.
    shown = "from es_simhash.errors import install_command; print(install_command('service'))"
    command = run(scripts / "python", "-I", "-c", shown).stdout
    assert command.endswith(f" install '{wheel}[service]'\n")


def read(path: Path) -> str:
    return path.read_text("utf-8")


def test_the_core_works(scripts: Path, tmp_path: Path) -> None:
    code = "import es_simhash; print(es_simhash.compare('a b c', 'a b c').kind)"
    assert run(scripts / "python", "-I", "-c", code).stdout == "exact\n"
    command = scripts / "es-simhash"
    shown = run(command, "--help")
    assert shown.returncode == 0
    assert "lab " in shown.stdout
    tested = run(command, "selftest")
    assert tested.returncode == 0
    assert tested.stdout.endswith(f"profiles, all equal\n{SENTENCE}\n")
    path = tmp_path / "a.txt"
    path.write_text("The harbour opens at six in the morning.", "utf-8")
    assert (
        '"kind": "exact"' in run(command, "files", "compare", path, path, "--format", "json").stdout
    )


def test_what_was_left_out_names_the_command_that_installs_it(
    scripts: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One text.", "utf-8")
    for arguments in (
        ["lab", "evaluate", "pairs.tsv", "--texts", "texts.jsonl"],
        ["lab", "tune", "articles"],
        ["lab", "label", "articles", "--labels", "pairs.tsv"],
        ["files", "compare", path, path, "--method", "lcs"],
        ["files", "fingerprint", path, "--scheme", "token-simhash"],
        ["install", "articles", "--scheme", "token-simhash", "--dry-run"],
    ):
        done = run(scripts / "es-simhash", *arguments)
        assert done.returncode == 1, arguments
        assert done.stderr == f"Error: {SENTENCE}\n", arguments
    for namespace in ("methods", "evaluation", "tuning"):
        done = run(scripts / "python", "-I", "-c", f"import es_simhash.{namespace}")
        assert done.stderr.endswith(f"es_simhash.errors.MissingExtra: {SENTENCE}\n")


def test_the_tests_of_the_core_pass(scripts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    for name in ("support", *{path.partition("/")[0] for path in PURE}):
        shutil.copytree(ROOT / "tests" / name, folder / name)
    (folder / "__init__.py").touch()
    (folder / "conftest.py").write_text(PROFILE, "utf-8")
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", tmp_path)
    done = run(
        scripts / "python", "-I", "-m", "pytest", *options, *(folder / path for path in PURE)
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
