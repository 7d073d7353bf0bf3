"""The command line in a process of its own, which can be interrupted and killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# A process inherits that SIGINT is ignored, as it is in the background, under nohup and in
# services. The command respects that; the tests want one that can be interrupted all the same.
_START = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("es_simhash", run_name="__main__", alter_sys=True)
"""


def command_line(*arguments: object) -> list[str]:
    """Return how to start `es-simhash` with these arguments."""
    return [sys.executable, "-c", _START, *map(str, arguments)]


@contextmanager
def running(line: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a program during the block; what still runs at its end is killed."""
    with subprocess.Popen(line, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def children(pid: int) -> list[int]:
    """Return the processes a process started (on Linux)."""
    return [
        int(child)
        for tasks in Path(f"/proc/{pid}/task").glob("*/children")
        for child in tasks.read_text().split()
    ]
