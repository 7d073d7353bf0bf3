"""The source distribution has every file of the repository, and installs where nothing else is."""

import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tests.support.clone import ROOT
from tests.support.typed_line import typed

# What the build adds.
ADDED = {"PKG-INFO"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "build", "--no-isolation", "--sdist", "-o", folder, ROOT)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.tar.gz")
    return path


@pytest.mark.long
def test_it_has_the_files_of_the_repository_and_no_others(sources: Path) -> None:
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("the files are not under version control here")
    files = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    with tarfile.open(sources) as archive:
        packed = {
            member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()
        }
    assert sorted(files - packed) == []
    assert sorted(packed - files - ADDED) == []


@pytest.mark.long
def test_it_is_installed_in_an_empty_environment_and_tests_itself(
    sources: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / ".venv", symlinks=True)
    install = f"{sys.executable} -m uv pip install --quiet --python .venv/bin/python"
    asked = subprocess.run(
        [*install.split(), "--dry-run", "xxhash"], cwd=tmp_path, capture_output=True, text=True
    )
    if asked.returncode:
        pytest.skip(f"no package index answers: {asked.stderr.strip().splitlines()[-1]}")
    typed(f"{install} {sources}", tmp_path)
    # The code is that of the environment, not of a folder beside it.
    where = "import es_simhash; print(es_simhash.__file__)"
    assert str(tmp_path) in typed(f".venv/bin/python -I -c '{where}'", tmp_path)
    assert "all equal" in typed(".venv/bin/es-simhash selftest", tmp_path)
