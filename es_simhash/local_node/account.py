"""The user a node runs as: Elasticsearch refuses root, so root runs it as `nobody`."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from es_simhash.errors import NodeError

UNPRIVILEGED_USER = "nobody"


@dataclass(frozen=True)
class Account:
    """A user of this machine other than the calling one."""

    name: str
    user: int
    group: int


def service_account() -> Account | None:
    """Return the unprivileged account when called as root, else None: run as the caller.

    Raises:
        NodeError: The caller is root and there is no such account.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(UNPRIVILEGED_USER)
    except KeyError:
        raise NodeError(
            f"Elasticsearch does not run as root, and user {UNPRIVILEGED_USER!r} does not exist. "
            "Create it, or run es-simhash as another user."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def process_arguments(account: Account | None) -> dict[str, Any]:
    """Return the keyword arguments with which `subprocess` runs as the account."""
    if account is None:
        return {}
    return {"user": account.user, "group": account.group, "extra_groups": []}


def can_execute(path: Path, account: Account | None) -> bool:
    """Check whether the account may enter the folder or run the file."""
    if account is None:
        return os.access(path, os.X_OK)
    # Left to the kernel: the answer depends on every folder above, and on access lists.
    test = ["/bin/sh", "-c", 'test -x "$0"', str(path)]
    try:
        return subprocess.run(test, cwd="/", **process_arguments(account)).returncode == 0
    except PermissionError as error:
        raise NodeError(
            f"Elasticsearch does not run as root, and this process cannot become user "
            f"{account.name!r}. Run es-simhash as another user."
        ) from error


def change_owner(folder: Path, account: Account | None) -> None:
    """Make the account the owner of a folder and its content; nothing without an account."""
    if account is None:
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, account.user, account.group, follow_symlinks=False)


def check_reachable(folder: Path, account: Account | None) -> None:
    """Reject a folder that the account cannot enter.

    Raises:
        NodeError: The account cannot enter it.
    """
    if account is not None and not can_execute(folder, account):
        raise NodeError(
            f"{folder} is not accessible to {account.name!r}, the user that runs Elasticsearch for "
            "root. Set ES_SIMHASH_HOME to a directory that every user may enter."
        )
