"""How the server is run."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from starlette.applications import Starlette

from es_simhash.service.server import server_settings
from es_simhash.service.service_config import ServiceConfig


def test_an_idle_connection_stays_open_longer_than_proxies_use_it() -> None:
    assert server_settings(Starlette, ServiceConfig()).timeout_keep_alive > 60


# What the application is made by is read when a worker starts: here that takes two minutes.
SLOW = """
import sys, time
from starlette.applications import Starlette
from es_simhash.service.server import serve
from es_simhash.service.service_config import ServiceConfig

class Slow:
    def __call__(self):
        return Starlette()

    def __setstate__(self, state):
        print("starting", flush=True)
        time.sleep(120)

    def __getstate__(self):
        return {"any": 1}

if __name__ == "__main__":
    serve(Slow(), ServiceConfig(), host="127.0.0.1", port=0, workers=2)
"""


def test_workers_that_are_still_starting_are_stopped_at_once(tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text(SLOW, "utf-8")
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"starting\n"
            # Its supervisor waits for the first of them by now.
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        finally:
            process.kill()
    assert process.returncode == 0


ENDLESS = """
import sys
from starlette.applications import Starlette
from es_simhash.service.server import serve
from es_simhash.service.service_config import ServiceConfig

if __name__ == "__main__":
    serve(Starlette, ServiceConfig(), host="127.0.0.1", port=int(sys.argv[1]), workers=2)
"""


def is_open(port: int) -> bool:
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_workers_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def is_answered() -> bool:
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/")
                return connection.getresponse().status == 404
        except OSError:
            return False

    with subprocess.Popen([sys.executable, str(program), str(port)]) as process:
        wait_until(is_answered)
        process.kill()
    wait_until(lambda: not is_open(port))
