"""Ctrl-C and SIGTERM: a command closes what it has opened, and ends."""

import atexit
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

_USUAL: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
_received: list[int] = []


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in the block at a Ctrl-C, or `SystemExit` at a SIGTERM.

    Any further one is ignored until the process has exited: it would break off the end of the
    threads and processes, and the exit would wait for them. A signal that is ignored already, as
    Ctrl-C is under nohup and in services, stays so.
    """
    heard = [number for number, usual in _USUAL.items() if signal.getsignal(number) == usual]
    # Called last, as it comes before all that a command imports and opens.
    atexit.register(_end_by_sigterm)
    for number in heard:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in heard:
            if signal.getsignal(number) is _interrupt:
                signal.signal(number, _USUAL[number])
        if not _received:
            atexit.unregister(_end_by_sigterm)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in _USUAL:
        signal.signal(each, signal.SIG_IGN)
    _received.append(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    # That is the status where the signal cannot end the process: of the first in a container.
    raise SystemExit(128 + number)


def _end_by_sigterm() -> None:
    """Let the signal end the process after all, as whoever sent it expects: systemd, for one."""
    if _received != [signal.SIGTERM]:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)
