"""Waits for what happens in another process."""

import time
from collections.abc import Callable


def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds, which fails after these seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
