"""The command line in processes that can be killed, which cost a fork each."""

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.faulty_proxy import TIMEOUT

# Retries wait this much shorter, and batches are this small, so that a run of a few documents has
# many requests and is over in a moment. Nothing else of the command is changed.
_HASTE = 40.0
_BATCH = 7
_PIPE = 1 << 20
# Seconds after which a command hangs; what it waits for is over long before.
_HANGS = 300.0
_PRELOADED = [
    "es_simhash.cli.main",
    "es_simhash.cli.ingest_command",
    "es_simhash.cli.backfill_command",
    "es_simhash.cli.families_command",
    "es_simhash.cli.copies_command",
    "es_simhash.cli.sweep_command",
    "es_simhash.cli.undo_command",
    "es_simhash.ingestion.ingest",
    "es_simhash.ingestion.undo",
    "es_simhash.maintenance.copies.find_copies",
    "es_simhash.maintenance.sweeps.sweep",
    "es_simhash.store.elasticsearch.connection",
    "tests.faults.commands",
]


class Ended(NamedTuple):
    """How a command ended: its status, minus the signal that killed it, and what it printed."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Settings:
    """How a command is started.

    Attributes:
        url: Of the cluster, or of a proxy before it.
        folder: Working directory, with journals, audit logs and dead letters.
        largest_file: Bytes after which a file of it cannot grow, as on a full disk; None for none.
    """

    url: str
    folder: Path
    largest_file: int | None = None


class Commands:
    """Starts commands, one at a time."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOADED)
        self._process: Any = None
        # Seconds by which the clocks of commands are wrong.
        self._clock = self._context.Value("d", 0.0)

    def jump(self, seconds: float) -> None:
        """Set the clock forward or back, of the command that runs and of those to come."""
        self._clock.value += seconds

    def set_clock(self) -> None:
        """Set the clock right again."""
        self._clock.value = 0.0

    def strike(self, number: int) -> None:
        """Send a signal to the command that runs."""
        process = self._process
        if process is not None and process.is_alive():
            os.kill(process.pid, number)

    def run(self, arguments: Sequence[str], settings: Settings) -> Ended:
        """Run a command to its end.

        Raises:
            TimeoutError: It hangs; it is killed.
        """
        pipes = [settings.folder / name for name in ("out.pipe", "err.pipe")]
        for pipe in pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
        # Held open on both ends, so that neither side waits for the other.
        ends = [os.open(pipe, os.O_RDWR | os.O_NONBLOCK) for pipe in pipes]
        try:
            import fcntl

            for end in ends:
                fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, _PIPE)
            process = self._context.Process(
                target=_main, args=(list(arguments), settings, pipes, self._clock)
            )
            process.start()
            self._process = process
            process.join(_HANGS)
            if process.exitcode is None:
                process.kill()
                process.join()
                raise TimeoutError(f"{' '.join(arguments)} hangs: {_read(ends[1])}")
            return Ended(process.exitcode, _read(ends[0]), _read(ends[1]))
        finally:
            self._process = None
            for end in ends:
                os.close(end)


def _read(end: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(end, _PIPE)
        except BlockingIOError:
            return b"".join(parts).decode("utf-8", "replace")
        parts.append(part)


def _main(arguments: list[str], settings: Settings, pipes: list[Path], clock: Any) -> None:
    """Run a command in this process, as from a shell."""
    for number, pipe in enumerate(pipes, 1):
        os.dup2(os.open(pipe, os.O_WRONLY), number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.chdir(settings.folder)
    os.environ["ELASTICSEARCH_URL"] = settings.url
    os.environ["ES_SIMHASH_REQUEST_TIMEOUT"] = str(TIMEOUT)
    os.environ["ES_SIMHASH_HOME"] = str(settings.folder / "home")
    _hasten()
    _follow(clock)
    if settings.largest_file is not None:
        limit = settings.largest_file
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    sys.argv = ["es-simhash", *arguments]
    from es_simhash.cli.main import main

    main()


def _hasten() -> None:
    """Make waits shorter and batches smaller, in this process."""
    from es_simhash.ingestion.bulk.document_batches import BatchLimits
    from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
    from es_simhash.store.elasticsearch.retry import Waiter

    wait = Waiter.wait

    def hasty(self: Waiter, seconds: float) -> None:
        wait(self, seconds / _HASTE)

    Waiter.wait = hasty  # type: ignore[method-assign]
    set_default(BatchLimits, "documents", _BATCH)
    set_default(BackfillSettings, "page", _BATCH)


def _follow(clock: Any) -> None:
    """Let the time of the day be wrong by what another process says; durations stay right."""
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + clock.value
    time.time_ns = lambda: nanoseconds() + int(clock.value * 1e9)


def set_default(kind: Any, name: str, value: object) -> None:
    """Change the default of a field of a dataclass."""
    defaults = list(kind.__init__.__defaults__)
    names = kind.__init__.__code__.co_varnames[1 : kind.__init__.__code__.co_argcount]
    defaults[list(names).index(name) - len(names)] = value
    kind.__init__.__defaults__ = tuple(defaults)
    setattr(kind, name, value)
