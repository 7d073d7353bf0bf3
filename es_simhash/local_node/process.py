"""The server process: launched, recognised by a marker in its arguments, terminated."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from es_simhash.errors import NodeError
from es_simhash.local_node.account import Account, process_arguments
from es_simhash.local_node.settings import NodePaths

STOP_SECONDS = 30.0

# Tried in this order: what states why a start failed, in the words of the JVM, the launcher or
# Elasticsearch. The first exception names the cause with its context, the last one without.
_REASONS = (
    r"^Error occurred during initialization of VM\n(.+)",
    r"^# (There is insufficient memory.*)",
    r"^(The minimum required Java version.*)",
    r"^(?:Exception in thread \S+ )?((?:[a-z]\w*\.)+\w+(?:Exception|Error): .+)",
    r"^ERROR: (?!Elasticsearch did not exit normally)(.+)",
)


def running_pid(paths: NodePaths) -> int | None:
    """Return the pid of the node when it runs.

    A pid file may outlive its process and the number may be given to another one; so only a
    process that carries this node's marker among its arguments counts.
    """
    try:
        pid = int(paths.pid.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return pid if pid > 0 and _is_node_process(pid, paths.marker) else None


def launch(
    paths: NodePaths, distribution: Path, java_home: Path, account: Account | None, seconds: float
) -> None:
    """Start the server in the background and return when it says it is up.

    Raises:
        NodeError: It ended or was not up in time; the message has its reason and the log.
    """
    paths.pid.unlink(missing_ok=True)
    command = [str(distribution / "bin" / "elasticsearch"), "-d", "-p", str(paths.pid)]
    with paths.console.open("wb") as console:
        launcher = subprocess.Popen(
            command,
            cwd=paths.run,
            env=_environment(paths, java_home),
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **process_arguments(account),
        )
        code = _await_launcher(launcher, seconds)
    if code != 0:
        raise start_failure(paths, f"ended with status {code}" if code else "was not up in time")


def start_failure(paths: NodePaths, failure: str) -> NodeError:
    """Return the error for a start that failed, with the reason the log gives."""
    text = paths.console.read_text(encoding="utf-8", errors="replace")
    return NodeError(f"Elasticsearch {failure}: {failure_reason(text)} (log: {paths.console}).")


def failure_reason(log: str) -> str:
    """Return the line of a log that states why a start failed."""
    for pattern in _REASONS:
        match = re.search(pattern, log, re.MULTILINE)
        if match:
            return match[1].strip().rstrip(".")
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "it printed nothing"


def terminate(paths: NodePaths, *, seconds: float = STOP_SECONDS) -> int | None:
    """Stop the process, by force after a time limit; return its pid, None when none ran.

    Raises:
        NodeError: The process belongs to another user.
    """
    pid = running_pid(paths)
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGTERM)
        if not _wait_until_gone(pid, paths.marker, seconds):
            os.kill(pid, signal.SIGKILL)
            _wait_until_gone(pid, paths.marker, seconds)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise NodeError(f"Process {pid} belongs to another user. Stop it as that user.") from error
    paths.pid.unlink(missing_ok=True)
    return pid


def _environment(paths: NodePaths, java_home: Path) -> dict[str, str]:
    """Return a small environment: the caller's JAVA_OPTS and the like are not for this node."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(paths.run),
        "ES_JAVA_HOME": str(java_home),
        "ES_PATH_CONF": str(paths.config),
        "ES_TMPDIR": str(paths.run),
    }


def _await_launcher(launcher: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Return the launcher's exit status, or None when time ran out and it was ended.

    The server is the launcher's child in the same session; whatever interrupts the wait must
    end both, or a node without a record of it would stay behind.
    """
    try:
        return launcher.wait(timeout=seconds)
    except BaseException as error:
        with suppress(ProcessLookupError):
            os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return None
        raise


def _wait_until_gone(pid: int, marker: str, seconds: float) -> bool:
    """Wait until the process ends; one that is dead but not yet reaped counts as ended."""
    deadline = time.monotonic() + seconds
    while _is_node_process(pid, marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _is_node_process(pid: int, marker: str) -> bool:
    """Check whether the process is this node: the marker is one of its arguments."""
    if Path("/proc/self/cmdline").exists():
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return os.fsencode(marker) in arguments
    listing = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return marker in listing.stdout
