"""Connections divided evenly: a worker that has more of them leaves the next one to the others.

All workers accept from one socket, and the first that the system wakes takes whatever waits there:
of the connections that a proxy opens at once mostly all, which stay with it while they are open.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from es_simhash.service.monitoring import FOLDER_VARIABLE

try:
    # Of the extra; there is none for Windows.
    from uvloop import Loop as _Loop
except ImportError:
    _Loop = asyncio.SelectorEventLoop  # type: ignore[assignment,misc]

_PREFIX, _BYTES = "connections-", 8
# Seconds for which a connection is left to the others, and until this worker looks whether it is
# still there. One of them may hang: after that time all are taken for so long.
_LEFT, _GLANCE, _IMPATIENT = 0.02, 0.001, 0.1
# Seconds until descriptors may be free again, where there are none.
_FULL, _NO_DESCRIPTORS = 0.1, (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class ConnectionCount:
    """How many connections a worker has, in a file that the others read.

    Args:
        folder: Of the files of all workers.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{_PREFIX}{os.getpid()}"
        self._value = 0
        self._write()

    def add(self, number: int) -> None:
        """Add so many connections, or take them away."""
        self._value += number
        self._write()

    def is_ahead(self) -> bool:
        """Check whether another worker has fewer."""
        return any(other < self._value for other in self._others())

    def _write(self) -> None:
        # Where it cannot be written, the connection counts more than how they are divided.
        with suppress(OSError):
            self._path.write_bytes(self._value.to_bytes(_BYTES, "little"))

    def _others(self) -> list[int]:
        paths = [path for path in self._folder.glob(f"{_PREFIX}*") if path != self._path]
        return [count for path in paths if (count := _read(path)) is not None]


def _read(path: Path) -> int | None:
    """Return the count of another worker; None of one that has ended."""
    try:
        os.kill(int(path.name.removeprefix(_PREFIX)), 0)
        content = path.read_bytes()
    except (OSError, ValueError):
        return None
    return int.from_bytes(content, "little") if len(content) == _BYTES else None


class EvenServer:
    """Accepts connections of a socket one by one, as long as no other worker has fewer.

    Args:
        loop: The event loop.
        make_protocol: Makes the protocol of a connection, which says when that is lost, as
            `BoundedProtocol.on_lost` does.
        listening: The socket, which several processes have.
        count: The connections of this process.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        make_protocol: Callable[[], Any],
        listening: socket.socket,
        count: ConnectionCount,
    ) -> None:
        self._loop, self._make_protocol = loop, make_protocol
        self._listening, self._count = listening, count
        self._accepted: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._left_until = self._patient_from = 0.0
        listening.setblocking(False)
        loop.add_reader(listening, self._next)

    def close(self) -> None:
        """Accept no more; connections that are open stay."""
        if self._timer is None:
            self._loop.remove_reader(self._listening)
        else:
            self._timer.cancel()

    async def wait_closed(self) -> None:
        """Wait for nothing, as `asyncio.Server` does."""

    def _next(self) -> None:
        if self._count.is_ahead() and self._is_left_to_others():
            self._pause(_GLANCE)
            return
        try:
            accepted, _ = self._listening.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno not in _NO_DESCRIPTORS:
                raise
            self._pause(_FULL)
            return
        self._count.add(1)
        task = self._loop.create_task(self._opened(accepted))
        self._accepted.add(task)
        task.add_done_callback(self._accepted.discard)

    def _is_left_to_others(self) -> bool:
        """Check whether one of the others may still take the connection that waits."""
        now = self._loop.time()
        if now < self._patient_from:
            return False
        if now > self._left_until + 2 * _GLANCE:
            # It came just now: the one before was taken.
            self._left_until = now + _LEFT
        if now < self._left_until:
            return True
        self._patient_from = now + _IMPATIENT
        return False

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listening)
        self._timer = self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._timer = None
        self._loop.add_reader(self._listening, self._next)

    async def _opened(self, accepted: socket.socket) -> None:
        """Give a connection to its protocol; it counts until it is lost."""
        try:
            accepted.setblocking(False)
            # Else each small answer waits for an acknowledgement.
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _, protocol = await self._loop.connect_accepted_socket(self._make_protocol, accepted)
        except OSError:
            # It was closed from the other side meanwhile.
            accepted.close()
            self._count.add(-1)
            return
        protocol.on_lost(lambda: self._count.add(-1))


class EvenLoop(_Loop):
    """An event loop whose servers share a socket evenly with those of other processes."""

    async def create_server(self, protocol_factory: Any, *given: Any, **named: Any) -> Any:
        """Return what accepts connections; where there is one process, as any loop does."""
        listening, folder = named.get("sock"), os.environ.get(FOLDER_VARIABLE)
        if listening is None or folder is None:
            return await super().create_server(protocol_factory, *given, **named)
        return EvenServer(self, protocol_factory, listening, ConnectionCount(Path(folder)))
