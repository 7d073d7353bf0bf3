"""Memory that heavy work has freed, given back to the system."""

import ctypes
from collections.abc import Callable
from functools import cache

# Keep at the top of each heap, in bytes.
_KEPT = 0


@cache
def _trim() -> Callable[[int], object] | None:
    """Return the function of the C library that does it; None where it has none."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return trim


def give_back() -> None:
    """Give free memory back, where the C library can; it takes some milliseconds.

    The arrays of a comparison are freed, but the C library keeps what lies below anything that is
    still used, for each thread.
    """
    trim = _trim()
    if trim is not None:
        trim(_KEPT)
