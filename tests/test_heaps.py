"""Processes that stay give freed memory back to the system."""

import ctypes
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc")
# Prints how many more blocks have pages of their own once one of a MiB is allocated. Before, one of
# 20 MiB is freed, which by default raises the threshold of glibc to its size.
PROGRAM = """
import sys
from es_simhash.heaps import keep_heaps_small
from tests.soak.watched import heaps

if sys.argv[1] == "small":
    keep_heaps_small()
freed = bytearray(20 << 20)
del freed
before = heaps().hblks
kept = bytearray(1 << 20)
print(heaps().hblks - before)
"""


def own_pages(mode: str, **variables: str) -> int:
    """Return how many blocks got pages of their own as a MiB was allocated."""
    # Another test may have kept the heaps of this process small, and so those that it starts.
    others = {name: value for name, value in os.environ.items() if "MALLOC" not in name}
    environment = {**others, **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode], capture_output=True, env=environment, check=True
    )
    return int(done.stdout)


def test_a_large_block_has_pages_of_its_own_whatever_was_freed_before() -> None:
    assert own_pages("small") == 1
    assert own_pages("as it is") == 0


def test_a_variable_that_is_set_counts() -> None:
    assert own_pages("small", MALLOC_MMAP_THRESHOLD_=str(4 << 20)) == 0
