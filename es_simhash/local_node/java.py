"""JDKs: the one that runs a node, installed with apt where there is none."""

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from es_simhash.errors import NodeError
from es_simhash.local_node.account import can_execute, service_account
from es_simhash.local_node.packages import apt_install, apt_offers, apt_usable
from es_simhash.local_node.settings import Report

JVM_PATTERNS = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")


@dataclass(frozen=True)
class Java:
    """A Java installation."""

    home: Path
    major: int


def find_java(minimum: int, *, patterns: Iterable[str] = JVM_PATTERNS) -> Java | None:
    """Return a Java of at least this major version that the node's user may run.

    ES_JAVA_HOME and JAVA_HOME come first; of the installed ones the oldest that suffices, since
    an Elasticsearch version is tested with the Java of its time; last, `java` on PATH.
    """
    account = service_account()
    installed = sorted(_inspect(_installed_homes(patterns)), key=lambda java: java.major)
    for java in [*_inspect(_named_homes()), *installed, *_inspect(_home_on_path())]:
        if java.major >= minimum and can_execute(java.home / "bin" / "java", account):
            return java
    return None


def require_java(minimum: int, *, report: Report, patterns: Iterable[str] = JVM_PATTERNS) -> Java:
    """Return a Java that is new enough, installed with apt if need be.

    Raises:
        NodeError: There is none and it cannot be installed from here.
    """
    java = find_java(minimum, patterns=patterns)
    if java is None and apt_usable():
        _install(minimum, report)
        java = find_java(minimum, patterns=patterns)
    if java is None:
        raise NodeError(
            f"No JDK {minimum} or later was found (ES_JAVA_HOME, JAVA_HOME, /usr/lib/jvm, java "
            f"on PATH). Install one, such as openjdk-{minimum}-jdk-headless, or set ES_JAVA_HOME."
        )
    return java


def _install(minimum: int, report: Report) -> None:
    """Install the oldest sufficient JDK, if the distribution offers one."""
    offered = apt_offers(r"^openjdk-[0-9]+-jdk-headless$", report)
    majors = sorted(int(name.split("-")[1]) for name in offered)
    sufficient = [major for major in majors if major >= minimum]
    if sufficient:
        apt_install(f"openjdk-{sufficient[0]}-jdk-headless", report)


def _named_homes() -> Iterator[Path]:
    for variable in ("ES_JAVA_HOME", "JAVA_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])


def _installed_homes(patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from (Path(path) for path in sorted(glob.glob(pattern)))


def _home_on_path() -> Iterator[Path]:
    command = shutil.which("java")
    if command:
        yield Path(command).resolve().parent.parent


def _inspect(homes: Iterable[Path]) -> Iterator[Java]:
    for home in homes:
        major = _major_version(home) if (home / "bin" / "java").is_file() else None
        if major is not None:
            yield Java(home, major)


def _major_version(home: Path) -> int | None:
    """Return the major version in the `release` file of a Java home, or that `java` prints."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
        match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    except OSError:
        match = re.search(r'version "(?:1\.)?(\d+)', _printed_version(home / "bin" / "java"))
    return int(match[1]) if match else None


def _printed_version(command: Path) -> str:
    try:
        result = subprocess.run(
            [command, "-version"], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stderr + result.stdout
