"""An OpenSearch with security, whose users have one role each."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.local_node import node
from scripts.local_node.distribution import SECURED_OPENSEARCH
from scripts.local_node.server import Server
from tests.support.certificates import certificate
from tests.support.secured_node import ADMIN, Secured
from tests.support.shared_node import leased

# Of the password of the tests, by bcrypt with the least rounds.
_HASH = "$2b$04$abcdefghijklmnopqrstuuibDY3p9qohu3CrzVTWqp27lnpeLSOq6"
_NAME = "secured-opensearch"
_SETTINGS: Mapping[str, object] = {
    # Between nodes, security wants TLS.
    "plugins.security.ssl.transport.pemcert_filepath": "node.crt",
    "plugins.security.ssl.transport.pemkey_filepath": "node.pem",
    "plugins.security.ssl.transport.pemtrustedcas_filepath": "node.crt",
    "plugins.security.ssl.transport.enforce_hostname_verification": False,
    "plugins.security.nodes_dn": ["CN=tests"],
    "plugins.security.allow_default_init_securityindex": True,
    "plugins.security.audit.type": "noop",
}


@contextmanager
def secured_opensearch(roles: Mapping[str, Mapping[str, Any]]) -> Iterator[Secured]:
    """Give an OpenSearch with security, which the last user stops and deletes.

    Its clients need no TLS.

    Each role has a user of its name; they and `ADMIN` have the password of `secured_node`.

    Args:
        roles: The roles, by name, as the API takes them.

    Raises:
        NodeError: It cannot be fetched, or does not start.
    """

    def configure(server: Server, distribution: Path, _: Path) -> None:
        certificate(server.config, "node")
        folder = server.config / "opensearch-security"
        shutil.copytree(distribution / "plugins" / "opensearch-security" / "config", folder)
        users: dict[str, Any] = {name: {"hash": _HASH} for name in (ADMIN, *roles)}
        mapped = {name: {"users": [name]} for name in roles}
        _write(folder / "internal_users.yml", "internalusers", users)
        _write(folder / "roles.yml", "roles", roles)
        _write(
            folder / "roles_mapping.yml",
            "rolesmapping",
            {"all_access": {"users": [ADMIN]}, **mapped},
        )

    def start() -> tuple[str, bool]:
        started = node.start(
            _NAME,
            release=SECURED_OPENSEARCH,
            heap="512m",
            settings=_SETTINGS,
            in_memory=True,
            before=configure,
        )
        return started.url, started.started

    with leased(_NAME, start, lambda: node.remove(_NAME)) as url:
        yield Secured(url, authority=None)


def _write(file: Path, kind: str, entries: Mapping[str, Any]) -> None:
    """Write a file of the configuration of security: JSON is YAML."""
    content = {"_meta": {"type": kind, "config_version": 2}, **entries}
    file.write_text(json.dumps(content), "utf-8")
