"""The lock of the environment is that of pyproject.toml, and what is installed has its hashes."""

import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock_environment import LOCK, oldest_python, requirements
from scripts.lock_images import ROOT, recorded
from tests.docker.test_images import METADATA

TEXT = LOCK.read_text("utf-8")
NEEDED = requirements(METADATA)
# A package with its marker, and its hashes below.
LOCKED = re.compile(
    r"^([\w.-]+)==(\S+)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)
PYTHONS = [
    line.rpartition(" ")[2]
    for line in METADATA["project"]["classifiers"]
    if re.search(r":: 3\.\d+$", line)
]


def locked(python: str) -> dict[str, list[str]]:
    """Return the versions of each package that are locked for a Python on Linux."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    versions: dict[str, list[str]] = {}
    for name, version, marker, _ in LOCKED.findall(TEXT):
        if not marker or Marker(marker).evaluate(environment):
            versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def test_it_was_made_for_what_tests_and_benchmarks_require() -> None:
    assert recorded(TEXT) == NEEDED, "run `make lock`"
    assert oldest_python(METADATA) == PYTHONS[0]
    # An extra that names others has theirs.
    assert {"elasticsearch>=8.15,<10", "ruff>=0.6", "jieba>=0.42", "uvicorn>=0.54"} <= set(NEEDED)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_gets_one_version_of_each_package(python: str) -> None:
    versions = locked(python)
    assert [name for name, some in versions.items() if len(some) > 1] == []
    for line in NEEDED:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or marker.evaluate({"python_version": python}):
            (version,) = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), line


def test_every_package_has_hashes_and_no_index_is_named() -> None:
    assert len(LOCKED.findall(TEXT)) == len(re.findall("^[a-z].*==", TEXT, re.M)) > 200
    assert "://" not in TEXT
    assert not re.search("^-", TEXT, re.M)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the script, and a package whose extra is one small package."""
    script = (ROOT / "scripts" / "install.bash").read_text("utf-8")
    (tmp_path / "install.bash").write_text(script, "utf-8")
    project = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    project += '[project]\nname = "small"\nversion = "1"\n'
    project += '[project.optional-dependencies]\ndev = ["colorama==0.4.6"]\n'
    (tmp_path / "pyproject.toml").write_text(project, "utf-8")
    (tmp_path / "small.py").write_text("", "utf-8")
    # The environment is made once: it takes longer than all else.
    python = f'#!/bin/bash\n[[ -d .venv && $2 == venv ]] || exec {sys.executable} "$@"\n'
    (tmp_path / "python").write_text(python, "utf-8")
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def install(folder: Path, lock: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "lock.txt").write_text(lock, "utf-8")
    command = ["bash", "install.bash", "./python", ".venv", "dev", "lock.txt"]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=variables)


@pytest.mark.long
def test_a_package_with_another_hash_ends_it_and_a_version_that_is_none_does_not(
    clone: Path,
) -> None:
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "colorama==0.4.6")
    asked = subprocess.run([*command, "-d", clone / "files"], capture_output=True, text=True)
    if asked.returncode:
        pytest.skip(f"no package index answers: {asked.stderr.strip().splitlines()[-1]}")
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(clone / "files"), "UV_OFFLINE": "1"}
    refused = install(clone, f"colorama==0.4.6 --hash=sha256:{'0' * 64}\n", **offline)
    assert refused.returncode == 1
    assert "A package is not the one that lock.txt names." in refused.stderr
    # Here the newest are asked for, of which there are none without an index.
    unknown = install(clone, f"colorama==0.4.999 --hash=sha256:{'0' * 64}\n", **offline)
    assert "lock.txt does not fit this Python or platform" in unknown.stderr
    assert "A package is not the one" not in unknown.stderr
    # With the hash of the file, only what builds the package itself is missing.
    (file,) = (clone / "files").iterdir()
    digest = sha256(file.read_bytes()).hexdigest()
    install(clone, f"colorama==0.4.6 --hash=sha256:{digest}\n", **offline)
    (installed,) = (clone / ".venv").glob("lib/python*/site-packages/colorama")
    assert installed.is_dir()
