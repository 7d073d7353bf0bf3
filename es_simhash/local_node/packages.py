"""Packages installed with apt, which only root on Debian and its derivatives may do."""

import os
import shutil
import subprocess

from es_simhash.errors import NodeError
from es_simhash.local_node.settings import Report


def apt_usable() -> bool:
    """Check whether packages can be installed from here: as root, with apt-get."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_offers(pattern: str, report: Report) -> list[str]:
    """Return the names of the packages that match, after an update when none do."""
    names = _apt_search(pattern)
    if not names:
        report("Updating the list of packages ...")
        _apt("apt-get", "update")
        names = _apt_search(pattern)
    return names


def apt_install(package: str, report: Report) -> None:
    """Install one package.

    Raises:
        NodeError: apt-get failed.
    """
    report(f"Installing {package} ...")
    # Another program may be installing something at the moment.
    options = ("-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300")
    result = _apt("apt-get", "install", *options, package)
    if result.returncode != 0:
        lines = [line for line in result.stdout.splitlines() if line.strip()]
        reason = lines[-1] if lines else f"exit status {result.returncode}"
        raise NodeError(f"apt-get could not install {package} ({reason}). Install it by hand.")


def _apt_search(pattern: str) -> list[str]:
    result = _apt("apt-cache", "search", "--names-only", pattern)
    return [line.split(" ")[0] for line in result.stdout.splitlines() if line]


def _apt(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
