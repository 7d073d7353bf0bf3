"""Ending a long comparison from another thread, at the next place where it looks whether to go on.

A time limit ends the waiting and not the work, which Python cannot end from outside.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from es_simhash.errors import EsSimhashError

_unwanted: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)


class Interrupted(EsSimhashError):
    """Nobody waits for the result any more."""


@contextmanager
def interruptible(unwanted: threading.Event) -> Iterator[None]:
    """Let an event end the work of this thread within the block.

    Raises:
        Interrupted: The event was set before the work ended.
    """
    token = _unwanted.set(unwanted)
    try:
        yield
    finally:
        _unwanted.reset(token)


def require_wanted() -> None:
    """Check that the result is still waited for; called within long loops and between long steps.

    Raises:
        Interrupted: It is not.
    """
    unwanted = _unwanted.get()
    if unwanted is not None and unwanted.is_set():
        raise Interrupted("The comparison was ended: nobody waits for it any more.")
