"""An Elasticsearch with security, whose users have one role each."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.local_node import node
from scripts.local_node.server import Server
from tests.support.shared_node import leased

ADMIN, PASSWORD = "admin", "password-of-the-tests"
_NAME = "secured"


@contextmanager
def secured_node(roles: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Give the address of a node with security, which the last user stops and deletes.

    Each role has a user of its name; they and `ADMIN` have the password `PASSWORD`. They are in
    files, which the node reads at its start: the index in which it keeps others needs modules
    that it does not have.

    Raises:
        NodeError: It does not start.
    """

    def add_users(server: Server, *_: Path) -> None:
        users = {ADMIN: "superuser", **{name: name for name in roles}}
        # JSON is YAML; a password that is no hash is one in plain text.
        files = {
            "roles.yml": [f"{name}: {json.dumps(role)}\n" for name, role in roles.items()],
            "users": [f"{name}:{PASSWORD}\n" for name in users],
            "users_roles": [f"{role}:{name}\n" for name, role in users.items()],
        }
        for file, lines in files.items():
            (server.config / file).write_text("".join(lines), "utf-8")

    def start() -> tuple[str, bool]:
        secured = {"xpack.security.enabled": True, "cluster.routing.allocation.type": "balanced"}
        started = node.start(_NAME, heap="512m", settings=secured, in_memory=True, before=add_users)
        return started.url, started.started

    with leased(_NAME, start, lambda: node.remove(_NAME)) as url:
        yield url
