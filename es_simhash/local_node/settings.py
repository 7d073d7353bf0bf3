"""Names, folders, ports and configuration files of nodes."""

import errno
import json
import os
import re
import shlex
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from es_simhash.errors import NodeError
from es_simhash.store.home_folder import home_folder

DEFAULT_VERSION = "9.5.3"
FALLBACK_VERSION = "8.19.21"
AVAILABLE_VERSIONS = (DEFAULT_VERSION, FALLBACK_VERSION)
DEFAULT_HEAP = "1g"
DEFAULT_PORT = 9200
# Further options of the JVM, such as those that make a short run cheaper.
OPTIONS_VARIABLE = "ES_SIMHASH_JAVA_OPTS"

Report = Callable[[str], None]


@dataclass(frozen=True)
class NodePaths:
    """The folders and files of one node."""

    root: Path

    @property
    def config(self) -> Path:
        """Configuration, replaced at each start."""
        return self.root / "config"

    @property
    def data(self) -> Path:
        """The indices; they stay when the node stops."""
        return self.root / "data"

    @property
    def logs(self) -> Path:
        """Logs that Elasticsearch writes itself."""
        return self.root / "logs"

    @property
    def run(self) -> Path:
        """Temporary files and the pid file."""
        return self.root / "run"

    @property
    def pid(self) -> Path:
        """The pid file, written and removed by Elasticsearch."""
        return self.run / "pid"

    @property
    def console(self) -> Path:
        """Output of the last start."""
        return self.root / "console.log"

    @property
    def record(self) -> Path:
        """Version, port and heap of the last start."""
        return self.root / "node.json"

    @property
    def marker(self) -> str:
        """The JVM argument that identifies the process of this node."""
        return f"-Des_simhash.node={self.root}"


@dataclass(frozen=True)
class NodeRecord:
    """How a node was last started."""

    version: str
    port: int
    heap: str

    def write(self, path: Path) -> None:
        """Write the record as JSON."""
        path.write_text(json.dumps(self.__dict__) + "\n", encoding="utf-8")


def read_record(path: Path) -> NodeRecord | None:
    """Return the record of a node, or None when there is none that can be read."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return NodeRecord(str(fields["version"]), int(fields["port"]), str(fields["heap"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def node_paths(name: str) -> NodePaths:
    """Return the paths of the node of this name.

    Raises:
        NodeError: The name cannot be a folder name.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise NodeError(
            "name must begin with a letter or digit and contain only letters, digits, '.', '_' "
            f"and '-', got {name!r}.",
            parameter="name",
        )
    return NodePaths(home_folder() / "nodes" / name)


def check_version(version: str) -> str:
    """Return the version when it is spelled like one.

    Raises:
        NodeError: It is not; the message lists the versions known to work.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[A-Za-z0-9.]+)?", version):
        raise NodeError(
            f"version must be one of Elasticsearch, got {version!r}; {available_versions()}",
            parameter="version",
        )
    return version


def available_versions() -> str:
    """Return the end of a message, which lists the versions known to work."""
    return f"available are {' (default) and '.join(AVAILABLE_VERSIONS)}."


def check_heap(heap: str) -> str:
    """Return the heap size when the JVM accepts it.

    Raises:
        NodeError: It is not a number followed by m or g.
    """
    if not re.fullmatch(r"[1-9]\d*[mMgG]", heap):
        raise NodeError(
            f"heap must be a number with m or g, such as 512m or 2g, got {heap!r}.",
            parameter="heap",
        )
    return heap


def minimum_java(version: str) -> int:
    """Return the oldest major Java version that runs this Elasticsearch version."""
    return 21 if int(version.split(".")[0]) >= 9 else 17


def choose_port(wanted: int | None) -> int:
    """Return a port on loopback that is free now: the wanted one, 9200, or any.

    Raises:
        NodeError: The wanted port cannot be used.
    """
    if wanted is None:
        return DEFAULT_PORT if _try_port(DEFAULT_PORT) is None else _any_port()
    error_number = _try_port(wanted)
    if error_number is not None:
        reason = "is in use" if error_number == errno.EADDRINUSE else "cannot be opened"
        raise NodeError(
            f"Port {wanted} {reason}. Set port.",
            parameter="port",
        )
    return wanted


def _try_port(port: int) -> int | None:
    """Return the error number that binding the port gives, or None when it is free."""
    with socket.socket() as probe:
        # As Elasticsearch does, so that a port in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            return getattr(error, "errno", None) or errno.EINVAL
    return None


def _any_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def render_yml(name: str, paths: NodePaths, port: int) -> str:
    """Return the text of `elasticsearch.yml`.

    The transport port is left to Elasticsearch, which takes the first free one from 9300 on:
    chosen here, it could be taken before the node binds it.
    """
    settings = {
        "cluster.name": f"es-simhash-{name}",
        "node.name": name,
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": port,
        "xpack.security.enabled": False,
        "xpack.ml.enabled": False,
        # A laptop's disk is often more than 90 % full, where indices would turn read-only.
        "cluster.routing.allocation.disk.threshold_enabled": False,
        "path.data": str(paths.data),
        "path.logs": str(paths.logs),
    }
    lines = [f"{key}: {json.dumps(value)}" for key, value in settings.items()]
    return "\n".join(["# Written by `es-simhash node start` at each start.", *lines, ""])


def render_jvm_options(paths: NodePaths, heap: str) -> str:
    """Return the JVM options: heap, marker, no garbage collector log, those of the environment."""
    quiet = ["-Xlog:disable", "-Xlog:all=warning:stderr:utctime,level,tags"]
    more = shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))
    return "\n".join([f"-Xms{heap}", f"-Xmx{heap}", paths.marker, *quiet, *more, ""])
