"""An OpenSearch of its own for the time of a test or a bench: it runs Painless for real.

The Elasticsearch distribution on Maven Central comes without its script and ingest modules, that of
OpenSearch with all of them. It is fetched, unpacked and run the way `es_simhash.node` does it.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from es_simhash.errors import NodeError
from es_simhash.local_node import account, distribution, health, java, process, settings
from es_simhash.store.home_folder import home_folder

VERSION = "3.6.0"
GROUP = "org.opensearch.distribution.integ-test-zip"
NAME = f"opensearch-{VERSION}"
MINIMUM_JAVA = 21
START_SECONDS = 180.0
STOP_SECONDS = 30.0

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def request(url: str, method: str = "GET", body: object = None, *, timeout: float = 600) -> Any:
    """Return what a request answers, parsed; an answer that refuses has a member `error`.

    Bodies that are bytes are sent as they are (bulk requests), others as JSON.
    """
    raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
    asked = urllib.request.Request(url, raw, {"Content-Type": kind}, method=method)
    try:
        with _opener.open(asked, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error)


def runs_painless(url: str) -> bool:
    """Check whether the engine at an address has the modules that run ingest scripts."""
    nodes = request(f"{url}/_nodes/plugins?filter_path=nodes.*.modules.name")["nodes"]
    names = {module["name"] for node in nodes.values() for module in node["modules"]}
    return {"lang-painless", "ingest-common"} <= names


@contextmanager
def opensearch(
    heap: str = "1g", report: settings.Report = lambda _: None, port: int | None = None
) -> Iterator[str]:
    """Start an OpenSearch, give its address, and stop it and delete its data at the end.

    Args:
        heap: Its heap size.
        report: Is told what is being done.
        port: To listen on; None for any that is free.

    Raises:
        NodeError: It cannot be fetched or started; the sentence says why.
    """
    home, user = home_folder(), account.service_account()
    jdk = java.require_java(MINIMUM_JAVA, report=report)
    unpacked = _require_distribution(jdk, report)
    account.check_reachable(home, user)
    distribution.open_folder(home / "nodes")
    with tempfile.TemporaryDirectory(prefix=f"{NAME}-", dir=home / "nodes") as name:
        paths = settings.NodePaths(Path(name))
        paths.root.chmod(0o755)
        port = settings.choose_port(port or _free_port())
        _prepare(paths, unpacked, port, heap, user)
        report(f"Starting OpenSearch {VERSION} on JDK {jdk.major} ...")
        with _running(paths, unpacked, jdk, user) as server:
            yield _answering(server, paths, f"http://127.0.0.1:{port}")


def _free_port() -> int:
    """Return a port that hardly anything else takes before the server does.

    Of two that find the usual one free at the same time, one would wait for the other's server.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _require_distribution(jdk: java.Java, report: settings.Report) -> Path:
    target = home_folder() / "distributions" / NAME
    if target.is_dir():
        return target
    distribution.open_folder(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        archive = _cached_zip() or _fetch(jdk, Path(scratch), report)
        distribution.unpack(archive, Path(scratch) / "unpacked").rename(target)
    return target


def _cached_zip() -> Path | None:
    folder = Path.home() / ".m2" / "repository" / GROUP.replace(".", "/") / "opensearch" / VERSION
    path = folder / f"{NAME}.zip"
    return path if path.is_file() else None


def _fetch(jdk: java.Java, folder: Path, report: settings.Report) -> Path:
    maven = distribution.require_maven(report)
    report(f"Fetching OpenSearch {VERSION} from Maven Central ...")
    common = [maven, "-q", "-B", f"-Dartifact={GROUP}:opensearch:{VERSION}:zip"]
    for goal in (["get", "-Dtransitive=false"], ["copy", f"-DoutputDirectory={folder}"]):
        command = [*common, "-U", f"{distribution.PLUGIN}:{goal[0]}", *goal[1:]]
        distribution.run_maven(command, VERSION, jdk)
    return folder / f"{NAME}.zip"


def _prepare(
    paths: settings.NodePaths, unpacked: Path, port: int, heap: str, user: account.Account | None
) -> None:
    for folder in (paths.data, paths.logs, paths.run):
        folder.mkdir()
    shutil.copytree(unpacked / "config", paths.config)
    _drop_garbage_log(paths.config / "jvm.options")
    (paths.config / "opensearch.yml").write_text(_yml(paths, port), encoding="utf-8")
    options = paths.config / "jvm.options.d"
    options.mkdir(exist_ok=True)
    text = settings.render_jvm_options(paths, heap)
    (options / "es-simhash.options").write_text(text, encoding="utf-8")
    account.change_owner(paths.root, user)


def _drop_garbage_log(options: Path) -> None:
    """Its file would stand in the distribution's folder, where the server's user may not write."""
    lines = options.read_text("utf-8").splitlines()
    options.write_text("\n".join(line for line in lines if "gc.log" not in line), "utf-8")


def _yml(paths: settings.NodePaths, port: int) -> str:
    values = {
        "cluster.name": paths.root.name,
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": port,
        "cluster.routing.allocation.disk.threshold_enabled": False,
        "path.data": str(paths.data),
        "path.logs": str(paths.logs),
    }
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())


@contextmanager
def _running(
    paths: settings.NodePaths, unpacked: Path, jdk: java.Java, user: account.Account | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server as a child of this process and end it with the block."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(paths.run),
        "OPENSEARCH_JAVA_HOME": str(jdk.home),
        "OPENSEARCH_PATH_CONF": str(paths.config),
        "OPENSEARCH_TMPDIR": str(paths.run),
    }
    with paths.console.open("wb") as console:
        server = subprocess.Popen(
            [str(unpacked / "bin" / "opensearch")],
            cwd=paths.run,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            **account.process_arguments(user),
        )
    try:
        yield server
    finally:
        _end(server)


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _answering(server: subprocess.Popen[bytes], paths: settings.NodePaths, url: str) -> str:
    alive = server.poll
    if health.wait_until_ready(url, seconds=START_SECONDS, alive=lambda: alive() is None):
        return url
    text = paths.console.read_text(encoding="utf-8", errors="replace")
    raise NodeError(f"OpenSearch {VERSION} did not start: {process.failure_reason(text)}.")
