"""Ctrl-C on the command line."""

import subprocess
import sys

# The command is interrupted while it reads, while it cleans up, and while the process exits.
_PROGRAM = """
import atexit, signal, sys
from types import SimpleNamespace
from es_simhash.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    signal.raise_signal(signal.SIGINT)

def read():
    try:
        interrupt()
    finally:
        interrupt()
        print("cleaned up")

atexit.register(interrupt)
sys.argv = ["es-simhash", "files", "fingerprint", "-"]
sys.stdin = SimpleNamespace(buffer=SimpleNamespace(read=read))
main()
"""


def test_further_interrupts_change_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (130, "cleaned up\n")
    assert done.stderr.strip() == "Interrupted."
