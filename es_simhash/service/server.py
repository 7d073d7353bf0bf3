"""The server: a port, one or several workers, and a graceful stop."""

import errno
import gc
import multiprocessing.connection
import os
import pickle
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import uvicorn
from starlette.applications import Starlette
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from es_simhash.errors import InputError
from es_simhash.heaps import SMALL_HEAPS, keep_heaps_small
from es_simhash.service.connections import BoundedProtocol
from es_simhash.service.even_connections import EvenLoop
from es_simhash.service.monitoring import (
    FOLDER_VARIABLE,
    note_death,
    note_start,
    start_logging,
)
from es_simhash.service.service_config import ServiceConfig

# Connections that wait to be accepted, and how many of them a worker accepts at once.
_BACKLOG, _ACCEPTED = 2_048, 64
# Seconds that requests have to end when the service is stopped.
_GRACE = 30
# Seconds after which a worker that says nothing is taken to hang; on a busy machine one takes some
# to start. Its supervisor looks for signals so often meanwhile.
_SILENCE, _GLANCE = 60, 0.2
# Seconds for an answer from one that has just given one, or had that long.
_ANSWER = 5
# Objects that are made, and passes over the youngest and over those that survived them, before the
# collector of cycles looks. Answers leave hardly any cycles, and by default a worker spends a
# twelfth of its time looking for them among what it keeps.
_COLLECTED_AFTER = 10_000, 10, 50
# Seconds that an idle connection stays open. Proxies and pools of clients keep theirs for up to a
# minute, as nginx does; one that is closed first fails the request that is just sent on it.
_KEEP_ALIVE = 75


def serve(
    make: Callable[[], Starlette],
    config: ServiceConfig,
    *,
    host: str,
    port: int,
    workers: int = 1,
    listening: Callable[[str], None] | None = None,
) -> None:
    """Run a service until it is stopped by SIGTERM or SIGINT; requests that run are answered.

    Args:
        make: Makes the application, in each worker.
        config: Configuration of the service.
        host: Address to listen on.
        port: Port; 0 for any that is free.
        workers: Processes.
        listening: Called with the address once requests are taken.

    Raises:
        InputError: The port is in use, or the host is no address of this machine.
    """
    keep_heaps_small()
    _collect_seldom()
    with _bound(host, port) as bound:
        say = partial(listening or _nothing, f"http://{host}:{bound.getsockname()[1]}")
        if workers == 1:
            _Server(server_settings(make, config), say).run(sockets=[bound])
            return
        say()
        with tempfile.TemporaryDirectory(prefix="es-simhash-metrics-") as folder:
            os.environ.update({**SMALL_HEAPS, **os.environ, FOLDER_VARIABLE: folder})
            # A worker reads it once it can be stopped: that may take long.
            made = partial(_made_in_worker, pickle.dumps(make))
            settings = server_settings(made, config, workers)
            start_logging()
            _Supervisor(settings, sockets=[bound]).run()


def _collect_seldom() -> None:
    """Let the collector of cycles of this process look seldom."""
    gc.set_threshold(*_COLLECTED_AFTER)


def _made_in_worker(pickled: bytes) -> Starlette:
    """Return the application; its process ends as by SIGTERM when its supervisor is gone."""
    with _stopped_at_once():
        supervisor = multiprocessing.parent_process()
        if supervisor is not None:
            threading.Thread(target=_end_after, args=(supervisor.sentinel,), daemon=True).start()
        make: Callable[[], Starlette] = pickle.loads(pickled)
        _collect_seldom()
        return make()


@contextmanager
def _stopped_at_once() -> Iterator[None]:
    """Let SIGTERM end the process, in silence: there are no requests yet that could be answered."""
    graceful = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = getattr(graceful, "__self__", None)
    # It may have noted the signal already, to stop once it has started.
    if isinstance(server, uvicorn.Server) and server.should_exit:
        signal.raise_signal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, graceful)


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


class _Supervisor(Multiprocess):
    """Starts a worker again that ended by itself, and says so."""

    def __init__(self, settings: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(settings, sockets)
        self._slow: set[int | None] = set()

    def keep_subprocess_alive(self) -> None:
        """Look after the workers; a signal is heard while one of them says nothing."""
        before = list(self.processes)
        for process in before:
            self._await_answer(process)
        if self._is_called:
            return
        # Before they are replaced: the log has each death, also if this process is killed now.
        dead = [each for each in before if _has_died(each)]
        for process in dead:
            note_death(process.pid, process.exitcode)
        super().keep_subprocess_alive()
        for process in before:
            if process not in self.processes and process not in dead:
                note_death(process.pid, process.exitcode)

    @property
    def _is_called(self) -> bool:
        return bool(self.signal_queue) or self.should_exit.is_set()

    def _await_answer(self, worker: Process) -> None:
        until = time.monotonic() + _SILENCE
        with suppress(OSError, EOFError):
            worker.parent_conn.send(b"ping")
            while not worker.parent_conn.poll(_GLANCE):
                if self._is_called or not worker.process.is_alive() or time.monotonic() > until:
                    return
                self._note_start(worker.pid)
            if worker.parent_conn.recv() is False:
                self._note_start(worker.pid)

    def _note_start(self, pid: int | None) -> None:
        if pid not in self._slow:
            self._slow.add(pid)
            note_start(pid)


def _has_died(worker: Process) -> bool:
    """Check that a worker has ended; one that could not start is not replaced."""
    return not worker.process.is_alive() and worker.exitcode != STARTUP_FAILURE


class _Server(uvicorn.Server):
    """A server that says when it takes requests: from then on it can be stopped by a signal."""

    def __init__(self, settings: uvicorn.Config, say: Callable[[], None]) -> None:
        super().__init__(settings)
        self._say = say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._say()


def _nothing(address: str) -> None:
    """Say nothing."""


def server_settings(
    make: Callable[[], Starlette], config: ServiceConfig, workers: int = 1
) -> uvicorn.Config:
    """Return how an application is run.

    Args:
        make: Makes the application, in each worker.
        config: Configuration of the service.
        workers: Processes.
    """
    proxies = list(config.trusted_proxies)
    return uvicorn.Config(
        make,
        factory=True,
        http=BoundedProtocol,
        loop=f"{EvenLoop.__module__}:{EvenLoop.__qualname__}",
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        backlog=_ACCEPTED,
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_worker_healthcheck=_ANSWER,
    )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only with the protocol named does asyncio send small packets at once (TCP_NODELAY); without,
    # each answer takes the 40 ms of a delayed acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        # The port may be taken or reserved; everything else is about the address.
        parameter = "port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "host"
        raise InputError(
            f"Cannot listen on {host} port {port}: {error.strerror or error}. Set {parameter}.",
            parameter=parameter,
        ) from error
    listening.set_inheritable(True)
    return listening
