"""An Elasticsearch with security and TLS, whose users have one role each."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import elasticsearch

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.home_folder import home_folder
from scripts.local_node import node
from scripts.local_node.server import Server
from tests.support.certificates import certificate
from tests.support.shared_node import leased

ADMIN, PASSWORD = "admin", "password-of-the-tests"
_SETTINGS: Mapping[str, object] = {
    "xpack.security.enabled": True,
    "xpack.security.http.ssl.enabled": True,
    "xpack.security.http.ssl.certificate": "http_ca.crt",
    "xpack.security.http.ssl.key": "http_ca.pem",
    "cluster.routing.allocation.type": "balanced",
}


class Secured(NamedTuple):
    """A node with security: its address, and the certificate of its authority, None without TLS."""

    url: str
    authority: Path | None

    def connection(self, user: str) -> dict[str, str]:
        """Return the environment with which a command connects as a user."""
        authority = {} if self.authority is None else {"ES_SIMHASH_CA_CERTS": str(self.authority)}
        return {
            "ELASTICSEARCH_URL": self.url,
            "ES_SIMHASH_USER": user,
            "ES_SIMHASH_PASSWORD": PASSWORD,
            # Each command would read the certificates of all authorities, for 60 ms.
            "SSL_CERT_FILE": os.devnull,
            **authority,
        }

    def connect(self, user: str) -> elasticsearch.Elasticsearch:
        """Return a client of a user."""
        authority = None if self.authority is None else str(self.authority)
        return connect(self.url, user=user, password=PASSWORD, ca_certs=authority)


@contextmanager
def secured_node(
    roles: Mapping[str, Mapping[str, Any]], name: str = "secured"
) -> Iterator[Secured]:
    """Give a node with security and TLS, which the last user stops and deletes.

    Each role has a user of its name; they and `ADMIN` have the password `PASSWORD`. They are in
    files, which the node reads at its start: the index in which it keeps others needs modules
    that it does not have. It answers to HTTPS alone.

    Args:
        roles: The roles, by name.
        name: Name of the node; tests with other roles have another one.

    Raises:
        NodeError: It does not start.
    """

    authority = home_folder() / "nodes" / name / "config" / "http_ca.crt"

    def add_users(server: Server, *_: Path) -> None:
        certificate(server.config)
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
        started = node.start(
            name, heap="512m", settings=_SETTINGS, in_memory=True, before=add_users
        )
        return started.url, started.started

    with leased(name, start, lambda: node.remove(name)) as url:
        yield Secured(url, authority)
