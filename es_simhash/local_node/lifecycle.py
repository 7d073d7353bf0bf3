"""Start, find and stop local nodes."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from es_simhash.errors import NodeError
from es_simhash.local_node.account import Account, change_owner, check_reachable, service_account
from es_simhash.local_node.distribution import open_folder, require_distribution
from es_simhash.local_node.health import get_json, wait_until_ready
from es_simhash.local_node.java import Java, find_java, require_java
from es_simhash.local_node.process import launch, running_pid, start_failure, terminate
from es_simhash.local_node.settings import (
    DEFAULT_HEAP,
    DEFAULT_VERSION,
    FALLBACK_VERSION,
    NodePaths,
    NodeRecord,
    Report,
    check_heap,
    check_version,
    choose_port,
    minimum_java,
    node_paths,
    read_record,
    render_jvm_options,
    render_yml,
)
from es_simhash.store.home_folder import home_folder

START_SECONDS = 180.0


@dataclass(frozen=True)
class Node:
    """A running local node; `started` says whether this call started it."""

    name: str
    version: str
    url: str
    pid: int
    data: Path
    log: Path
    started: bool = False


@dataclass(frozen=True)
class NodeStats:
    """Health colour of a node, and its number of documents."""

    health: str
    documents: int


def start(
    *,
    version: str | None = None,
    name: str | None = None,
    port: int | None = None,
    heap: str = DEFAULT_HEAP,
    seconds: float = START_SECONDS,
    report: Report = lambda _: None,
) -> Node:
    """Start a local node and return it when it answers, or the one that runs already.

    Args:
        version: Elasticsearch version; by default 9.5.3, or 8.19.21 when there is no JDK 21.
        name: Name of the node and its data; by default its version.
        port: HTTP port; by default 9200, or another one when that is taken.
        heap: Heap size of the JVM.
        seconds: How long to wait for the node once its process is launched.
        report: Called with a message before each step that takes long.

    Raises:
        NodeError: Something is missing, does not fit, or Elasticsearch does not come up.
    """
    check_heap(heap)
    with _start_lock():
        check_reachable(home_folder(), service_account())
        node = _running_node(name or version or DEFAULT_VERSION, version, port)
        if node is not None:
            return node
        chosen, java = _choose_version(version, report)
        # Looked up again, since the version chosen may be another than the default.
        node = _running_node(name or chosen, version, port)
        if node is not None:
            return node
        record = NodeRecord(chosen, choose_port(port), heap)
        return _start_stopped(name or chosen, record, java, seconds, report)


def status(name: str) -> Node | None:
    """Return the node of this name when it runs."""
    paths = node_paths(name)
    record = read_record(paths.record)
    pid = running_pid(paths)
    if record is None or pid is None:
        return None
    url = f"http://127.0.0.1:{record.port}"
    return Node(name, record.version, url, pid, paths.data, paths.console)


def running_nodes() -> list[Node]:
    """Return all nodes that run, by name."""
    names = sorted(path.parent.name for path in home_folder().glob("nodes/*/node.json"))
    return [node for name in names if (node := status(name)) is not None]


def stop(name: str) -> int | None:
    """Stop the node of this name; return the pid it had, None when it did not run."""
    return terminate(node_paths(name))


def stats(node: Node) -> NodeStats:
    """Return the health of a node and its number of documents.

    Raises:
        NodeError: The process runs but does not answer.
    """
    try:
        answer = get_json(f"{node.url}/_cluster/stats?filter_path=status,indices.docs.count")
        return NodeStats(str(answer["status"]), int(answer["indices"]["docs"]["count"]))
    except (OSError, ValueError, KeyError) as error:
        raise NodeError(
            f"Node {node.name!r} runs as process {node.pid} but does not answer at {node.url}. "
            f"If it is not still starting, see {node.log}."
        ) from error


@contextmanager
def _start_lock() -> Iterator[None]:
    """Hold the lock of the home folder: one start at a time downloads, unpacks, picks a port."""
    home = home_folder()
    try:
        open_folder(home)
        lock = (home / "start.lock").open("w")
    except OSError as error:
        raise NodeError(
            f"{home} is not writable ({error.strerror}). Set ES_SIMHASH_HOME to another directory."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _running_node(name: str, version: str | None, port: int | None) -> Node | None:
    """Return the node when it runs, with the version and port wanted.

    Raises:
        NodeError: It runs with another version or port.
    """
    node = status(name)
    if node is None:
        return None
    wanted_url = node.url if port is None else f"http://127.0.0.1:{port}"
    if version not in (None, node.version) or node.url != wanted_url:
        raise NodeError(
            f"Node {name!r} already runs, with Elasticsearch {node.version} at {node.url}. "
            "Stop it, or start another node. Set name.",
            parameter="name",
        )
    return node


def _choose_version(version: str | None, report: Report) -> tuple[str, Java]:
    """Return the version to start and a Java for it.

    Without a version wanted, a machine whose newest JDK is 17 gets the version that runs
    there: Debian 12 offers no newer one.
    """
    if version is not None:
        minimum = minimum_java(check_version(version))
        return version, require_java(minimum, report=report)
    try:
        return DEFAULT_VERSION, require_java(minimum_java(DEFAULT_VERSION), report=report)
    except NodeError:
        java = find_java(minimum_java(FALLBACK_VERSION))
        if java is None:
            raise
    report(
        f"Elasticsearch {DEFAULT_VERSION} needs JDK {minimum_java(DEFAULT_VERSION)} or later and "
        f"the newest found is {java.major}: taking {FALLBACK_VERSION} instead."
    )
    return FALLBACK_VERSION, java


def _start_stopped(
    name: str, record: NodeRecord, java: Java, seconds: float, report: Report
) -> Node:
    paths, account = node_paths(name), service_account()
    distribution = require_distribution(record.version, java, report=report)
    _prepare(name, paths, distribution, record, account)
    report(f"Starting Elasticsearch {record.version} on JDK {java.major} ...")
    launch(paths, distribution, java.home, account, seconds)
    url = f"http://127.0.0.1:{record.port}"
    if not wait_until_ready(url, seconds=seconds, alive=lambda: running_pid(paths) is not None):
        terminate(paths)
        raise start_failure(paths, f"did not answer at {url}")
    node = status(name)
    if node is None:
        raise start_failure(paths, "ended right after its start")
    return replace(node, started=True)


def _prepare(
    name: str,
    paths: NodePaths,
    distribution: Path,
    record: NodeRecord,
    account: Account | None,
) -> None:
    """Write the folders of the node; the account owns only what Elasticsearch writes to."""
    open_folder(paths.root)
    if paths.config.exists():
        shutil.rmtree(paths.config)
    shutil.copytree(distribution / "config", paths.config)
    (paths.config / "elasticsearch.yml").write_text(
        render_yml(name, paths, record.port), encoding="utf-8"
    )
    options = paths.config / "jvm.options.d"
    options.mkdir(exist_ok=True)
    (options / "es-simhash.options").write_text(
        render_jvm_options(paths, record.heap), encoding="utf-8"
    )
    change_owner(paths.config, account)
    for folder in (paths.data, paths.logs, paths.run):
        if not folder.is_dir():
            folder.mkdir()
            change_owner(folder, account)
    record.write(paths.record)
