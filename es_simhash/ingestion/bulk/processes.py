"""The workers that fingerprint: this process, or a pool of others when they are requested."""

import ast
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from es_simhash.errors import EsSimhashError, InputError


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


def make_pool(processes: int) -> Executor:
    """Return workers for the fingerprints; with one process, that is this one.

    Raises:
        InputError: Processes cannot be started here; see `require_startable`.
    """
    if processes <= 1:
        return InThisProcess()
    require_startable(processes)
    # The matrices are small and every processor has its process: threads of the linear algebra
    # would only wait for each other. Read by the new processes when they load numpy.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # A fork would copy the threads' locks.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_start_worker)


def require_startable(processes: int) -> None:
    """Check whether this many processes can be started, before any work is done.

    Raises:
        InputError: This is a daemonic process, or a script that new processes would run again.
    """
    if processes <= 1:
        return
    if multiprocessing.current_process().daemon:
        raise InputError(
            f"processes={processes} is not possible in a daemonic process, which may not have "
            "children. Use processes=1.",
            parameter="processes",
        )
    if _main_would_run_again():
        raise InputError(
            f"processes={processes} is not possible in a script without the guard "
            'if __name__ == "__main__":, because each new process would run the script again. '
            "Put the call under the guard, or use processes=1.",
            parameter="processes",
        )


def worker_lost(processes: int) -> EsSimhashError:
    """Return the error for a pool whose worker ended unexpectedly."""
    return EsSimhashError(
        f"One of {processes} worker processes ended unexpectedly, perhaps out of memory. "
        "Run the same again with fewer processes to continue.",
        parameter="processes",
    )


def _main_would_run_again() -> bool:
    """Check whether the main script is running right now outside of a guard.

    A new process imports the main script by its path under another name, and so runs what the
    guard does not exclude. What was started by `python -m`, `-c` or from a notebook has none.
    """
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if path is None or main.__spec__ is not None:
        return False
    frame = _module_frame(main)
    return frame is not None and not _is_guarded(Path(path), frame.f_lineno)


def _module_frame(main: ModuleType) -> FrameType | None:
    """Return the frame that executes the main module; None when it has ended."""
    thread = threading.main_thread().ident
    frame = sys._current_frames().get(thread) if thread is not None else None
    while frame is not None:
        if frame.f_globals is main.__dict__ and frame.f_code.co_name == "<module>":
            return frame
        frame = frame.f_back
    return None


def _is_guarded(path: Path, line: int) -> bool:
    """Check whether a line of a script is under an `if` that reads `__name__`."""
    try:
        statements = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return True  # such as a zipped program; a pool that breaks says what to do
    return any(
        _reads_name(statement.test)
        for statement in statements
        if isinstance(statement, ast.If) and statement.lineno <= line <= (statement.end_lineno or 0)
    )


def _reads_name(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it even when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
