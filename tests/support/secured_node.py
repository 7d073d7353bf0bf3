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


@contextmanager
def secured_node(roles: Mapping[str, Mapping[str, Any]], name: str = "secured") -> Iterator[str]:
    """Give the address of a node with security, which the last user stops and deletes.

    Each role has a user of its name; they and `ADMIN` have the password `PASSWORD`. They are in
    files, which the node reads at its start: the index in which it keeps others needs modules
    that it does not have.

    Args:
        roles: The roles, by name.
        name: Name of the node; tests with other roles have another one.

    Raises:
        NodeError: It does not start.
    """

    def add_users(server: Server, *_: Path) -> None:
        users = {ADMIN: "superuser", **{role: role for role in roles}}
        # JSON is YAML; a password that is no hash is one in plain text.
        files = {
            "roles.yml": [f"{role}: {json.dumps(rights)}\n" for role, rights in roles.items()],
            "users": [f"{user}:{PASSWORD}\n" for user in users],
            "users_roles": [f"{role}:{user}\n" for user, role in users.items()],
        }
        for file, lines in files.items():
            (server.config / file).write_text("".join(lines), "utf-8")

    def start() -> tuple[str, bool]:
        secured = {"xpack.security.enabled": True, "cluster.routing.allocation.type": "balanced"}
        started = node.start(name, heap="512m", settings=secured, in_memory=True, before=add_users)
        return started.url, started.started

    with leased(name, start, lambda: node.remove(name)) as url:
        yield url
