"""An Elasticsearch with security, whose users have one role each."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from es_simhash.errors import NodeError
from es_simhash.local_node.account import change_owner, process_arguments, service_account
from es_simhash.local_node.distribution import require_distribution
from es_simhash.local_node.health import wait_until_ready
from es_simhash.local_node.java import require_java
from es_simhash.local_node.process import launch, running_pid, terminate
from es_simhash.local_node.settings import (
    DEFAULT_VERSION,
    NodePaths,
    minimum_java,
    render_jvm_options,
    render_yml,
)

ADMIN, PASSWORD = "admin", "password-of-the-tests"
_SECONDS = 180


@contextmanager
def secured_node(root: Path, roles: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Run a node in an empty folder; give its URL.

    Each role has a user of its name; they and `ADMIN` have the password `PASSWORD`. They are in
    files, which the node reads at its start: the index in which it keeps others needs modules
    that it does not have.

    Raises:
        NodeError: It does not start.
    """
    java = require_java(minimum_java(DEFAULT_VERSION), report=lambda _: None)
    distribution = require_distribution(DEFAULT_VERSION, java, report=lambda _: None)
    paths, account = NodePaths(root), service_account()
    port = _free_port()
    shutil.copytree(distribution / "config", paths.config)
    settings = render_yml("secured", paths, port)
    secured = settings.replace("xpack.security.enabled: false", "xpack.security.enabled: true")
    _write(paths.config / "elasticsearch.yml", secured)
    _write(paths.config / "jvm.options.d" / "tests.options", render_jvm_options(paths, "512m"))
    for folder in (paths.data, paths.logs, paths.run):
        folder.mkdir()
    change_owner(root, account)
    _add_users(paths, distribution, java.home, roles)
    try:
        launch(paths, distribution, java.home, account, _SECONDS)
        admin = f"http://{ADMIN}:{PASSWORD}@127.0.0.1:{port}"
        is_alive = running_pid(paths) is not None
        if not is_alive or not wait_until_ready(admin, seconds=_SECONDS, alive=lambda: True):
            raise NodeError(f"The node with security did not start. See {paths.console}.")
        yield f"http://127.0.0.1:{port}"
    finally:
        terminate(paths)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _write(file: Path, content: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, "utf-8")


def _add_users(
    paths: NodePaths, distribution: Path, java_home: Path, roles: Mapping[str, Any]
) -> None:
    """Add the administrator with Elasticsearch's own program, and the others as it wrote it."""
    done = subprocess.run(
        [
            str(distribution / "bin" / "elasticsearch-users"),
            *("useradd", ADMIN, "-p", PASSWORD, "-r", "superuser"),
        ],
        cwd=paths.run,
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(paths.run),
            "ES_JAVA_HOME": str(java_home),
            "ES_PATH_CONF": str(paths.config),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **process_arguments(service_account()),
    )
    if done.returncode != 0:
        raise NodeError(f"No administrator could be added: {done.stdout.strip()}")
    password = (paths.config / "users").read_text("utf-8").strip().partition(":")[2]
    with (paths.config / "users").open("a") as users:
        users.writelines(f"{name}:{password}\n" for name in roles)
    with (paths.config / "users_roles").open("a") as of_roles:
        of_roles.writelines(f"{name}:{name}\n" for name in roles)
    # JSON is YAML.
    lines = [f"{name}: {json.dumps(role)}\n" for name, role in roles.items()]
    (paths.config / "roles.yml").write_text("".join(lines), "utf-8")
