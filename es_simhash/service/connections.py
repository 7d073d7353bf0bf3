"""Connections of a worker: no more than it has descriptors for, and none that waits for ever.

The server closes idle connections after a time, and nothing else: headers that never end, or a
reader that takes a byte a second, keep a descriptor for as long as they like.
"""

import asyncio
import resource
import time
from collections.abc import Callable
from typing import Any

from es_simhash.service.monitoring import CONNECTIONS, REFUSALS

try:
    # Of the extra; it parses in C.
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Protocol
except ImportError:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol  # type: ignore[assignment]

# Descriptors for everything else: the engine, files, and what is accepted at once.
_RESERVED = 160
_LEAST_CONNECTIONS = 16
# Where the system sets no limit.
_MOST_CONNECTIONS = 65_536
# Most bytes of the headers of a request.
_HEADER_BYTES = 65_536


def most_connections() -> int:
    """Return how many connections a worker may have, by the limit of its descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return min(max(soft - _RESERVED, _LEAST_CONNECTIONS), _MOST_CONNECTIONS)


class BoundedProtocol(_Protocol):
    """HTTP over a connection that is closed when it keeps its descriptor for nothing.

    Attributes:
        header_seconds: In which the headers of a request must come, from their first byte.
        reading_seconds: In which a reader must take what was sent.
        linger_seconds: In which a connection that is closed must have sent the rest.
    """

    header_seconds = 10.0
    reading_seconds = 30.0
    linger_seconds = 5.0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._idle_since = time.monotonic()
        self._header_bytes = 0
        self._header_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._is_lost = False
        self._on_lost: Callable[[], None] | None = None

    def on_lost(self, function: Callable[[], None]) -> None:
        """Call a function when the connection is lost, or now where it is."""
        if self._is_lost:
            function()
        else:
            self._on_lost = function

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Take a connection; where there are too many, in place of the one idle for longest."""
        super().connection_made(transport)
        CONNECTIONS.inc()
        if len(self.connections) > most_connections():
            REFUSALS.labels("connections").inc()
            idle = [each for each in self.connections if each._is_idle]  # type: ignore[union-attr]
            min(idle, key=lambda each: each._idle_since).transport.abort()  # type: ignore[union-attr]
        # One that sends nothing at all is as one that is idle between two requests.
        if not transport.is_closing():
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        if not self._is_lost:
            CONNECTIONS.dec()
            if self._on_lost is not None:
                self._on_lost()
        self._is_lost = True
        self._unset_keepalive_if_required()
        for timer in (self._header_timer, self._reading_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request; its headers must end in time."""
        was_idle = self._is_idle
        super().data_received(data)
        if not self._is_idle or self.transport.is_closing():
            self._end_headers()
            return
        self._header_bytes += len(data) if was_idle else 0
        if self._header_bytes > _HEADER_BYTES:
            self._give_up("headers")
        elif self._header_timer is None:
            self._header_timer = self.loop.call_later(self.header_seconds, self._give_up, "headers")

    def _end_headers(self) -> None:
        self._header_bytes = 0
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._idle_since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the reader, for a time."""
        super().pause_writing()
        if self._reading_timer is None:
            self._reading_timer = self.loop.call_later(
                self.reading_seconds, self._give_up, "reading"
            )

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle for too long, even if its reader takes nothing more."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.linger_seconds, self._abort)

    def _give_up(self, reason: str) -> None:
        REFUSALS.labels(reason).inc()
        self._abort()

    def _abort(self) -> None:
        if not self._is_lost:
            self.transport.abort()
