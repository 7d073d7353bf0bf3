"""The command line, whose processes say how much of their memory is in use.

They hold more than that: what a peak has freed. A leak would fill it before they held any more.
"""

import ctypes
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from es_simhash.cli import main

# Where each process writes how many MiB it uses, in a file that has its number for a name.
FOLDER_VARIABLE = "ES_SIMHASH_SOAK_FOLDER"
_EVERY_SECONDS = 2.0
_MIB = 1 << 20
# Bytes of a small object of Python, on average; how many there are is known, but not their sizes.
_SMALL = 80


class _Heaps(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks")),
        *((name, ctypes.c_size_t) for name in ("fordblks", "keepcost")),
    ]


def heaps() -> Any:
    """Return what the heaps of this process are (with glibc)."""
    heaps_of = ctypes.CDLL(None).mallinfo2
    heaps_of.restype = _Heaps
    return heaps_of()


def _in_use() -> float:
    """Return how many MiB this process has allocated."""
    now = heaps()
    return float(now.uordblks + now.hblkhd + _SMALL * sys.getallocatedblocks()) / _MIB


def _report(folder: Path) -> None:
    file = folder / str(os.getpid())
    while True:
        partial = file.with_suffix(".partial")
        try:
            partial.write_text(str(_in_use()))
            partial.replace(file)
        except OSError:  # The soak has ended.
            return
        time.sleep(_EVERY_SECONDS)


# The workers of a service import this module as well.
if FOLDER_VARIABLE in os.environ:
    folder = Path(os.environ[FOLDER_VARIABLE])
    threading.Thread(target=_report, args=(folder,), daemon=True).start()

if __name__ == "__main__":
    main()
