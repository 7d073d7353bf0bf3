"""The most memory that a process has had."""

import os
import re
import resource
from pathlib import Path


def peak_memory() -> int:
    """Return the most memory that this process has had, in KiB."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # What `getrusage` says of a new process begins with the memory of the one that started it.
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status.read_text("ascii"), re.M)
    return int(peak)


def own_peak() -> tuple[int, int]:
    """Return this process, by its id, and the most memory that it has had, in KiB."""
    return os.getpid(), peak_memory()
