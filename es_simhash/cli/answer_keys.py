"""Keys that answer questions: one key of a terminal, or one line of a pipe."""

import io
import os
import stat
import sys
from collections.abc import Callable

import click

from es_simhash.errors import InputError

# Returns a key, or None at the end of the input.
Keys = Callable[[], str | None]

_INTERRUPT, _END = "\x03", "\x04"


def answer_keys() -> Keys:
    """Return what reads the next answer from standard input.

    Raises:
        InputError: Standard input is neither a terminal nor a pipe nor a file.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return _terminal_key
    if sys.stdin is None or _is_device():
        raise InputError(
            "Standard input is neither a terminal nor a pipe. Run the command in a terminal, or "
            "pipe one answer a line."
        )
    return _line


def _is_device() -> bool:
    """Check whether standard input is a device, such as /dev/null."""
    try:
        return stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (io.UnsupportedOperation, OSError):
        return False


def _terminal_key() -> str | None:
    """Return one key; what was typed after it, before the next question is shown, is dropped."""
    try:
        typed = str(click.getchar())
    except EOFError:
        return None
    if typed[:1] == _INTERRUPT:
        raise KeyboardInterrupt
    if typed[:1] in ("", _END):
        return None
    return typed if typed.startswith("\x1b") else typed[0]


def _line() -> str | None:
    line = sys.stdin.buffer.readline()
    return line.decode("utf-8", "replace").strip() if line else None
