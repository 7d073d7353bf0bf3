"""Write requirements-dev.txt: every package of the environment of developers, with its hashes.

    make lock

It fits every Python that the package supports and every platform (scripts/install.bash installs
it), and begins like the locks of the images with the requirements that it was made for.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock_images import PREFIX, ROOT, SETUPTOOLS, compiled

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LOCK = ROOT / "requirements-dev.txt"
# The installer itself, what builds packages that are published as sources only, and what hatchling
# needs to install a package in place.
INSTALLERS = ("editables", "pip", SETUPTOOLS)


def requirements(metadata: Mapping[str, Any]) -> list[str]:
    """Return what the environment has: the dependencies, and those of the extra `dev`.

    Args:
        metadata: The contents of pyproject.toml.
    """
    project = metadata["project"]
    lines = (*project["dependencies"], *_of_extras(project, ["dev"]))
    build = metadata["build-system"]["requires"]
    return sorted({*lines, *build, *INSTALLERS})


def _of_extras(project: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Yield the requirements of extras, and of those of the package that they name."""
    for name in names:
        for line in project["optional-dependencies"][name]:
            requirement = Requirement(line)
            if canonicalize_name(requirement.name) == project["name"]:
                yield from _of_extras(project, sorted(requirement.extras))
            else:
                yield line


def oldest_python(metadata: Mapping[str, Any]) -> str:
    """Return the oldest Python that the package supports, such as 3.10."""
    supported: str = metadata["project"]["requires-python"]
    return supported.removeprefix(">=")


def main(path: Path = LOCK) -> None:
    """Write the lock: the versions that are the newest now."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = requirements(metadata)
    head = "".join(f"{PREFIX}{requirement}\n" for requirement in needed)
    locked = compiled(needed, python=oldest_python(metadata))
    path.write_text(f"# Written by `make lock`, for:\n{head}{locked}", "utf-8")


if __name__ == "__main__":
    main()
