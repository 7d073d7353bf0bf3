"""A program in a terminal: what it shows is read, and keys are typed."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

COLUMNS = 80


class Terminal:
    """A program in a terminal of 80 columns, where Ctrl-C interrupts it.

    Args:
        arguments: The program and its arguments.
        environment: Replaces variables of this process's own.
        folder: Where it runs.
        rows: Rows of the terminal.

    Attributes:
        shown: What it has printed.
        process: The process.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path | None = None,
        *,
        rows: int = 24,
    ) -> None:
        self.shown = ""
        self._terminal, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        self.process = subprocess.Popen(
            arguments, stdin=child, stdout=child, stderr=child, cwd=folder,
            env={**kept, **environment}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(child)

    def type(self, keys: bytes) -> None:
        """Type keys, or the bytes that the terminal sends for them."""
        os.write(self._terminal, keys)

    def read(self, until: Callable[[], bool], seconds: float = 90) -> None:
        """Read what it prints until something holds, or it has ended.

        Raises:
            AssertionError: It does not hold after some seconds.
        """
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, self.shown
            if select.select([self._terminal], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self._terminal, 65_536).decode(errors="replace")
                except OSError:  # The program has ended.
                    return

    def reads_keys(self) -> bool:
        """Check whether it waits for single keys; a terminal drops those typed before."""
        return not termios.tcgetattr(self._terminal)[3] & termios.ICANON

    def end(self) -> int:
        """Read all that is left, and return the exit status."""
        self.read(lambda: False)
        return self.process.wait(30)

    def close(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(10)
        os.close(self._terminal)
