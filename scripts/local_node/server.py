"""A server in a folder of its own: configured, launched, recognised by its marker, terminated."""

import json
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from scripts.local_node.java import NodeError

# Further options of the JVM, such as those that make a short run cheaper.
OPTIONS_VARIABLE = "ES_SIMHASH_JAVA_OPTS"
_UNPRIVILEGED_USER = "nobody"
_STOP_SECONDS = 30.0
_PID_SECONDS = 30.0
# What a log says where another server took the port.
_TAKEN = re.compile(r"BindHttpException|Address already in use")
# The first line of a log that states why a start failed, and those behind it.
_REASON = re.compile(
    r"^(?!.*\[INFO ?\]).*(?:Exception|Error|ERROR|insufficient|required Java).*(?:\n.*){0,3}",
    re.MULTILINE,
)


class PortTaken(NodeError):
    """Another program listens at the port of a server."""


@dataclass(frozen=True)
class Server:
    """The folder of a server; `root` is what its process is recognised by."""

    root: Path

    @property
    def config(self) -> Path:
        """Configuration, replaced at each start."""
        return self.root / "config"

    @property
    def run(self) -> Path:
        """Temporary files and the pid file."""
        return self.root / "run"

    @property
    def console(self) -> Path:
        """Output of the last start."""
        return self.root / "console.log"

    @property
    def ports(self) -> Path:
        """Addresses that the running server listens at for HTTP, which it writes itself."""
        return self.root / "logs" / "http.ports"

    @property
    def marker(self) -> str:
        """The JVM argument that identifies the process."""
        return f"-Des_simhash.node={self.root}"

    def configure(
        self, distribution: Path, settings: Mapping[str, object], heap: str, data: Path | None
    ) -> None:
        """Write the configuration; the data of an earlier start stay."""
        shutil.rmtree(self.config, ignore_errors=True)
        shutil.copytree(distribution / "config", self.config)
        if data is None or not data.parent.is_dir():
            data = self.root / "data"
        folders = {"data": data, "logs": self.root / "logs"}
        values = {
            "discovery.type": "single-node",
            "network.host": "127.0.0.1",
            # A laptop's disk is often more than 90 % full, where indices would turn read-only.
            "cluster.routing.allocation.disk.threshold_enabled": False,
            "node.portsfile": True,
            **{f"path.{name}": str(folder) for name, folder in folders.items()},
            **settings,
        }
        (file,) = [*self.config.glob("elasticsearch.yml"), *self.config.glob("opensearch.yml")]
        file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
        # The log of the garbage collector would be written to the folder of the distribution.
        jvm = self.config / "jvm.options"
        lines = jvm.read_text("utf-8").splitlines(keepends=True)
        jvm.write_text("".join(line for line in lines if "gc.log" not in line), "utf-8")
        options = [f"-Xms{heap}", f"-Xmx{heap}", self.marker, "-Xlog:all=warning:stderr:utctime"]
        options += shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))
        (self.config / "jvm.options.d").mkdir(exist_ok=True)
        (self.config / "jvm.options.d" / "es-simhash.options").write_text("\n".join(options))
        for folder in (*folders.values(), self.run):
            folder.mkdir(exist_ok=True)
        for path in (self.config, *self.config.rglob("*"), *folders.values(), self.run):
            _hand_over(path)

    def launch(self, distribution: Path, java: Path, url: str, seconds: float) -> int:
        """Start the server in the background, and return its process id when it answers.

        Raises:
            PortTaken: Another program listens at its port.
            NodeError: It ended or was not up in time; the message has its reason and the log.
        """
        pid_file = self.run / "pid"
        for file in (pid_file, self.ports):
            file.unlink(missing_ok=True)
        (program,) = [file for file in (distribution / "bin").glob("*search") if file.is_file()]
        with self.console.open("wb") as console:
            launcher = self.execute([str(program), "-d", "-p", str(pid_file)], java, console)
            is_up = False
            try:
                if launcher.wait(timeout=seconds) == 0:
                    # OpenSearch writes its pid file only after the launcher ended.
                    grace = time.monotonic() + _PID_SECONDS
                    is_up = wait_until_ready(
                        url, seconds, lambda: self._is_alive(grace), lambda: self.listens_at(url)
                    )
            except subprocess.TimeoutExpired:
                pass
            finally:
                if not is_up:
                    # The server is in the session of its launcher; it must not stay behind.
                    with suppress(ProcessLookupError):
                        os.killpg(launcher.pid, signal.SIGKILL)
                    launcher.wait()
        if is_up and (pid := self.pid()) is not None:
            return pid
        log = self.console.read_text(encoding="utf-8", errors="replace")
        sentence = f"The server did not start: {failure_reason(log)} (log: {self.console})."
        raise (PortTaken if _TAKEN.search(log) else NodeError)(sentence)

    def execute(self, command: list[str], java: Path, output: Any) -> subprocess.Popen[bytes]:
        """Run a program of the distribution with its configuration, as its user."""
        product = Path(command[0]).name.partition("-")[0]
        prefix = "ES" if product == "elasticsearch" else "OPENSEARCH"
        try:
            return subprocess.Popen(
                command,
                cwd=self.run,
                # The caller's JAVA_OPTS and the like are not for this server.
                env={
                    "PATH": os.environ.get("PATH", os.defpath),
                    "HOME": str(self.run),
                    f"{prefix}_JAVA_HOME": str(java),
                    f"{prefix}_PATH_CONF": str(self.config),
                    f"{prefix}_TMPDIR": str(self.run),
                    # Of the launcher, which ends before optimised code would pay.
                    "CLI_JAVA_OPTS": "-XX:TieredStopAtLevel=1",
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **_as_user(),
            )
        except PermissionError as error:
            raise NodeError(
                f"{command[0]} cannot be run by {_UNPRIVILEGED_USER!r}, the user that runs "
                "Elasticsearch for root. Set ES_SIMHASH_HOME to a folder that every user may enter."
            ) from error

    def pid(self) -> int | None:
        """Return the id of the process when it runs.

        A pid file may outlive its process and the number may be given to another one; so only a
        process that carries the marker among its arguments counts.
        """
        try:
            pid = int((self.run / "pid").read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return pid if pid > 0 and self._is_process(pid) else None

    def listens_at(self, url: str) -> bool:
        """Check whether this server listens at an address, where before another one may answer."""
        try:
            lines = self.ports.read_text("utf-8").split()
        except OSError:
            return False
        return any(line.rpartition(":")[2] == url.rpartition(":")[2] for line in lines)

    def terminate(self, seconds: float = _STOP_SECONDS) -> int | None:
        """Stop the process, by force after a time limit; return its id, None when none ran.

        Raises:
            NodeError: The process belongs to another user.
        """
        if (pid := self.pid()) is None:
            return None
        try:
            for number in (signal.SIGTERM, signal.SIGKILL):
                os.kill(pid, number)
                deadline = time.monotonic() + seconds
                while self._is_process(pid) and time.monotonic() < deadline:
                    time.sleep(0.1)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise NodeError(f"Process {pid} belongs to another user; stop it as that.") from error
        (self.run / "pid").unlink(missing_ok=True)
        return pid

    def _is_alive(self, grace: float) -> bool:
        return self.pid() is not None or time.monotonic() < grace

    def _is_process(self, pid: int) -> bool:
        """Check whether a process is this server: the marker is one of its arguments."""
        command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
        if not Path("/proc/self/cmdline").exists():
            return self.marker in subprocess.run(command, capture_output=True, text=True).stdout
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return os.fsencode(self.marker) in arguments


def wait_until_ready(
    url: str,
    seconds: float,
    is_alive: Callable[[], bool],
    is_its_own: Callable[[], bool] = lambda: True,
) -> bool:
    """Poll an address until a server answers there; False when it dies or time runs out first.

    Args:
        url: The address.
        seconds: Time limit.
        is_alive: Whether the server runs.
        is_its_own: Whether the address is that of this server and of no other.
    """
    deadline = time.monotonic() + seconds
    # No password is sent, and a node of the tests has a certificate that no authority signed. One
    # that verifies would read those of all authorities first.
    with httpx.Client(timeout=15, trust_env=False, verify=False) as client:
        while time.monotonic() < deadline:
            if is_its_own() and _answers(client, url):
                return True
            if not is_alive():
                return False
            time.sleep(0.2)
    return False


def _answers(client: httpx.Client, url: str) -> bool:
    # Indices from an earlier run need a moment; 408 says that some stay red, 401 that the server
    # wants a password.
    path = "_cluster/health?wait_for_status=yellow&timeout=10s"
    try:
        answer = client.get(f"{url}/{path}")
    except httpx.HTTPError:
        return False
    return answer.is_success or answer.status_code in (401, 408)


def failure_reason(log: str) -> str:
    """Return the lines of a log that state why a start failed, else the last ones."""
    match = _REASON.search(log)
    lines = match[0].splitlines() if match else log.strip().splitlines()[-2:]
    return " ".join(line.strip() for line in lines).rstrip(".") or "it printed nothing"


def _as_user() -> dict[str, Any]:
    """Return the arguments of `subprocess` with which a server runs: for root as another user."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam(_UNPRIVILEGED_USER)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _hand_over(path: Path) -> None:
    if account := _as_user():
        os.chown(path, account["user"], account["group"])
