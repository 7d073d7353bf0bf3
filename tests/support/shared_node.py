"""Engines that the processes of a test run share, and that the last of them stops."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeVar

from es_simhash.store.home_folder import home_folder
from scripts.local_node.distribution import open_folder

Started = TypeVar("Started")


@contextmanager
def leased(
    name: str, start: Callable[[], tuple[Started, bool]], stop: Callable[[], object]
) -> Iterator[Started]:
    """Use something that has a name together with test sessions that run at the same time.

    Each session holds a lock while it uses it. The session that started it marks it as the tests'
    own; the last one to leave stops it then.

    Args:
        name: Its name.
        start: Starts it, unless it runs; returns it, and whether it had to be started.
        stop: Stops it.
    """
    folder = home_folder() / "leases"
    open_folder(folder)
    with (folder / f"{name}.start").open("w") as starting:
        fcntl.flock(starting, fcntl.LOCK_EX)
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            value, started = start()
            if started:
                (folder / f"{name}.own").touch()
            fcntl.flock(starting, fcntl.LOCK_UN)
            try:
                yield value
            finally:
                fcntl.flock(starting, fcntl.LOCK_EX)
                _leave(lock, folder / f"{name}.own", stop)


def _leave(lock: TextIO, own: Path, stop: Callable[[], object]) -> None:
    """Stop what the tests started, unless another session uses it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    if own.exists():
        own.unlink()
        stop()
