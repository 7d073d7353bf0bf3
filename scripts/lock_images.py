"""Write docker/locks: every package of the images with its version and the hashes of its files.

    make docker-lock

Each file begins with the requirements of pyproject.toml that it was made for, so that a test can
tell without a network when they are others (tests/scripts/test_lock_images.py). What is locked
fits every platform and the Pythons from 3.11, so that the steps of the images can be tested.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docker" / "locks"
# Extras of the images: both read all languages that there are.
EXTRAS = {
    "service": ("service", "languages", "chinese"),
    "ingest": ("languages", "chinese"),
}
# Builds jieba, which is published as sources only.
SETUPTOOLS = "setuptools>=77"
OLDEST_PYTHON = "3.11"
PREFIX = "# requires "


def requirements(metadata: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what each lock is made for, by its name.

    Args:
        metadata: The contents of pyproject.toml.
    """
    project = metadata["project"]
    extras = project["optional-dependencies"]
    locks = {"build": [*metadata["build-system"]["requires"], SETUPTOOLS]}
    for image, names in EXTRAS.items():
        added = [requirement for name in names for requirement in extras[name]]
        locks[image] = [*project["dependencies"], *added]
    return {name: sorted(locks[name]) for name in ("build", *EXTRAS)}


def lock_path(name: str) -> Path:
    """Return the file of a lock."""
    return FOLDER / f"{name}.txt"


def recorded(lock: str) -> list[str]:
    """Return the requirements that a lock was made for."""
    return [line.removeprefix(PREFIX) for line in lock.splitlines() if line.startswith(PREFIX)]


def compiled(
    needed: Sequence[str], constraints: Sequence[str] = (), *, python: str = OLDEST_PYTHON
) -> str:
    """Return the newest versions that fit requirements, with the hashes of their files.

    Args:
        needed: The requirements.
        constraints: Options of uv that narrow the versions.
        python: The oldest Python that they have to fit.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirements.in"
        file.write_text("\n".join(needed), "utf-8")
        line = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
        line += ["--python-version", python, "--generate-hashes", "--no-header"]
        line += ["--no-annotate", "--upgrade", *constraints, str(file)]
        return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Write all locks: the versions that are the newest now."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    constraints: list[str] = []
    for name, needed in requirements(metadata).items():
        head = "".join(f"{PREFIX}{requirement}\n" for requirement in needed)
        text = f"# Written by `make docker-lock`, for:\n{head}{compiled(needed, constraints)}"
        lock_path(name).write_text(text, "utf-8")
        if name != "build":
            # Both images have the same versions.
            constraints += ["--constraint", str(lock_path(name))]


if __name__ == "__main__":
    main()
