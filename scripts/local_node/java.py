"""The JDK that runs a node, and packages that root on Debian gets installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from es_simhash.errors import EsSimhashError

_FOLDERS = (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines"))


class NodeError(EsSimhashError):
    """The local node cannot be installed, started or stopped."""


def find_java(minimum: int) -> Path:
    """Return the home of a JDK of at least this major version, installed with apt if need be.

    `ES_JAVA_HOME` and `JAVA_HOME` come first; of the installed ones the oldest that suffices, as a
    server is tested with the Java of its time; last, `java` on PATH.

    Raises:
        NodeError: There is none, and it cannot be installed from here.
    """
    for _ in range(2):
        for home in _homes():
            if _major(home) >= minimum:
                return home
        apt_install("default-jdk-headless")
    raise NodeError(
        f"No JDK {minimum} or later was found (ES_JAVA_HOME, JAVA_HOME, {_FOLDERS[0]}, java on "
        f"PATH). Install one, such as openjdk-{minimum}-jdk-headless, or set ES_JAVA_HOME."
    )


def apt_install(package: str) -> None:
    """Install a package where this process may, as root with apt-get; do nothing elsewhere."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    # Another program may be installing something at the moment.
    options = "-y --no-install-recommends -o DPkg::Lock::Timeout=300"
    install = f"apt-get install {options} {package}"
    subprocess.run(
        f"{install} || (apt-get update && {install})",
        shell=True,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _homes() -> Iterator[Path]:
    named = (os.environ.get("ES_JAVA_HOME"), os.environ.get("JAVA_HOME"))
    yield from (Path(home) for home in named if home)
    installed = [path for folder in _FOLDERS for path in folder.glob("*")]
    homes = [path / "Contents/Home" if path.suffix == ".jdk" else path for path in installed]
    yield from sorted(homes, key=lambda home: (_major(home), home))
    if command := shutil.which("java"):
        yield Path(command).resolve().parents[1]


def _major(home: Path) -> int:
    """Return the major version in the `release` file of a Java home, 0 without one."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    return int(match[1]) if match and (home / "bin" / "java").is_file() else 0
