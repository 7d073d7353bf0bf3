"""How the server is run."""

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
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
        time.sleep(120)

    def __getstate__(self):
        return {"any": 1}

if __name__ == "__main__":
    serve(Slow(), ServiceConfig(), host="127.0.0.1", port=0, workers=2)
"""


@pytest.mark.long
def test_workers_that_are_still_starting_are_stopped_at_once(tmp_path: Path) -> None:
    with starting(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        _, written = process.communicate(timeout=30)
    assert process.returncode == 0
    assert {event_of(line) for line in written.splitlines()} <= {"waiting for worker"}


def test_workers_end_in_silence_when_their_supervisor_is_killed_while_they_start(
    tmp_path: Path,
) -> None:
    with starting(tmp_path) as process:
        process.kill()
        # The workers have the same standard error: it is read to its end when the last has ended.
        _, written = process.communicate(timeout=30)
    assert {event_of(line) for line in written.splitlines()} <= {"waiting for worker"}


def event_of(line: bytes) -> str:
    return str(json.loads(line)["event"])


@contextmanager
def starting(folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a supervisor until it says that it waits for its first worker."""
    program = folder / "slow.py"
    program.write_text(SLOW, "utf-8")
    # Without a buffer, so that what follows the line is left to be read.
    line = [sys.executable, str(program)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stderr is not None
        try:
            assert select.select([process.stderr], [], [], 60)[0]
            assert event_of(process.stderr.readline()) == "waiting for worker"
            yield process
        finally:
            process.kill()


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


# Each of twelve threads has memory of its own at the same time; then the heaps are counted.
THREADS = """
import ctypes, os, signal, sys, threading
from starlette.applications import Starlette
from es_simhash.service.server import serve
from es_simhash.service.service_config import ServiceConfig

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = LIBC.fopen.restype = ctypes.c_void_p
LIBC.malloc_info.argtypes = ctypes.c_int, ctypes.c_void_p
LIBC.fclose.argtypes = [ctypes.c_void_p]

class Threads:
    def __call__(self):
        together = threading.Barrier(12)
        def allocate():
            together.wait()
            LIBC.malloc(5_000)
            together.wait()
        threads = [threading.Thread(target=allocate) for _ in range(12)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        file = LIBC.fopen(f"{sys.argv[1]}.{os.getpid()}".encode(), b"w")
        LIBC.malloc_info(0, file)
        LIBC.fclose(file)
        os.rename(f"{sys.argv[1]}.{os.getpid()}", sys.argv[1])
        return Starlette()

if __name__ == "__main__":
    count = int(sys.argv[2])
    serve(Threads(), ServiceConfig(), host="127.0.0.1", port=0, workers=count)
"""


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="needs glibc")
@pytest.mark.parametrize(
    ("workers", "variables", "least", "most"),
    [(1, {}, 2, 2), (2, {}, 2, 2), (1, {"MALLOC_ARENA_MAX": "9"}, 3, 9)],
)
def test_threads_share_two_heaps_unless_more_are_wanted(
    tmp_path: Path, workers: int, variables: dict[str, str], least: int, most: int
) -> None:
    program, file = tmp_path / "threads.py", tmp_path / "heaps.xml"
    program.write_text(THREADS, "utf-8")
    line = [sys.executable, str(program), str(file), str(workers)]
    environment = {**os.environ, **variables}
    with subprocess.Popen(line, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(file.exists)
        finally:
            process.terminate()
    assert least <= file.read_text().count("<heap nr=") <= most
