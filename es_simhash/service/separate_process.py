"""Long comparisons in a process of their own, which ends with each, or when nobody waits for it.

In a thread they would share the interpreter with every other answer of the worker, go on until they
look whether they are still wanted, and leave the memory of the worker larger than before.
"""

import logging
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.relation.interruption import require_wanted
from es_simhash.service.monitoring import log

# Seconds between two looks at whether somebody still waits.
_GLANCE = 0.05
# Other work of the machine goes first.
_NICENESS = 10

if sys.platform == "win32":
    _CONTEXT = multiprocessing.get_context("spawn")
else:
    # A process that has these modules imported makes all others, in some milliseconds each.
    _CONTEXT = multiprocessing.get_context("forkserver")
    _CONTEXT.set_forkserver_preload(["es_simhash.service.application"])

Context = TypeVar("Context")
Result = TypeVar("Result")


class ProcessEnded(EsSimhashError):
    """The process ended without a result, as when the machine has no memory left for it."""


@dataclass(frozen=True)
class SeparateProcess(Generic[Context]):
    """Runs functions in processes of their own.

    Attributes:
        make: Makes what the functions are called with, in the process; it is sent there.
    """

    make: Callable[[], Context]

    def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """Return what a function of a module or a class returns.

        Args:
            function: Called with what is made, and the arguments.
            args: Its other arguments.

        Raises:
            Interrupted: Nobody waits for it any more; the process has ended.
            ProcessEnded: The process ended before it.
            Exception: What the function raised.
        """
        receiving, sending = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(
            target=_send_result, args=(sending, self.make, function, args), daemon=True
        )
        with receiving:
            process.start()
            # Its end of the pipe is the only one from here on: what is read ends with it.
            sending.close()
            try:
                while not receiving.poll(_GLANCE):
                    require_wanted()
                is_result, value = receiving.recv()
            except EOFError:
                process.join()
                raise ProcessEnded(
                    f"The process of a comparison ended with {process.exitcode}. Try again."
                ) from None
            finally:
                process.kill()
                process.join()
        if is_result:
            result: Result = value
            return result
        raise value


def _send_result(
    sending: Connection,
    make: Callable[[], Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
) -> None:
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        outcome = True, function(make(), *args)
    except EsSimhashError as error:
        outcome = False, _sendable(error)
    except Exception as error:
        log(logging.ERROR, "failed", error=True)
        outcome = False, _sendable(error)
    sending.send(outcome)


def _sendable(error: Exception) -> Exception:
    """Return an error as it can be sent: without its cause, which may be of any kind."""
    error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"A comparison failed: {type(error).__name__}.")
    return error
