"""The workers that fingerprint: this process, or a pool of others when they are requested."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from es_simhash.errors import EsSimhashError, InputError

# The matrices are small and every processor has its process: threads of the linear algebra would
# only wait for each other. Memory is bounded by the batches, so no worker is ended for its size.
_ENVIRONMENT = {
    **{f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")},
    "LOKY_MAX_MEMORY_LEAK_SIZE": str(1 << 60),
}
_PARENT_CHECK_SECONDS = 0.5


class InThisProcess(Executor):
    """Runs each call in the thread that submits it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def available_processors() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def worker_pool(processes: int) -> Iterator[Executor]:
    """Yield workers for the fingerprints; with one process, that is this one.

    They are waited for at the end, but ended at once where an error or Ctrl-C ends the run: what
    they prepare nobody will write. Other processes do not import the main script, so that it needs
    no guard.

    Raises:
        InputError: Processes cannot be started here; see `require_startable`.
    """
    if processes <= 1:
        yield InThisProcess()
        return
    require_startable(processes)
    # Loaded when it is needed: it takes a tenth of a second.
    from loky import ProcessPoolExecutor

    environment = {name: os.environ.get(name, value) for name, value in _ENVIRONMENT.items()}
    pool = ProcessPoolExecutor(
        processes, initializer=_start_worker, initargs=(os.getpid(),), env=environment
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(kill_workers=True)
        raise
    pool.shutdown()


def require_startable(processes: int) -> None:
    """Check whether this many processes can be started, before any work is done.

    Raises:
        InputError: This is a daemonic process.
    """
    if processes > 1 and multiprocessing.current_process().daemon:
        raise InputError(
            f"processes={processes} is not possible in a daemonic process, which may not have "
            "children. Use processes=1.",
            parameter="processes",
        )


def worker_lost(processes: int) -> EsSimhashError:
    """Return the error for a pool whose worker ended unexpectedly."""
    return EsSimhashError(
        f"One of {processes} worker processes ended unexpectedly, perhaps out of memory. "
        "Run the same again with fewer processes to continue.",
        parameter="processes",
    )


def _start_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end with it even when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)
