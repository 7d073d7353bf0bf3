"""The memory that a process which stays keeps after it has freed it (with glibc)."""

import ctypes
import os
from contextlib import suppress

# Variable of the environment, option of mallopt(3), value.
_OPTIONS = (
    # Heaps that the threads of a process share. By default there are eight for each core, and each
    # keeps what the largest request of a thread has needed.
    ("MALLOC_ARENA_MAX", -8, 2),
    # Bytes from which on a block has pages of its own, which go back to the system when it is
    # freed. By default that grows with the largest block freed, up to 32 MiB: heaps then hold
    # arrays, and stay as large as they were at most.
    ("MALLOC_MMAP_THRESHOLD_", -3, 256 * 1024),
)
# The same for a process that has not started yet.
SMALL_HEAPS = {variable: str(value) for variable, _, value in _OPTIONS}


def keep_heaps_small() -> None:
    """Let this process give freed memory back to the system.

    What a variable of the environment sets stays as it is, as does everything with another C
    library.
    """
    for variable, option, value in _OPTIONS:
        if variable not in os.environ:
            # Other C libraries have no such options.
            with suppress(AttributeError, OSError, TypeError):
                ctypes.CDLL(None).mallopt(option, value)
