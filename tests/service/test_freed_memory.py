"""What was freed is given back to the system."""

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from es_simhash.service.freed_memory import give_back


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_of_a_thread_that_freed_it_is_given_back() -> None:
    kept = []

    def work() -> None:
        # Small pieces, with one in use behind them: the C library keeps all of them.
        pieces = [np.zeros(2_000) for _ in range(10_000)]
        kept.append(pieces[-1])

    give_back()
    before = resident()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    give_back()
    assert resident() - before < 40 << 20
    assert len(kept) == 1
